// Why a model does not fit an arena, and what would make it smaller. Nothing is guessed: each cause
// is the arena planned again without it, each remedy is the remedy carried out.
#ifndef ARENITE_HOST_DECIDE_ADVICE_H
#define ARENITE_HOST_DECIDE_ADVICE_H

#include <stdio.h>

#include "host/check/engine.h"
#include "host/decide/boards.h"

// What is to be explained. Borrows everything.
typedef struct host_advice_case {
  const char *path;          // for the commands that are named
  const void *bytes;
  size_t size;
  arn_config config;         // as on the device; `ops` may be NULL: all
  uint32_t arena_bytes;
  const host_region *others; // further regions of RAM that it has
  uint32_t other_count;
  double budget_seconds;     // for planning by rows
  void (*progress)(const char *what);   // told before each thing that takes long; NULL: silent
} host_advice_case;

typedef struct host_cause {
  const char *name;          // "size", "alignment", ...
  uint32_t arena_without;    // the whole arena were it not for this
  char text[160];
} host_cause;

typedef struct host_remedy {
  const char *name;
  uint32_t arena_bytes;      // the whole arena then; "regions": what of it stays where it was
  bool fits;
  char text[160], command[256];
} host_remedy;

#define HOST_MAX_CAUSES 8u
#define HOST_MAX_REMEDIES 12u

typedef struct host_advice {
  uint32_t arena_bytes, need_bytes;
  bool fits;
  arn_error failing;         // of the start in that arena; status OK where it fits
  arn_usage usage;           // of the plan as asked for
  host_cause causes[HOST_MAX_CAUSES];
  uint32_t cause_count;
  host_remedy remedies[HOST_MAX_REMEDIES];   // by bytes saved; those that save nothing are left out
  uint32_t remedy_count;
} host_advice;

// Works it out. Fails where the model does not start in any arena: status and error of that.
arn_status host_advise(const host_advice_case *c, host_advice *advice, arn_error *error);

// Prints it as text of at most 100 columns.
void host_advice_print(FILE *out, const host_advice_case *c, const host_advice *advice);

// The purpose of an allocation that failed, in words ("a tensor", "the scratch of an operator").
const char *host_advice_purpose(arn_what what);

// Finds an arena size in which a start fails as a device's record of five numbers says (what, node,
// tensor, need, have). Returns 0 where there is none: the record is of another model, version or
// configuration.
uint32_t host_advice_arena_of(const host_advice_case *c, const arn_error *record);

#endif
