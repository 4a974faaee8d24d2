// Two plans held against each other: bytes by category, operators that came and went, where the
// peak is.
//
// Both are JSON of schema arenite.plan, made a moment ago or kept from another version of the
// engine or the model. Numbers that a plan does not have count as 0.
#ifndef ARENITE_HOST_DECIDE_COMPARE_H
#define ARENITE_HOST_DECIDE_COMPARE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct host_category {
  const char *name;      // of a sentence: "tensor data at the peak"
  const char *key;       // in the JSON
  double a, b;
} host_category;

#define HOST_CATEGORIES 15

// An operator of one side without a partner on the other.
typedef struct host_op_change {
  bool added;            // in b; else removed from a
  uint32_t node;         // on its side
} host_op_change;

// Where the most bytes are alive.
typedef struct host_peak {
  uint32_t step, node;
  const char *op;        // borrowed from the JSON
  double live_bytes;
} host_peak;

typedef struct host_comparison {
  const cJSON *a, *b;    // borrowed
  host_category categories[HOST_CATEGORIES];
  host_op_change *changes;
  uint32_t change_count;
  bool ops_compared;     // false: too many operators for a comparison one by one
  host_peak peak_a, peak_b;
} host_comparison;

// Says whether a JSON is a plan that can be compared: schema arenite.plan or arenite.profile,
// version 1.
bool host_plan_is_known(const cJSON *plan);

// Returns number `key` of an object; 0 where it has none.
double host_plan_number(const cJSON *object, const char *key);

// Likewise; 0 also where the number is no uint32_t.
uint32_t host_plan_u32(const cJSON *object, const char *key);

// Compares. Borrows both until host_comparison_free. Returns false where the host has no memory.
bool host_compare_plans(host_comparison *comparison, const cJSON *a, const cJSON *b);
void host_comparison_free(host_comparison *comparison);

// Writes "CONV_2D 1x48x48x8" for node `node` of a plan: the operator and the shape of what it
// writes; "?" for the operator of a node without a step (a view).
void host_plan_op(const cJSON *plan, uint32_t node, char *text, size_t size);

#endif
