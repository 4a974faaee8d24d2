// The state of a start: shared by start.c (records, variables, the whole), prepare.c (one subgraph)
// and measure.c. It lives on the stack of arn_start or arn_measure.
#ifndef ARENITE_SRC_RUNTIME_STARTER_H
#define ARENITE_SRC_RUNTIME_STARTER_H

#include "../arena/arena.h"
#include "../plan/builder.h"
#include "../plan/planner.h"
#include "../plan/rowplan.h"
#include "records.h"

// Put before a function whose frame shall not lie under what its caller calls later: compilers that
// take functions in sum up their frames, and a start nests deep enough without that.
#if defined(__GNUC__)
#define ARN__APART __attribute__((noinline))
#else
#define ARN__APART
#endif

typedef struct arn__starter {
  arn_interpreter *nn;         // its records are written only while arena has room
  const arn_model *model;
  arn_config config;
  arn_error *error;            // never NULL
  arn__arena arena;
  arn__buffer *spare;          // planning records where the arena has no room for them, or NULL
  uint32_t spare_count;
  arn__row_plan rows;          // of the main subgraph
  bool has_rows;
  bool measured;               // all subgraphs could be planned
  uint32_t records_wanted;     // most planning records of a subgraph that could not be
  uint8_t depth[ARN_MAX_SUBGRAPHS];     // of calls; 0: not reachable
  uint32_t dynamic[ARN_MAX_SUBGRAPHS];  // bytes of the dynamic regions
  uint32_t state[ARN_STATE_MAX_BYTES / 4];  // what a node prepares, before it is kept
} arn__starter;

// Says whether records may be written to the arena.
static inline bool arn__starter_writes(const arn__starter *s) {
  return s->arena.base != NULL && arn__arena_has(&s->arena);
}

#define TRY(call)                          \
  do {                                     \
    const arn_status status_ = (call);     \
    if (status_ != ARN_OK) return status_; \
  } while (0)

// Says whether the subgraph can be reached from the main one.
static inline bool arn__starter_reads(const arn__starter *s, uint32_t subgraph) {
  return s->depth[subgraph] > 0;
}

// Returns the alignment of a variable.
static inline uint32_t arn__starter_alignment(const arn_tensor *t) {
  return arn_type_bytes((arn_type)t->type) >= 8 ? 8 : 4;
}

static inline void arn__starter_set_place(const arn__starter *s, uint32_t subgraph,
                                          uint32_t tensor, uint32_t place) {
  if (arn__starter_writes(s)) arn__places_of(s->nn, subgraph)[tensor] = place;
}

// A node that is being started.
typedef struct arn__prepare_site {
  arn__starter *s;
  arn__builder *builder;       // NULL where a row plan says where everything lies
  const arn_subgraph *g;
  uint32_t subgraph, index;
  arn_node node;
  // Called with what the node answered and where its prepared data lie; NULL: nobody asks.
  void (*prepared)(struct arn__prepare_site *at, const arn_prepare *p, uint32_t state_at);
  void *context;
} arn__prepare_site;

// Finds the node's operator, prepares it, keeps its data, writes its record.
ARN_MUST_CHECK arn_status arn__prepare_node(arn__prepare_site *at);

// Prepares all nodes of a subgraph, plans it, and writes its records. Needs: the subgraphs that it
// calls are done.
ARN_MUST_CHECK arn_status arn__starter_subgraph(arn__starter *s, uint32_t index);

// Computes the whole: see arn_start and arn_measure.
ARN_MUST_CHECK arn_status arn__starter_run(arn__starter *s);

// Fills the starter's error and returns the status.
arn_status arn__starter_fail(arn__starter *s, arn_status status, arn_what what, int32_t subgraph,
                             int32_t node);

// Looks the node's operator up; the error tells not registered, not supported, Flex, vendor, custom
// apart.
ARN_MUST_CHECK arn_status arn__find_op(const arn_model *model, const arn_op_list *ops,
                                       const arn_node *node, const arn_op **op, uint32_t *index,
                                       arn_what *what);

// Says whether a node has nothing to do because its readers take its constant input in place.
bool arn__is_folded_away(const arn_model *model, const arn_subgraph *subgraph,
                         const arn_op_list *ops, const arn_node *node);

#endif
