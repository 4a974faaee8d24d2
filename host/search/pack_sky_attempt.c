// Setting the search up, and its restarts: each attempt tries the candidates in another order.
#include <stdlib.h>
#include <string.h>

#include "host/search/pack_sky.h"

#define MAX_UNITS (INT32_C(1) << 30)
#define MAX_ITEMS 3000u
#define MAX_MEMO (UINT32_C(1) << 19)   // entries

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

// Offsets are sums of sizes rounded to alignments, so all are multiples of what divides them all.
// Where all alignments are alike, that alignment is a unit too: sizes are rounded up to it.
static int32_t unit_of(const pack_model *m, bool *rounds) {
  uint64_t unit = 0;
  uint32_t alignment = 0;
  bool alike = true;
  for (uint32_t i = 0; i < m->count; i++) {
    const arn_pack_item *item = &m->problem->items[i];
    const uint32_t a = pack_alignment(item);
    unit = greatest_divisor(unit, item->size);
    if (a > 1) unit = greatest_divisor(unit, a);
    if (alignment && alignment != a) alike = false;
    alignment = a;
  }
  *rounds = alike && alignment > unit;
  if (*rounds) unit = alignment;
  return unit ? (int32_t)unit : 1;
}

static void fill_items(sky *s) {
  bool rounds;
  s->unit = unit_of(s->model, &rounds);
  for (int32_t i = 0; i < s->count; i++) {
    const arn_pack_item *item = &s->model->problem->items[i];
    const pack_box *box = &s->model->boxes[i];
    const uint32_t unit = (uint32_t)s->unit, alignment = pack_alignment(item);
    sky_item *x = &s->items[i];
    x->first = (int32_t)box->first;
    x->end = (int32_t)box->end;
    x->size = (int32_t)((item->size + unit - 1) / unit);
    x->alignment = rounds || alignment == 1 ? 1 : (int32_t)(alignment / unit);
    x->key = pack_mix((uint64_t)i + 1u);
    if (x->alignment > 1) s->is_aligned = true;
  }
}

static bool allocate(sky *s) {
  const size_t items = (size_t)s->count + 1, sections = (size_t)s->section_count + 1;
  s->items = calloc(items, sizeof *s->items);
  s->sections = calloc(sections, sizeof *s->sections);
  s->rest = calloc(sections, sizeof *s->rest);
  s->cross = calloc(sections, sizeof *s->cross);
  s->order = calloc(items, sizeof *s->order);
  s->place = calloc(items, sizeof *s->place);
  s->rank = calloc(items, sizeof *s->rank);
  s->low = calloc(items, sizeof *s->low);
  s->offset = calloc(items, sizeof *s->offset);
  s->weight = calloc(sections, sizeof *s->weight);
  s->table = calloc((SKY_LEVELS + 1) * sections, sizeof *s->table);
  s->valley = calloc(sections, sizeof *s->valley);
  s->valley_end = calloc(sections, sizeof *s->valley_end);
  s->delta = calloc(sections + 1, sizeof *s->delta);
  size_t memo = 64;
  while (memo < MAX_MEMO && memo < items * items * 16u) memo *= 2;
  s->memo = calloc(memo, sizeof *s->memo);
  s->memo_mask = memo - 1;
  return s->items && s->sections && s->rest && s->cross && s->order && s->place && s->rank &&
         s->low && s->offset && s->weight && s->table && s->valley && s->valley_end && s->delta &&
         s->memo;
}

bool arn__sky_open(sky *s, const pack_model *model) {
  memset(s, 0, sizeof *s);
  if (model->count > MAX_ITEMS || model->bound > ARN_PACK_MAX_BYTES) return false;
  s->model = model;
  s->count = (int32_t)model->count;
  s->section_count = (int32_t)model->section_count;
  if (!allocate(s)) {
    arn__sky_close(s);
    return false;
  }
  fill_items(s);
  for (int32_t i = 0; i < s->section_count; i++) s->weight[i] = 1.0;
  return true;
}

void arn__sky_close(sky *s) {
  free(s->items);
  free(s->sections);
  free(s->rest);
  free(s->cross);
  free(s->order);
  free(s->place);
  free(s->rank);
  free(s->low);
  free(s->offset);
  free(s->weight);
  free(s->table);
  free(s->valley);
  free(s->valley_end);
  free(s->delta);
  free(s->trail);
  free(s->stack);
  free(s->memo);
  memset(s, 0, sizeof *s);
}

// ---- orders ----

struct ranked {
  double key[3];
  int32_t id;
};

static int by_key(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  for (int k = 0; k < 3; k++) {
    if (x->key[k] != y->key[k]) return x->key[k] > y->key[k] ? -1 : 1;
  }
  return (x->id > y->id) - (x->id < y->id);
}

// T: the fullest section that the item lives in; A: area; W: steps; S: size; R: sections.
static const char *const recipes[] = {"TWA", "TAW", "TS", "A", "S", "RW", "W", "SA"};

static double measure(const sky *s, int32_t id, char what) {
  const arn_pack_item *item = &s->model->problem->items[id];
  const sky_item *x = &s->items[id];
  const double steps = (double)(item->upper - item->lower);
  uint64_t most = 0;
  switch (what) {
    case 'W': return steps;
    case 'A': return steps * item->size;
    case 'S': return item->size;
    case 'R': return x->end - x->first;
    case 'T': break;
    default: return 0;
  }
  for (int32_t i = x->first; i < x->end; i++) {
    if (s->model->load[i] > most) most = s->model->load[i];
  }
  return (double)most;
}

static void rank_by_recipe(const sky *s, struct ranked *list, const char *recipe, double most_noise,
                           uint64_t random) {
  const double noise = most_noise * ((double)(random >> 40) / (1 << 24));
  uint64_t stream = random;
  for (int32_t i = 0; i < s->count; i++) {
    list[i].id = i;
    for (size_t k = 0; k < 3; k++) {
      const double m = k < strlen(recipe) ? measure(s, i, recipe[k]) : 0;
      list[i].key[k] = m * (1.0 + noise * pack_noise(&stream));
    }
  }
}

// Near a placement that is known: lowest first, shaken.
static void rank_by_guide(const sky *s, struct ranked *list, const uint32_t *guide,
                          uint64_t random) {
  uint64_t stream = random;
  const double u = (double)(random >> 40) / (1 << 24);
  const double shake = 0.04 * u * s->capacity * s->unit;
  for (int32_t i = 0; i < s->count; i++) {
    list[i] = (struct ranked){{-(double)guide[i] + shake * pack_noise(&stream), 0, 0}, i};
  }
}

static bool set_ranks(sky *s, const pack_attempt *a, uint64_t random) {
  struct ranked *list = calloc((size_t)s->count + 1, sizeof *list);
  if (list == NULL) return false;
  if (a->guide) {
    rank_by_guide(s, list, a->guide, random);
  } else {
    const uint32_t turn = a->turn < 8 ? a->turn : (uint32_t)(random % 8);
    rank_by_recipe(s, list, recipes[turn], a->turn < 8 ? 0.0 : 0.5, random);
  }
  qsort(list, (size_t)s->count, sizeof *list, by_key);
  for (int32_t i = 0; i < s->count; i++) s->rank[list[i].id] = i;
  free(list);
  return true;
}

// ---- an attempt ----

static void reset(sky *s) {
  memset(s->rest, 0, (size_t)s->section_count * sizeof *s->rest);
  memset(s->cross, 0, (size_t)s->section_count * sizeof *s->cross);
  for (int32_t i = 0; i < s->section_count; i++) {
    s->sections[i] = (sky_section){0, 0, {i, i + 1}};
    s->weight[i] *= 0.9;
  }
  for (int32_t i = 0; i < s->count; i++) {
    const sky_item *x = &s->items[i];
    s->order[i] = s->place[i] = i;
    for (int32_t k = x->first; k < x->end; k++) {
      s->rest[k] += x->size;
      s->cross[k] += k > x->first;
    }
  }
  s->trail_count = s->stack_count = 0;
}

// Returns false where the capacity is below what one item or one section needs.
static bool set_capacity(sky *s, uint32_t capacity) {
  const uint32_t unit = (uint32_t)s->unit;
  int64_t most = 0;
  if (s->model->bound > capacity) return false;
  for (int32_t i = 0; i < s->count; i++) {
    sky_item *x = &s->items[i];
    const uint32_t room = capacity - s->model->problem->items[i].size;
    x->last = (int32_t)(room / unit);
    if (x->last + (int64_t)x->size > most) most = x->last + (int64_t)x->size;
  }
  s->capacity = most > MAX_UNITS ? MAX_UNITS : (int32_t)most;
  s->salt = pack_mix(capacity + UINT64_C(0x5851f42d4c957f2d));
  return true;
}

// Rounded sizes may add up to more than the capacity.
static bool is_overfull(const sky *s) {
  for (int32_t i = 0; i < s->section_count; i++) {
    if (s->rest[i] > s->capacity) return true;
  }
  return false;
}

int arn__sky_attempt(sky *s, pack_attempt *a) {
  uint64_t random = a->random;
  const uint64_t dice = pack_random(&random);
  if (!set_capacity(s, a->capacity)) return PACK_FAIL;
  if (!set_ranks(s, a, pack_random(&random))) return PACK_LIMIT;
  reset(s);
  if (is_overfull(s)) return PACK_FAIL;
  s->choice = a->turn < 8 ? 0u : dice % 8 < 3 ? (uint32_t)(dice % 8) : 3u;
  s->nodes = 0;
  s->node_limit = a->node_limit;
  s->deadline = a->deadline;
  const int found = arn__sky_search_all(s);
  a->nodes += s->nodes;
  if (found != PACK_DONE) return found;
  for (int32_t i = 0; i < s->count; i++) {
    a->offsets[i] = (uint32_t)s->offset[i] * (uint32_t)s->unit;
    a->regions[i] = 0;
  }
  return PACK_DONE;
}
