#include "host/decide/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CELLS (16u << 20)   // of the table that pairs operators: 32 MB
#define OP_BYTES 96
#define MAX_NODES 65536u

double host_plan_number(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

uint32_t host_plan_u32(const cJSON *object, const char *key) {
  const double number = host_plan_number(object, key);
  return number >= 0.0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static const char *string_of(const cJSON *object, const char *key) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return text ? text : "?";
}

static const cJSON *list_of(const cJSON *object, const char *key) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsArray(list) ? list : NULL;
}

bool host_plan_is_known(const cJSON *plan) {
  const char *schema = string_of(plan, "schema");
  const bool is_plan =
      strcmp(schema, "arenite.plan") == 0 || strcmp(schema, "arenite.profile") == 0;
  return is_plan && host_plan_number(plan, "version") == 1.0;
}

// ---- categories ---------------------------------------------------------------------------------

static void compare_categories(host_comparison *c) {
  static const char *const names[HOST_CATEGORIES][2] = {
      {"arena", "arena_bytes"},
      {"static region", "static_bytes"},
      {"dynamic peak", "dynamic_peak_bytes"},
      {"lower bound of the dynamic peak", "lower_bound_bytes"},
      {"weights in the file", "weight_bytes"},
      {"multiply-accumulates", "macs"},
      {"tensor data at the peak", "tensor_data"},
      {"scratch at the peak", "scratch"},
      {"alignment padding", "alignment_padding"},
      {"holes that the packing leaves", "unused"},
      {"engine records", "engine_records"},
      {"prepared operator data", "op_data"},
      {"variables", "variables"},
      {"weights copied", "weights_copied"},
      {"records of planning", "init_temporary"}};
  const cJSON *parts_a = cJSON_GetObjectItemCaseSensitive(c->a, "breakdown");
  const cJSON *parts_b = cJSON_GetObjectItemCaseSensitive(c->b, "breakdown");
  for (uint32_t i = 0; i < HOST_CATEGORIES; i++) {
    const bool whole = i < 6;
    const char *key = names[i][1];
    c->categories[i] =
        (host_category){names[i][0], key, host_plan_number(whole ? c->a : parts_a, key),
                        host_plan_number(whole ? c->b : parts_b, key)};
  }
}

// ---- operators ----------------------------------------------------------------------------------

static void put_shape(const cJSON *tensor, char *text, size_t size) {
  const cJSON *dimension;
  size_t used = 0;
  text[0] = '\0';
  cJSON_ArrayForEach(dimension, list_of(tensor, "shape")) {
    if (used >= size) return;
    used += (size_t)snprintf(text + used, size - used, "%s%.0f", used ? "x" : " ",
                             cJSON_IsNumber(dimension) ? dimension->valuedouble : 0.0);
  }
}

// The node of a step; `otherwise` where the plan does not say it.
static uint32_t node_of(const cJSON *step, uint32_t otherwise) {
  const bool said = cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(step, "node"));
  return said ? host_plan_u32(step, "node") : otherwise;
}

// How many nodes there are: listed, or run by a step. A step is a node, or some of its rows.
static uint32_t count_nodes(const cJSON *plan) {
  const cJSON *step;
  uint32_t count = (uint32_t)cJSON_GetArraySize(list_of(plan, "nodes")), n = 0;
  cJSON_ArrayForEach(step, list_of(plan, "steps")) {
    const uint32_t node = node_of(step, n++);
    if (node >= count && node < MAX_NODES) count = node + 1;
  }
  return count < MAX_NODES ? count : MAX_NODES;
}

// Names of all nodes, OP_BYTES each: operator and shape of the first tensor that the node writes.
static char *names_of(const cJSON *plan, uint32_t count) {
  char *names = calloc(count + 1u, OP_BYTES);
  const cJSON *step, *tensor;
  uint32_t n = 0;
  if (names == NULL) return NULL;
  for (uint32_t i = 0; i < count; i++) names[OP_BYTES * (size_t)i] = '?';
  cJSON_ArrayForEach(step, list_of(plan, "steps")) {
    const uint32_t node = node_of(step, n++);
    if (node < count) snprintf(names + OP_BYTES * (size_t)node, 48, "%s", string_of(step, "op"));
  }
  cJSON_ArrayForEach(tensor, list_of(plan, "tensors")) {
    const cJSON *producer = cJSON_GetObjectItemCaseSensitive(tensor, "producer");
    const double at = cJSON_IsNumber(producer) ? producer->valuedouble : -1.0;
    if (!(at >= 0.0 && at < count)) continue;
    char *name = names + OP_BYTES * (size_t)at;
    const size_t length = strlen(name);
    if (strchr(name, ' ') == NULL) put_shape(tensor, name + length, OP_BYTES - length);
  }
  return names;
}

void host_plan_op(const cJSON *plan, uint32_t node, char *text, size_t size) {
  const uint32_t count = count_nodes(plan);
  char *names = names_of(plan, count);
  snprintf(text, size, "%s", names && node < count ? names + OP_BYTES * (size_t)node : "?");
  free(names);
}

// Two lists of names that are being paired.
struct pairing {
  const char *a, *b;
  uint32_t a_count, b_count;
  uint16_t *table;          // [(a_count + 1) * (b_count + 1)]: length of the longest common rest
};

// A node without a step is taken for any operator of the same shape, as far as that is known.
static bool same(const struct pairing *p, uint32_t i, uint32_t k) {
  const char *a = p->a + OP_BYTES * (size_t)i, *b = p->b + OP_BYTES * (size_t)k;
  const char *shape_a = strchr(a, ' '), *shape_b = strchr(b, ' ');
  if (a[0] != '?' && b[0] != '?') return strcmp(a, b) == 0;
  return shape_a == NULL || shape_b == NULL || strcmp(shape_a, shape_b) == 0;
}

static uint16_t *cell(const struct pairing *p, uint32_t i, uint32_t k) {
  return &p->table[(size_t)i * (p->b_count + 1u) + k];
}

static void fill_table(const struct pairing *p) {
  for (uint32_t i = p->a_count; i-- > 0;) {
    for (uint32_t k = p->b_count; k-- > 0;) {
      const uint16_t down = *cell(p, i + 1, k), right = *cell(p, i, k + 1);
      const uint16_t both = (uint16_t)(*cell(p, i + 1, k + 1) + 1u);
      *cell(p, i, k) = same(p, i, k) ? both : down > right ? down : right;
    }
  }
}

static void note(host_comparison *c, bool added, uint32_t node) {
  c->changes[c->change_count++] = (host_op_change){added, node};
}

static void walk_table(host_comparison *c, const struct pairing *p) {
  uint32_t i = 0, k = 0;
  while (i < p->a_count || k < p->b_count) {
    if (i < p->a_count && k < p->b_count && same(p, i, k)) {
      i++;
      k++;
    } else if (k == p->b_count || (i < p->a_count && *cell(p, i + 1, k) >= *cell(p, i, k + 1))) {
      note(c, false, i++);
    } else {
      note(c, true, k++);
    }
  }
}

static bool pair(host_comparison *c, struct pairing *p) {
  const uint64_t cells = ((uint64_t)p->a_count + 1u) * ((uint64_t)p->b_count + 1u);
  if (cells > MAX_CELLS || p->a_count > UINT16_MAX) return true;
  p->table = calloc((size_t)cells, sizeof *p->table);
  c->changes = calloc((size_t)p->a_count + p->b_count + 1u, sizeof *c->changes);
  if (p->table == NULL || c->changes == NULL) return false;
  fill_table(p);
  walk_table(c, p);
  c->ops_compared = true;
  return true;
}

static bool compare_ops(host_comparison *c) {
  struct pairing p = {.a_count = count_nodes(c->a), .b_count = count_nodes(c->b)};
  char *a = names_of(c->a, p.a_count), *b = names_of(c->b, p.b_count);
  p.a = a;
  p.b = b;
  const bool ok = a && b && pair(c, &p);
  free(p.table);
  free(a);
  free(b);
  return ok;
}

static host_peak peak_of(const cJSON *plan) {
  const uint32_t step = host_plan_u32(plan, "peak_step");
  const cJSON *item =
      step <= INT32_MAX ? cJSON_GetArrayItem(list_of(plan, "steps"), (int)step) : NULL;
  return (host_peak){step, node_of(item, step), string_of(item, "op"),
                     host_plan_number(item, "live_bytes")};
}

bool host_compare_plans(host_comparison *c, const cJSON *a, const cJSON *b) {
  memset(c, 0, sizeof *c);
  c->a = a;
  c->b = b;
  compare_categories(c);
  c->peak_a = peak_of(a);
  c->peak_b = peak_of(b);
  if (compare_ops(c)) return true;
  host_comparison_free(c);
  return false;
}

void host_comparison_free(host_comparison *c) {
  free(c->changes);
  memset(c, 0, sizeof *c);
}
