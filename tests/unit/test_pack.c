// The packing search, against a brute force that shares nothing with it and against the judge.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants the four above
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/search/pack.h"
#include "host/search/pack_csv.h"

#define MAX_ITEMS 8u
#define MAX_PIECES 3u

static uint64_t state = 1;

static uint32_t below(uint32_t n) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % n;
}

// ---- brute force: every offset of every item, the bytes of each step as bits ----

#define STEPS 16u

struct brute {
  const arn_pack_problem *p;
  uint32_t capacity;
  uint64_t bits[MAX_ITEMS][STEPS];   // bytes above the offset that are the item's
  uint32_t offsets[MAX_ITEMS];
  uint8_t regions[MAX_ITEMS];
};

static void add_bits(uint64_t *bits, uint32_t lower, uint32_t upper, uint32_t low, uint32_t high) {
  for (uint32_t step = lower; step < upper; step++) {
    assert_true(step < STEPS && high < 32);
    for (uint32_t byte = low; byte < high; byte++) bits[step] |= UINT64_C(1) << byte;
  }
}

static void list_bits(struct brute *b) {
  for (uint32_t i = 0; i < b->p->count; i++) {
    const arn_pack_item *x = &b->p->items[i];
    if (x->piece_count == 0) add_bits(b->bits[i], x->lower, x->upper, 0, x->size);
    for (uint32_t k = 0; k < x->piece_count; k++) {
      const arn_pack_piece *q = &x->pieces[k];
      add_bits(b->bits[i], q->lower, q->upper, q->low, q->high);
    }
  }
}

static uint32_t top_of(const arn_pack_item *item) {
  uint32_t top = item->size;
  for (uint32_t i = 0; i < item->piece_count; i++) {
    if (item->pieces[i].high > top) top = item->pieces[i].high;
  }
  return top;
}

static const arn_pack_rule *rule_of(const arn_pack_problem *p, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < p->rule_count; i++) {
    const arn_pack_rule *r = &p->rules[i];
    if ((r->upper == a && r->lower == b) || (r->upper == b && r->lower == a)) return r;
  }
  return NULL;
}

static bool pair_is_fine(const struct brute *b, uint32_t i, uint32_t k) {
  const arn_pack_problem *p = b->p;
  if (b->regions[i] != b->regions[k]) return true;
  const arn_pack_rule *r = rule_of(p, i, k);
  if (r) {
    const int64_t upper = b->offsets[r->upper], lower = b->offsets[r->lower];
    return upper >= lower + r->distance || upper + top_of(&p->items[r->upper]) <= lower;
  }
  for (uint32_t step = 0; step < STEPS; step++) {
    if (b->bits[i][step] << b->offsets[i] & b->bits[k][step] << b->offsets[k]) return false;
  }
  return true;
}

static bool fits_at(struct brute *b, uint32_t i) {
  for (uint32_t k = 0; k < i; k++) {
    if (!pair_is_fine(b, i, k)) return false;
  }
  return true;
}

static bool brute_from(struct brute *b, uint32_t i) {
  const arn_pack_problem *p = b->p;
  if (i == p->count || i == MAX_ITEMS) return true;
  const arn_pack_item *item = &p->items[i];
  const uint32_t regions = p->region_count ? p->region_count : 1;
  const uint32_t step = item->alignment ? item->alignment : 1;
  for (uint32_t r = 0; r < regions; r++) {
    if (!((item->regions ? item->regions : 1u) >> r & 1u)) continue;
    const uint32_t capacity = r ? p->capacities[r] : b->capacity;
    for (uint32_t at = 0; at + top_of(item) <= capacity; at += step) {
      if (item->fixed != ARN_PACK_FREE && item->fixed != at) continue;
      b->offsets[i] = at;
      b->regions[i] = (uint8_t)r;
      if (fits_at(b, i) && brute_from(b, i + 1)) return true;
    }
  }
  return false;
}

static bool brute_fits(const arn_pack_problem *p, uint32_t capacity) {
  struct brute b = {.p = p, .capacity = capacity};
  list_bits(&b);
  return brute_from(&b, 0);
}

// ---- random problems ----

struct sample {
  arn_pack_problem problem;
  arn_pack_item items[MAX_ITEMS];
  arn_pack_piece pieces[MAX_ITEMS][MAX_PIECES];
  arn_pack_rule rules[2];
  uint32_t capacities[2];
};

enum { PLAIN = 0, ALIGNED = 1, GROUPS = 2, FIXED = 4, REGIONS = 8, RULES = 16 };

// A group that dies from the front, as rows do, with a hole at times.
static void make_group(struct sample *s, uint32_t i) {
  arn_pack_item *item = &s->items[i];
  uint32_t step = item->lower, low = 0;
  const uint32_t high = item->size + 1;
  item->piece_count = 1 + below(MAX_PIECES);
  for (uint32_t k = 0; k < item->piece_count; k++) {
    const uint32_t length = 1 + below(2);
    s->pieces[i][k] = (arn_pack_piece){step, step + length, low, high};
    step += length;
    if (low + 1 < high) low += below(2);
    if (below(6) == 0) low = 0;
  }
  item->pieces = s->pieces[i];
  item->lower = item->upper = item->size = 0;
}

static void make_item(struct sample *s, uint32_t i, uint32_t kinds, uint32_t sizes) {
  arn_pack_item *item = &s->items[i];
  const uint32_t lower = below(7);
  *item = (arn_pack_item){.lower = lower, .upper = lower + 1 + below(5), .size = 1 + below(sizes),
                          .fixed = ARN_PACK_FREE};
  if (kinds & ALIGNED) item->alignment = below(3) ? 1 + below(3) : 0;
  if (kinds & REGIONS) item->regions = below(4);
  if ((kinds & GROUPS) && below(2)) make_group(s, i);
  if ((kinds & FIXED) && below(4) == 0) {
    item->fixed = below(4) * (item->alignment ? item->alignment : 1);
  }
}

static void make_sample(struct sample *s, uint32_t kinds, uint32_t count, uint32_t sizes) {
  memset(s, 0, sizeof *s);
  for (uint32_t i = 0; i < count; i++) make_item(s, i, kinds, sizes);
  s->problem = (arn_pack_problem){.items = s->items, .count = count};
  if (kinds & REGIONS) {
    s->capacities[1] = 1 + below(5);
    s->problem.region_count = 2;
    s->problem.capacities = s->capacities;
  }
  if ((kinds & RULES) && count > 2) {
    s->rules[0] = (arn_pack_rule){0, 1, (int32_t)below(9) - 3};
    s->rules[1] = (arn_pack_rule){2, 0, (int32_t)below(9) - 3};
    s->problem.rules = s->rules;
    s->problem.rule_count = 1 + below(2);
  }
}

static uint32_t brute_least(const arn_pack_problem *p, uint32_t most) {
  for (uint32_t c = 0; c <= most; c++) {
    if (brute_fits(p, c)) return c;
  }
  return UINT32_MAX;
}

// Minimum, its proof, and the question asked at, under and over the minimum.
static void compare(const arn_pack_problem *p) {
  uint32_t offsets[MAX_ITEMS];
  uint8_t regions[MAX_ITEMS];
  arn_pack_result result = {.offsets = offsets, .regions = regions};
  const arn_pack_options options = {.capacity = 24, .budget_seconds = 20, .seed = 3};
  const uint32_t least = brute_least(p, 24);
  const arn_pack_verdict verdict = arn_pack_minimize(p, &options, &result);
  if (least == UINT32_MAX) {
    assert_int_equal(verdict, ARN_PACK_INFEASIBLE);
    return;
  }
  assert_int_equal(verdict, ARN_PACK_SOLVED);
  assert_int_equal(result.height, least);
  assert_int_equal(arn_pack_check(p, least, offsets, regions, NULL), ARN_PACK_OK);
  assert_true(arn_pack_bound(p) <= least);
  for (uint32_t c = least ? least - 1 : 1; c <= least + 1; c++) {
    const arn_pack_options at = {.capacity = c, .budget_seconds = 20, .seed = 5};
    const bool fits = c >= least;
    if (c == 0) continue;
    assert_int_equal(arn_pack_solve(p, &at, &result),
                     fits ? ARN_PACK_SOLVED : ARN_PACK_INFEASIBLE);
    if (fits) assert_int_equal(arn_pack_check(p, c, offsets, regions, NULL), ARN_PACK_OK);
  }
}

static void compare_many(uint32_t kinds, uint32_t rounds, uint32_t count, uint32_t sizes) {
  for (uint32_t i = 0; i < rounds; i++) {
    struct sample s;
    state = 1000u * kinds + i;
    make_sample(&s, kinds, 1 + below(count), sizes);
    compare(&s.problem);
  }
}

static void test_brute_plain(void **unused) {
  (void)unused;
  compare_many(PLAIN, 1500, 7, 3);
  compare_many(PLAIN, 300, 6, 5);
}

static void test_brute_aligned(void **unused) {
  (void)unused;
  compare_many(ALIGNED, 800, 6, 4);
}

static void test_brute_groups(void **unused) {
  (void)unused;
  compare_many(GROUPS, 400, 5, 3);
  compare_many(GROUPS | ALIGNED, 300, 5, 3);
}

static void test_brute_fixed(void **unused) {
  (void)unused;
  compare_many(FIXED | ALIGNED, 400, 5, 3);
  compare_many(FIXED | GROUPS, 300, 5, 3);
}

static void test_brute_regions(void **unused) {
  (void)unused;
  compare_many(REGIONS, 400, 5, 3);
}

static void test_brute_all(void **unused) {
  (void)unused;
  compare_many(RULES, 400, 5, 3);
  compare_many(RULES | GROUPS | FIXED | REGIONS | ALIGNED, 500, 5, 3);
}

// ---- examples ----

static arn_pack_item rectangle(uint32_t lower, uint32_t upper, uint32_t size) {
  return (arn_pack_item){.lower = lower, .upper = upper, .size = size, .fixed = ARN_PACK_FREE};
}

// The group's bottom half dies at step 2: the small item then fits under the rest of it.
static void test_group_gives_back(void **unused) {
  (void)unused;
  const arn_pack_piece pieces[] = {{0, 2, 0, 8}, {2, 4, 4, 8}};
  arn_pack_item items[] = {{.pieces = pieces, .piece_count = 2, .fixed = 0}, rectangle(2, 4, 4)};
  const arn_pack_problem p = {.items = items, .count = 2};
  uint32_t offsets[2];
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.budget_seconds = 5};
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 8);
  assert_int_equal(offsets[0], 0);
  assert_int_equal(offsets[1], 0);
}

// A rule with a distance lets an output trail its input, as in-place operators do.
static void test_rule_overlaps(void **unused) {
  (void)unused;
  const arn_pack_item items[] = {rectangle(0, 2, 10), rectangle(1, 3, 10)};
  const arn_pack_rule rule = {1, 0, 3};
  arn_pack_problem p = {.items = items, .count = 2, .rules = &rule, .rule_count = 1};
  uint32_t offsets[2];
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.budget_seconds = 5};
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 13);
  p.rule_count = 0;
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 20);
}

static void test_regions_are_used(void **unused) {
  (void)unused;
  arn_pack_item items[] = {rectangle(0, 2, 10), rectangle(0, 2, 6)};
  const uint32_t capacities[] = {0, 6};
  items[0].regions = items[1].regions = 3;
  const arn_pack_problem p = {
      .items = items, .count = 2, .region_count = 2, .capacities = capacities};
  uint32_t offsets[2];
  uint8_t regions[2];
  arn_pack_result r = {.offsets = offsets, .regions = regions};
  const arn_pack_options o = {.budget_seconds = 5};
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 10);
  assert_int_equal(regions[0], 0);
  assert_int_equal(regions[1], 1);
}

// With one alignment for all, the top item's end is not rounded up.
static void test_end_is_not_rounded(void **unused) {
  (void)unused;
  arn_pack_item items[] = {rectangle(0, 2, 17), rectangle(0, 2, 5)};
  items[0].alignment = items[1].alignment = 16;
  const arn_pack_problem p = {.items = items, .count = 2};
  uint32_t offsets[2];
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.budget_seconds = 5};
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 33);
  assert_int_equal(offsets[1], 0);
}

static void test_nothing_to_place(void **unused) {
  (void)unused;
  uint32_t offsets[1];
  const arn_pack_problem p = {.count = 0};
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.budget_seconds = 1};
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 0);
}

// ---- bad problems ----

static void expect_invalid(arn_pack_item item, const arn_pack_rule *rule) {
  const arn_pack_item items[] = {rectangle(0, 1, 1), item};
  const arn_pack_problem p = {
      .items = items, .count = 2, .rules = rule, .rule_count = rule != NULL};
  uint32_t offsets[2];
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.capacity = 100, .budget_seconds = 1};
  assert_int_equal(arn_pack_solve(&p, &o, &r), ARN_PACK_INVALID);
  assert_non_null(r.reason);
  assert_int_equal(r.item, rule ? 0 : 1);
  assert_int_equal(arn_pack_bound(&p), 0);
}

static void test_invalid(void **unused) {
  (void)unused;
  static const arn_pack_piece torn[] = {{0, 2, 0, 4}, {1, 3, 2, 6}};
  arn_pack_item item = rectangle(3, 3, 1);
  expect_invalid(item, NULL);
  item = rectangle(0, 1, 0);
  expect_invalid(item, NULL);
  item = rectangle(0, 1, ARN_PACK_MAX_BYTES + 1);
  expect_invalid(item, NULL);
  item = rectangle(0, 1, 1);
  item.regions = 2;
  expect_invalid(item, NULL);
  item = rectangle(0, 1, 1);
  item.fixed = 3;
  item.alignment = 2;
  expect_invalid(item, NULL);
  expect_invalid((arn_pack_item){.pieces = torn, .piece_count = 2, .fixed = ARN_PACK_FREE}, NULL);
  const arn_pack_rule rules[] = {{0, 2, 1}, {1, 1, 1}, {0, 1, INT32_MAX}};
  for (int i = 0; i < 3; i++) expect_invalid(rectangle(0, 1, 1), &rules[i]);
}

// Sums of sizes far above 2^32, and offsets near the limit.
static void test_large_numbers(void **unused) {
  (void)unused;
  static arn_pack_item items[64];
  static uint32_t offsets[64];
  for (int i = 0; i < 64; i++) items[i] = rectangle(0, UINT32_MAX, ARN_PACK_MAX_BYTES - 1u);
  arn_pack_problem p = {.items = items, .count = 64};
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.capacity = ARN_PACK_MAX_BYTES, .budget_seconds = 1};
  assert_int_equal(arn_pack_solve(&p, &o, &r), ARN_PACK_INFEASIBLE);
  items[1] = rectangle(0, UINT32_MAX, 1);
  p.count = 2;
  assert_int_equal(arn_pack_solve(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, ARN_PACK_MAX_BYTES);
  items[0].fixed = 0;
  assert_int_equal(arn_pack_solve(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(offsets[1], ARN_PACK_MAX_BYTES - 1u);
}

// ---- the judge ----

static void test_judge(void **unused) {
  (void)unused;
  arn_pack_item items[] = {rectangle(0, 2, 4), rectangle(1, 3, 4), rectangle(2, 4, 4)};
  const arn_pack_problem p = {.items = items, .count = 3};
  arn_pack_report at;
  assert_int_equal(arn_pack_check(&p, 8, (uint32_t[]){0, 4, 0}, NULL, &at), ARN_PACK_OK);
  assert_int_equal(arn_pack_check(&p, 8, (uint32_t[]){0, 3, 0}, NULL, &at), ARN_PACK_OVERLAP);
  assert_int_equal(at.first + at.second, 1);
  assert_int_equal(arn_pack_check(&p, 8, (uint32_t[]){0, 4, 5}, NULL, &at), ARN_PACK_OVER_CAPACITY);
  assert_int_equal(at.first, 2);
  items[1].alignment = 8;
  assert_int_equal(arn_pack_check(&p, 8, (uint32_t[]){0, 4, 0}, NULL, &at), ARN_PACK_MISALIGNED);
  items[1].alignment = 0;
  items[1].fixed = 0;
  assert_int_equal(arn_pack_check(&p, 8, (uint32_t[]){0, 4, 0}, NULL, &at), ARN_PACK_MOVED);
  items[1].fixed = ARN_PACK_FREE;
  assert_int_equal(arn_pack_check(&p, 8, (uint32_t[]){0, 4, 0}, (uint8_t[]){0, 1, 0}, &at),
                   ARN_PACK_WRONG_REGION);
  const arn_pack_rule rule = {1, 0, 5};
  const arn_pack_problem ruled = {.items = items, .count = 3, .rules = &rule, .rule_count = 1};
  assert_int_equal(arn_pack_check(&ruled, 9, (uint32_t[]){0, 4, 0}, NULL, &at),
                   ARN_PACK_BROKEN_RULE);
  assert_int_equal(arn_pack_check(&ruled, 9, (uint32_t[]){0, 5, 0}, NULL, &at), ARN_PACK_OK);
}

// The judge against a comparison of all pairs, on placements that are mostly wrong.
static void test_judge_random(void **unused) {
  (void)unused;
  uint32_t wrong = 0;
  for (uint32_t round = 0; round < 4000; round++) {
    struct sample s;
    uint32_t offsets[MAX_ITEMS];
    state = 77 + round;
    make_sample(&s, round % 2 ? GROUPS : PLAIN, 2 + below(5), 3);
    struct brute b = {.p = &s.problem, .capacity = 24};
    list_bits(&b);
    for (uint32_t i = 0; i < s.problem.count; i++) offsets[i] = b.offsets[i] = below(12);
    bool fine = true;
    for (uint32_t i = 0; i < s.problem.count; i++) fine = fine && fits_at(&b, i);
    const arn_pack_fault fault = arn_pack_check(&s.problem, 24, offsets, NULL, NULL);
    assert_int_equal(fault, fine ? ARN_PACK_OK : ARN_PACK_OVERLAP);
    wrong += !fine;
  }
  assert_true(wrong > 1000 && wrong < 3900);
}

// ---- larger problems: no brute force, but the judge, and what was cut must fit ----

// Cuts a square of 64 steps and 64 bytes into rectangles: the square is the minimum.
static uint32_t cut_square(arn_pack_item *items, uint32_t most) {
  uint32_t count = 1;
  items[0] = rectangle(0, 64, 64);
  while (count < most) {
    const uint32_t i = below(count), width = items[i].upper - items[i].lower;
    if (below(2) && width > 1) {
      const uint32_t at = items[i].lower + 1 + below(width - 1);
      items[count] = rectangle(at, items[i].upper, items[i].size);
      items[i].upper = at;
    } else if (items[i].size > 1) {
      const uint32_t part = 1 + below(items[i].size - 1);
      items[count] = rectangle(items[i].lower, items[i].upper, items[i].size - part);
      items[i].size = part;
    } else {
      continue;
    }
    count++;
  }
  return count;
}

static void test_cut_squares(void **unused) {
  (void)unused;
  arn_pack_item items[48];
  uint32_t offsets[48];
  for (uint32_t round = 0; round < 40; round++) {
    state = 9000 + round;
    const arn_pack_problem p = {.items = items, .count = cut_square(items, 12 + round % 24)};
    arn_pack_result r = {.offsets = offsets};
    const arn_pack_options o = {.budget_seconds = 10, .seed = round};
    assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
    assert_int_equal(r.height, 64);
    assert_int_equal(arn_pack_check(&p, 64, offsets, NULL, NULL), ARN_PACK_OK);
  }
}

static void make_many(arn_pack_item *items, uint32_t count, uint32_t steps) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t lower = below(steps);
    items[i] = rectangle(lower, lower + 1 + below(8), 1 + below(50));
  }
}

// More items than the skyline takes, and one stack of items that makes the search deep.
static void test_many(void **unused) {
  (void)unused;
  static arn_pack_item items[5000];
  static uint32_t offsets[5000];
  state = 4;
  make_many(items, 5000, 9000);
  arn_pack_problem p = {.items = items, .count = 5000};
  arn_pack_result r = {.offsets = offsets};
  const arn_pack_options o = {.capacity = 2000, .budget_seconds = 20};
  assert_int_equal(arn_pack_solve(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(arn_pack_check(&p, 2000, offsets, NULL, NULL), ARN_PACK_OK);
  for (uint32_t i = 0; i < 2900; i++) items[i] = rectangle(i % 2, 2 + i % 3, 1);
  p.count = 2900;
  const arn_pack_options deep = {.capacity = 2900, .budget_seconds = 20};
  assert_int_equal(arn_pack_solve(&p, &deep, &r), ARN_PACK_SOLVED);
}

static void test_repeats(void **unused) {
  (void)unused;
  arn_pack_item items[60];
  uint32_t first[60], second[60];
  state = 21;
  make_many(items, 60, 40);
  const arn_pack_problem p = {.items = items, .count = 60};
  const arn_pack_options o = {.budget_seconds = 60, .budget_nodes = 4000, .seed = 8};
  arn_pack_result r = {.offsets = first}, again = {.offsets = second};
  const arn_pack_verdict verdict = arn_pack_minimize(&p, &o, &r);
  assert_int_equal(arn_pack_minimize(&p, &o, &again), verdict);
  assert_true(r.found);
  assert_int_equal(r.height, again.height);
  assert_int_equal(r.nodes, again.nodes);
  assert_memory_equal(first, second, sizeof first);
}

// ---- CSV ----

static bool parse_text(const char *text, pack_csv *csv, pack_csv_error *error) {
  return arn__csv_parse(csv, text, strlen(text), error);
}

static void test_csv_reads(void **unused) {
  (void)unused;
  pack_csv csv;
  pack_csv_error error;
  assert_true(parse_text("size, id ,upper,lower,offset\r\n4,b 1,3,0,8\r\n\r\n7,x,9,3,1", &csv,
                         &error));
  assert_int_equal(csv.count, 2);
  assert_true(csv.has_offsets);
  assert_string_equal(csv.ids[0], "b 1");
  assert_int_equal(csv.items[0].upper, 3);
  assert_int_equal(csv.items[1].size, 7);
  assert_int_equal(csv.offsets[0], 8);
  assert_int_equal(csv.lines[1], 4);
  char text[200] = {0};
  FILE *file = fmemopen(text, sizeof text, "w");
  assert_true(arn__csv_write(&csv, csv.offsets, file));
  fclose(file);
  assert_string_equal(text, "id,lower,upper,size,offset\nb 1,0,3,4,8\nx,3,9,7,1\n");
  arn__csv_free(&csv);
}

static void test_csv_refuses(void **unused) {
  (void)unused;
  static const struct {
    const char *text;
    uint32_t line;
    const char *what;
  } cases[] = {
      {"", 0, "no header"},
      {"id,lower,upper,size\n", 0, "no buffers"},
      {"id,lower,upper\n", 1, "does not name size"},
      {"id,lower,upper,size,size\n", 1, "twice"},
      {"id,lower,upper,size,gaps\n", 1, "gaps"},
      {"id,lower,upper,size\na,0,1\n", 2, "fewer fields"},
      {"id,lower,upper,size\na,0,1,1,9\n", 2, "more fields"},
      {"id,lower,upper,size\na,0,1,-4\n", 2, "\"-4\""},
      {"id,lower,upper,size\na,0,1,1e3\n", 2, "\"1e3\""},
      {"id,lower,upper,size\na,0,1,\n", 2, "no size"},
      {"id,lower,upper,size\na,0,1,99999999999999999999999\n", 2, "above 4294967295"},
      {"id,lower,upper,size\na,0,1,4294967296\n", 2, "above 4294967295"},
      {"id,lower,upper,size\na,0,1,4294967295\n", 2, "above 1 GiB"},
      {"id,lower,upper,size\na,0,1,0\n", 2, "size is 0"},
      {"id,lower,upper,size\n\na,3,3,5\n", 3, "not below"},
      {"id,lower,upper,size\n,3,4,5\n", 2, "no id"},
      {"id,lower,upper,size\na,0,1,1\nb,0,1,1\na,0,1,1\n", 4, "line 2"},
      {"id,lower,upper,size\n\"a\",0,1,1\n", 2, "quote"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pack_csv csv;
    pack_csv_error error = {0};
    assert_false(parse_text(cases[i].text, &csv, &error));
    assert_int_equal(error.line, cases[i].line);
    assert_non_null(strstr(error.what, cases[i].what));
    assert_null(csv.text);
  }
}

// Bytes changed at random: an answer every time, and the rows that are accepted obey the rules.
static void test_csv_hostile(void **unused) {
  (void)unused;
  static const char good[] = "id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,4,8\nb3,0,9,4,4\n";
  uint32_t accepted = 0;
  for (uint32_t round = 0; round < 20000; round++) {
    char text[sizeof good];
    pack_csv csv;
    pack_csv_error error = {0};
    state = round;
    memcpy(text, good, sizeof good);
    for (uint32_t k = below(4); k > 0; k--) text[below(sizeof good - 1)] = (char)below(256);
    if (!arn__csv_parse(&csv, text, below(sizeof good), &error)) {
      assert_true(error.what[0] != '\0');
      continue;
    }
    for (uint32_t i = 0; i < csv.count; i++) assert_true(csv.items[i].lower < csv.items[i].upper);
    accepted++;
    arn__csv_free(&csv);
  }
  assert_true(accepted > 100);
}

// ---- the public instances ----

#define INSTANCES "../shared/minimalloc/"

static bool load_instance(const char *name, pack_csv *csv) {
  char path[100];
  pack_csv_error error;
  snprintf(path, sizeof path, INSTANCES "%s", name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  const bool done = arn__csv_read(csv, file, &error);
  fclose(file);
  assert_true(done);
  return true;
}

static void solve_instance(const char *name, uint32_t capacity, double *seconds) {
  pack_csv csv;
  if (!load_instance(name, &csv)) {
    print_message("SKIPPED: " INSTANCES "%s is not there\n", name);
    skip();
  }
  uint32_t *offsets = calloc(csv.count, sizeof *offsets);
  const arn_pack_problem p = {.items = csv.items, .count = csv.count};
  const arn_pack_options o = {.capacity = capacity, .budget_seconds = 10};
  arn_pack_result r = {.offsets = offsets};
  assert_int_equal(arn_pack_solve(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(arn_pack_check(&p, capacity, offsets, NULL, NULL), ARN_PACK_OK);
  *seconds += r.seconds;
  free(offsets);
  arn__csv_free(&csv);
}

static void test_instances(void **unused) {
  (void)unused;
  double seconds = 0;
  solve_instance("input.12.csv", 12, &seconds);
  for (char name = 'A'; name <= 'K'; name++) {
    const char file[] = {name, '.', '1', '0', '4', '8', '5', '7', '6', '.', 'c', 's', 'v', '\0'};
    solve_instance(file, 1048576, &seconds);
  }
  print_message("eleven instances: %.2f s of CPU time\n", seconds);
}

static void test_minimum_of_c(void **unused) {
  (void)unused;
  pack_csv csv;
  if (!load_instance("C.1048576.csv", &csv)) {
    print_message("SKIPPED: " INSTANCES "C.1048576.csv is not there\n");
    skip();
  }
  uint32_t *offsets = calloc(csv.count, sizeof *offsets);
  const arn_pack_problem p = {.items = csv.items, .count = csv.count};
  const arn_pack_options o = {.budget_seconds = 20};
  arn_pack_result r = {.offsets = offsets};
  assert_int_equal(arn_pack_minimize(&p, &o, &r), ARN_PACK_SOLVED);
  assert_int_equal(r.height, 1039360);
  free(offsets);
  arn__csv_free(&csv);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_brute_plain),     cmocka_unit_test(test_brute_aligned),
      cmocka_unit_test(test_brute_groups),    cmocka_unit_test(test_brute_fixed),
      cmocka_unit_test(test_brute_regions),   cmocka_unit_test(test_brute_all),
      cmocka_unit_test(test_group_gives_back), cmocka_unit_test(test_rule_overlaps),
      cmocka_unit_test(test_regions_are_used), cmocka_unit_test(test_end_is_not_rounded),
      cmocka_unit_test(test_nothing_to_place), cmocka_unit_test(test_invalid),
      cmocka_unit_test(test_large_numbers),   cmocka_unit_test(test_judge),
      cmocka_unit_test(test_judge_random),    cmocka_unit_test(test_cut_squares),
      cmocka_unit_test(test_many),            cmocka_unit_test(test_repeats),
      cmocka_unit_test(test_csv_reads),       cmocka_unit_test(test_csv_refuses),
      cmocka_unit_test(test_csv_hostile),     cmocka_unit_test(test_instances),
      cmocka_unit_test(test_minimum_of_c)};
  return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
