// Running a model in one arena.
//
//   static uint8_t arena[20480] __attribute__((aligned(16)));
//   arn_model model;
//   arn_interpreter nn;
//   arn_config config = {.ops = &my_ops};
//   ARN_CHECK(arn_model_open(&model, file, sizeof file, &error));
//   ARN_CHECK(arn_start(&nn, &model, arena, sizeof arena, &config, &error));
//   memcpy(arn_input(&nn, 0).data, image, arn_input(&nn, 0).bytes);
//   ARN_CHECK(arn_invoke(&nn, &error));
//
// Ownership: the caller owns model file, arn_model, arn_interpreter and arena, all of which must
// outlive the last use; `config` and its op list are copied by pointer to the list only. There is
// no stop call: to end, forget the interpreter and use the arena for something else.
// Threads: two interpreters in two threads need no lock unless they share an arena. One interpreter
// must be used from one thread at a time.
//
// The arena, from its aligned start: the static region (records, prepared operator data, variables,
// copied weights), then the dynamic region (planned tensors and scratch). While starting, planning
// records lie at the end of the arena. The dynamic region can lie in a block of its own instead
// (arn_config.dynamic). See docs/architecture.md.
#ifndef ARENITE_INTERPRETER_H
#define ARENITE_INTERPRETER_H

#include "arenite/config.h"
#include "arenite/op.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the dynamic region is planned. All planners reuse memory of dead tensors.
typedef enum arn_planner {
  // the row plan that the file carries; without one, the best of those below
  ARN_PLANNER_AUTO = 0,
  ARN_PLANNER_GREEDY,     // largest first, at the place that grows the region least
  ARN_PLANNER_LIFETIME,   // in order of birth
  ARN_PLANNER_COLOUR,     // interval colouring: slots shared by tensors that never meet
  ARN_PLANNER_ID,         // in order of tensor index: the naive one
  ARN_PLANNER_OFFLINE,    // offsets from the file's OfflineMemoryAllocation metadata, checked
} arn_planner;

enum {
  ARN_KEEP_ALL = 1,    // no reuse: every tensor keeps its own memory and can be read after invoke
  ARN_NO_OVERLAP = 2,  // outputs never share memory with the inputs of their node
  ARN_IGNORE_PLAN = 4, // do not use a row plan that the file carries
};

// What hooks are told about a step.
typedef struct arn_step {
  uint32_t subgraph, node;
  const arn_op *op;
  arn_span span;
  const arn_eval *eval;   // what the operator sees; outputs are there in `after`
} arn_step;

struct arn_interpreter;

// Called around every step. `before` may return false to abort the invocation (ERR_ABORTED): the
// place for a watchdog. Either may be NULL.
typedef struct arn_hooks {
  bool (*before)(void *context, const struct arn_interpreter *nn, const arn_step *step);
  void (*after)(void *context, const struct arn_interpreter *nn, const arn_step *step);
  void *context;
} arn_hooks;

// Rows of streamed inputs and outputs. A row plan may say that an input or output is never whole in
// memory (`arenite optimize --stream-input N`): then arn_input / arn_output have no data for it,
// and during arn_invoke the engine calls
//   fetch    to have row `row` of input number `input` written to `to`
//   deliver  to hand row `row` of output number `output` over
// Each row once an invocation, in ascending order (rows at the end of an input that no operator
// reads are not asked for); rows of several inputs and outputs in the order that the plan has. Rows
// are those of op.h: of a [1,H,W,C] tensor H rows of W*C elements; `bytes` is always the same for
// one tensor. `to` and `from` are memory of the arena, aligned for the tensor's type, valid during
// the call only. Returning false ends the invocation (ERR_ABORTED, HOOK). Callbacks may wait (for a
// camera line), and must not call the engine. arn_start fails (ERR_ARGUMENT, STREAM) where the plan
// needs a callback that is NULL; other plans never call them.
typedef struct arn_stream {
  bool (*fetch)(void *context, uint32_t input, uint32_t row, void *to, uint32_t bytes);
  bool (*deliver)(void *context, uint32_t output, uint32_t row, const void *from, uint32_t bytes);
  void *context;
} arn_stream;

// A zeroed config plus `ops` means all defaults.
typedef struct arn_config {
  const arn_op_list *ops;     // required
  uint8_t planner;            // arn_planner
  uint8_t flags;              // ARN_KEEP_ALL ...
  uint16_t alignment;         // of the arena start and of planned tensors: 4, 8, 16 (0: 16), 32, 64
  arn_hooks hooks;
  arn_stream stream;
  // Says whether constant tensor `tensor` is to be copied into the static region (fast RAM); NULL:
  // no.
  bool (*copy_weights)(void *context, uint32_t subgraph, const arn_tensor *tensor);
  void *copy_context;
  // A block of its own for the dynamic region and, while starting, planning records: where no one
  // memory of a part is large enough, or the fastest is small. The arena then holds the static
  // region alone. Borrowed as the arena is, and must not overlap it; any base address will do.
  // NULL: the dynamic region lies in the arena.
  void *dynamic;
  size_t dynamic_bytes;
} arn_config;

// Every byte of the arena is in exactly one of these, and they add up to arena_bytes: at the step
// with the most bytes in use, or (init_temporary > 0) while starting where that needs more. The
// numbers are those of one block, wherever the dynamic region lies.
typedef struct arn_usage {
  // smallest arena, for an aligned base; any other base adds its padding
  uint32_t arena_bytes;
  uint32_t static_bytes;       // static region
  uint32_t dynamic_bytes;      // dynamic region
  uint32_t peak_offset;        // where the dynamic region starts
  uint32_t engine_records;     // static: records of nodes, tensors, subgraphs
  uint32_t op_data;            // static: prepared operator data, persistent operator data
  uint32_t variables;          // static: variable tensors and resource variables
  uint32_t weights_copied;     // static
  uint32_t static_padding;     // static: alignment
  uint32_t init_temporary;     // planning records
  // Instead of arena_bytes, with arn_config.dynamic: static_bytes for the arena, and this for the
  // other block (aligned both): the dynamic region, or planning records where they need more.
  uint32_t dynamic_block_bytes;
} arn_usage;

// Visible so that the caller can place it; its fields are the engine's.
typedef struct arn_interpreter {
  const arn_model *model;
  uint8_t *arena;          // aligned
  uint32_t arena_bytes;    // from the aligned start
  uint8_t *dynamic;        // region: in the arena, or in a block of its own
  arn_config config;
  arn_usage usage;
  uint32_t subgraphs_at;   // offset in the arena of the subgraph records
  uint32_t frames_at;
  uint32_t row_plan_at;    // in the file; 0: nodes run in the file's order
  uint32_t variables_at, variables_end;
  uint32_t ready;          // a magic number when started
} arn_interpreter;

// A tensor as the application sees it.
typedef struct arn_tensor_view {
  void *data;              // NULL where there is no such tensor, or it has no memory
  uint32_t bytes;
  arn_type type;
  uint8_t rank;
  int32_t dims[ARN_MAX_RANK];
  float scale;             // of the first (or only) channel; 0 where not quantised
  int32_t zero_point;
} arn_tensor_view;

// Prepares `model` in `arena`. Where it returns ERR_NO_MEMORY, error->total_need is the size that
// an aligned arena must have (exact where the planning records fit in the arena or in
// ARN_STACK_PLAN_RECORDS; else 0, and arn_measure gives it, with a workspace). An unaligned base's
// padding is included. With config->dynamic, it is the size of the block that is too small: the
// other one for ARENA_TENSOR, ARENA_SCRATCH and ARENA_PREPARE, the arena for the rest.
// Borrows model, arena, config->ops. Any base address will do; the padding in front is lost.
// On failure the interpreter is not ready (every call says so) and arena may be reused at once.
// Cost: a pass over all nodes, and planning (about tensors squared). Stack: about 1.7 KB on a
// Cortex-M4 for convolutional and dense models (docs/porting.md says how to measure it); a start
// that fails for want of memory takes 16 bytes for each of ARN_STACK_PLAN_RECORDS more (48; a host
// has 1,024).
ARN_MUST_CHECK arn_status arn_start(arn_interpreter *nn, const arn_model *model, void *arena,
                                    size_t arena_bytes, const arn_config *config,
                                    arn_error *error);

// Computes what arn_start needs, without an arena of that size. `workspace` (4-byte aligned, may be
// NULL) holds 16 bytes a planned tensor where ARN_STACK_PLAN_RECORDS do not suffice; if it is too
// small, ERR_NO_MEMORY with error->need = its bytes.
ARN_MUST_CHECK arn_status arn_measure(const arn_model *model, const arn_config *config,
                                      void *workspace, size_t workspace_bytes, arn_usage *usage,
                                      arn_error *error);

// Runs the main subgraph once. Inputs must be written before every call: their memory may be reused
// once read. Fails: ERR_NOT_READY, ERR_DATA, ERR_ABORTED; outputs are then undefined, and the next
// invoke starts afresh. Returns ARN_STOPPED where an operator ended the invocation early.
ARN_MUST_CHECK arn_status arn_invoke(arn_interpreter *nn, arn_error *error);

// Returns input / output `i` of the main subgraph. data is NULL for a wrong index, a failed start,
// or where its rows go through arn_config.stream.
arn_tensor_view arn_input(const arn_interpreter *nn, uint32_t i);
arn_tensor_view arn_output(const arn_interpreter *nn, uint32_t i);

// Returns any tensor of a subgraph. Without ARN_KEEP_ALL its memory may hold another tensor by now.
arn_tensor_view arn_tensor_at(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor);

// Finds a tensor of the main subgraph by name, or an input/output of a signature (signature NULL:
// the first signature). data is NULL where there is none.
arn_tensor_view arn_tensor_by_name(const arn_interpreter *nn, const char *name);
arn_tensor_view arn_signature_input(const arn_interpreter *nn, const char *signature,
                                    const char *name);
arn_tensor_view arn_signature_output(const arn_interpreter *nn, const char *signature,
                                     const char *name);

// Puts all state back to its start: variable tensors and resource variables at zero (int8: at their
// zero point), operators' persistent data at zero, CALL_ONCE re-armed. O(nodes of the model
// squared) where it has resource variables.
ARN_MUST_CHECK arn_status arn_reset(arn_interpreter *nn);

// Resets one variable tensor of the main subgraph, or the resource variable behind a RESOURCE
// tensor.
// Fails: ERR_ARGUMENT where `tensor` is neither.
ARN_MUST_CHECK arn_status arn_reset_variable(arn_interpreter *nn, uint32_t tensor);

// Returns what the arena holds; all zero where not started.
arn_usage arn_used(const arn_interpreter *nn);

// Where the plan put something, for reports.
typedef enum arn_region {
  ARN_REGION_NONE = 0,   // absent, or no memory needed
  ARN_REGION_DYNAMIC,    // offset from peak_offset (main subgraph) or from the caller's scratch
  ARN_REGION_STATIC,     // offset from the arena's aligned start
  ARN_REGION_FILE,       // offset in the file
  ARN_REGION_ROWS,       // scattered rows
} arn_region;

typedef struct arn_placement {
  arn_region region;
  uint32_t offset;
} arn_placement;

arn_placement arn_place_of_tensor(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor);

// What a node is and where its memory lies. Prepares the node again to learn it: for tools and
// tests.
typedef struct arn_node_memory {
  const arn_op *op;           // NULL where there is no such node, or it was never planned
  arn_work work;
  uint32_t rows;              // that the node may be cut into
  bool by_rows;               // the plan overlaps output and input: runs a row at a time
  uint32_t view_input;        // 1 + the input that its outputs may be views of; 0: none
  bool skipped;               // its output is a constant that readers take in place
  uint32_t scratch_offset, scratch_bytes;   // in the subgraph's dynamic region
  uint32_t state_offset, state_bytes;       // in the static region
  uint32_t persistent_bytes, fold_bytes;
} arn_node_memory;

arn_node_memory arn_memory_of_node(const arn_interpreter *nn, uint32_t subgraph, uint32_t node);

// Returns the bytes of a subgraph's dynamic region; 0 where it was never planned (unreachable).
uint32_t arn_dynamic_bytes(const arn_interpreter *nn, uint32_t subgraph);

// Says whether one node would run here: finds its operator and prepares it, without an arena. For
// tools that list all reasons why a model does not run, not the first.
ARN_MUST_CHECK arn_status arn_check_node(const arn_model *model, const arn_op_list *ops,
                                         uint32_t subgraph, uint32_t node, arn_error *error);

#ifdef __cplusplus
}
#endif
#endif
