// What the parts of an advice share: causes.c, remedies.c, advice.c.
#ifndef ARENITE_HOST_DECIDE_ADVICE_WORK_H
#define ARENITE_HOST_DECIDE_ADVICE_WORK_H

#include "host/decide/advice.h"
#include "host/report/facts.h"
#include "host/rewrite/reorder.h"

// A case being worked on: its plan as asked for, in an arena that suffices.
typedef struct host_advice_work {
  const host_advice_case *c;
  host_advice *a;
  arn_config config;
  host_engine engine;
  host_facts facts;
  // The file with its operators in their best order, by the default configuration; NULL bytes:
  // the file's order is as good. The work owns them.
  arn_reordered reordered;
} host_advice_work;

// Tells whoever waits what is being done.
void host_advice_tell(const host_advice_work *work, const char *what);

// Measures the model in another configuration. Returns false where it cannot be planned so.
bool host_advice_measure(const host_advice_work *work, const arn_config *config, arn_usage *usage);

// The best of the planners that need no heap, where it beats the one asked for; returns its arena.
uint32_t host_advice_best_planner(const host_advice_work *work, arn_config *best);

extern const char *const host_planner_names[];

// Fills the causes of work->a; its remedies.
void host_advice_find_causes(host_advice_work *work);
void host_advice_find_remedies(host_advice_work *work);

#endif
