#include "host/search/pack_model.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_ITEMS (UINT32_C(1) << 20)
#define MAX_BOXES (UINT32_C(1) << 22)
#define MAX_OWN_PIECES 4096u        // of one item

double arn__pack_cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- checking ----

static const char *piece_fault(const arn_pack_piece *p) {
  if (p->lower >= p->upper) return "a piece ends at or before the step where it begins";
  if (p->low >= p->high) return "a piece has no bytes";
  if (p->high > ARN_PACK_MAX_BYTES) return "a piece is larger than 1 GiB";
  return NULL;
}

static const char *item_fault(const arn_pack_problem *p, const arn_pack_item *item) {
  const uint32_t regions = p->region_count ? p->region_count : 1u;
  if (item->regions >> regions) return "an item allows a region that does not exist";
  if (item->alignment > ARN_PACK_MAX_BYTES) return "an alignment is above 1 GiB";
  if (item->fixed != ARN_PACK_FREE && item->fixed > ARN_PACK_MAX_BYTES) {
    return "a fixed offset is above 1 GiB";
  }
  if (item->fixed != ARN_PACK_FREE && item->fixed % pack_alignment(item)) {
    return "a fixed offset is not aligned";
  }
  if (item->piece_count == 0) {
    const arn_pack_piece whole = {item->lower, item->upper, 0, item->size};
    return piece_fault(&whole);
  }
  if (item->pieces == NULL) return "an item has pieces but no list of them";
  if (item->size || item->lower || item->upper) return "a group has a lifetime or size of its own";
  if (item->piece_count > MAX_OWN_PIECES) return "a group has more than 4,096 pieces";
  for (uint32_t i = 0; i < item->piece_count; i++) {
    const char *fault = piece_fault(&item->pieces[i]);
    if (fault) return fault;
  }
  return NULL;
}

static const char *rule_fault(const arn_pack_problem *p, const arn_pack_rule *r) {
  if (r->upper >= p->count || r->lower >= p->count) return "a rule names an item that is not there";
  if (r->upper == r->lower) return "a rule binds an item to itself";
  const int64_t most = ARN_PACK_MAX_BYTES;
  return r->distance > most || r->distance < -most ? "a rule's distance is above 1 GiB" : NULL;
}

static const char *frame_fault(const arn_pack_problem *p) {
  if (p->count > MAX_ITEMS) return "there are more than 1,048,576 items";
  if (p->count && p->items == NULL) return "there is no list of items";
  if (p->rule_count && p->rules == NULL) return "there is no list of rules";
  if (p->region_count > ARN_PACK_MAX_REGIONS) return "there are more than 8 regions";
  if (p->region_count > 1 && p->capacities == NULL) return "the regions have no capacities";
  for (uint32_t r = 1; r < p->region_count; r++) {
    if (p->capacities[r] > ARN_PACK_MAX_BYTES) return "a region is larger than 1 GiB";
  }
  return NULL;
}

static const char *fault_of(const arn_pack_problem *p, uint32_t *at) {
  const char *fault = frame_fault(p);
  *at = 0;
  for (uint32_t i = 0; !fault && i < p->count; i++) {
    fault = item_fault(p, &p->items[i]);
    *at = i;
  }
  for (uint32_t i = 0; !fault && i < p->rule_count; i++) {
    fault = rule_fault(p, &p->rules[i]);
    *at = i;
  }
  return fault;
}

// ---- compiling ----

static int by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static uint32_t section_of(const uint32_t *steps, uint32_t count, uint32_t step) {
  uint32_t from = 0, to = count;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    if (steps[middle] < step) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

static arn_pack_piece piece_at(const arn_pack_item *item, uint32_t k) {
  if (item->piece_count) return item->pieces[k];
  return (arn_pack_piece){item->lower, item->upper, 0, item->size};
}

static uint32_t pieces_of(const arn_pack_item *item) {
  return item->piece_count ? item->piece_count : 1u;
}

// Fills boxes with steps for sections; sorts the distinct steps.
static uint32_t list_steps(pack_model *m, uint32_t *steps) {
  uint32_t box = 0, count = 0, distinct = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    m->first_box[i] = box;
    for (uint32_t k = 0; k < pieces_of(&m->problem->items[i]); k++) {
      const arn_pack_piece p = piece_at(&m->problem->items[i], k);
      m->boxes[box++] = (pack_box){i, p.lower, p.upper, p.low, p.high};
      steps[count++] = p.lower;
      steps[count++] = p.upper;
      if (p.high > m->top[i]) m->top[i] = p.high;
    }
  }
  m->first_box[m->count] = box;
  qsort(steps, count, sizeof *steps, by_value);
  for (uint32_t i = 0; i < count; i++) {
    if (distinct == 0 || steps[i] != steps[distinct - 1]) steps[distinct++] = steps[i];
  }
  return distinct;
}

static bool boxes_meet(const pack_box *a, const pack_box *b) {
  return a->first < b->end && b->first < a->end && a->low < b->high && b->low < a->high;
}

static bool is_torn(const pack_model *m, uint32_t item) {
  for (uint32_t a = m->first_box[item]; a < m->first_box[item + 1]; a++) {
    for (uint32_t b = m->first_box[item]; b < a; b++) {
      if (boxes_meet(&m->boxes[a], &m->boxes[b])) return true;
    }
  }
  return false;
}

static bool is_plain(const arn_pack_problem *p) {
  if (p->rule_count || p->region_count > 1) return false;
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->items[i].piece_count || p->items[i].fixed != ARN_PACK_FREE) return false;
  }
  return true;
}

// Sums live bytes by differences at the sections' ends. A rule may let its two items overlap: then
// their sum is no bound, and the upper one of each rule (marked in `skip`) is left out.
static void find_bound(pack_model *m, uint8_t *skip) {
  const arn_pack_problem *p = m->problem;
  for (uint32_t i = 0; i < p->count; i++) skip[i] = pack_allowed(&p->items[i]) != 1u;
  for (uint32_t i = 0; i < p->rule_count; i++) skip[p->rules[i].upper] = 1;
  for (uint32_t b = 0; b < m->box_count; b++) {
    const pack_box *box = &m->boxes[b];
    if (skip[box->item]) continue;
    m->load[box->first] += box->high - box->low;
    m->load[box->end] -= box->high - box->low;
  }
  uint64_t sum = 0, most = 0;
  for (uint32_t s = 0; s < m->section_count; s++) {
    sum += m->load[s];
    m->load[s] = sum;
    if (sum > most) most = sum;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    const uint32_t fixed = p->items[i].fixed == ARN_PACK_FREE ? 0 : p->items[i].fixed;
    const uint64_t top = (uint64_t)fixed + m->top[i];
    if (pack_allowed(&p->items[i]) == 1u && top > most) most = top;
  }
  m->bound = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

static bool allocate(pack_model *m) {
  const size_t boxes = m->box_count + 1u, items = m->count + 1u;
  m->boxes = calloc(boxes, sizeof *m->boxes);
  m->first_box = calloc(items, sizeof *m->first_box);
  m->top = calloc(items, sizeof *m->top);
  m->load = calloc(2 * boxes + 1, sizeof *m->load);
  return m->boxes && m->first_box && m->top && m->load;
}

static arn_pack_verdict compile(pack_model *m, arn_pack_result *result) {
  uint32_t *steps = calloc(2u * m->box_count + 1u, sizeof *steps);
  uint8_t *skip = calloc(m->count + 1u, sizeof *skip);
  if (!allocate(m) || steps == NULL || skip == NULL) {
    free(steps);
    free(skip);
    return ARN_PACK_NO_MEMORY;
  }
  const uint32_t distinct = list_steps(m, steps);
  m->section_count = distinct ? distinct - 1u : 0u;
  for (uint32_t b = 0; b < m->box_count; b++) {
    m->boxes[b].first = section_of(steps, distinct, m->boxes[b].first);
    m->boxes[b].end = section_of(steps, distinct, m->boxes[b].end);
  }
  find_bound(m, skip);
  free(steps);
  free(skip);
  for (uint32_t i = 0; i < m->count; i++) {
    if (!is_torn(m, i)) continue;
    result->item = i;
    result->reason = "two pieces of a group share bytes at the same step";
    return ARN_PACK_INVALID;
  }
  return ARN_PACK_SOLVED;
}

arn_pack_verdict arn__pack_model_open(pack_model *model, const arn_pack_problem *problem,
                                      arn_pack_result *result) {
  uint64_t boxes = 0;
  memset(model, 0, sizeof *model);
  result->reason = fault_of(problem, &result->item);
  if (result->reason) return ARN_PACK_INVALID;
  for (uint32_t i = 0; i < problem->count; i++) boxes += pieces_of(&problem->items[i]);
  if (boxes > MAX_BOXES) return ARN_PACK_NO_MEMORY;
  model->problem = problem;
  model->count = problem->count;
  model->box_count = (uint32_t)boxes;
  model->is_plain = is_plain(problem);
  const arn_pack_verdict verdict = compile(model, result);
  if (verdict != ARN_PACK_SOLVED) arn__pack_model_close(model);
  return verdict;
}

void arn__pack_model_close(pack_model *model) {
  free(model->boxes);
  free(model->first_box);
  free(model->top);
  free(model->load);
  memset(model, 0, sizeof *model);
}

uint32_t arn_pack_bound(const arn_pack_problem *problem) {
  pack_model model;
  arn_pack_result result = {0};
  if (arn__pack_model_open(&model, problem, &result) != ARN_PACK_SOLVED) return 0;
  const uint32_t bound = model.bound;
  arn__pack_model_close(&model);
  return bound;
}
