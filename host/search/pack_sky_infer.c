// What follows from a skyline before anything is tried.
//
// 1. An item lies at or above the highest floor of its sections, aligned: low.
// 2. A section's floor is at least the smallest low of the unplaced items that are alive in it.
// These two feed each other until nothing changes. A section whose floor + rest passes the capacity
// fails; so does an unplaced item that would fit into waste under the floors (a smaller sum of
// offsets exists).
//
// Maxima over an item's sections come from a table of powers of two (two look-ups an item); minima
// over the items of a section from the same table run backwards. So a round costs O(items +
// sections log sections), however long the lifetimes are.
#include "host/search/pack_sky.h"

static int32_t level_of(int32_t length) {
  return 31 - __builtin_clz((unsigned)length);
}

static int32_t *level(const sky *s, int32_t k) {
  return s->table + (size_t)k * (size_t)(s->section_count + 1);
}

static void build_max(const sky *s, int32_t from, int32_t to) {
  for (int32_t k = 1; 1 << k <= to - from; k++) {
    const int32_t *a = level(s, k - 1), half = 1 << (k - 1);
    int32_t *out = level(s, k);
    for (int32_t i = from; i + (1 << k) <= to; i++) {
      out[i] = a[i] > a[i + half] ? a[i] : a[i + half];
    }
  }
}

static int32_t range_max(const sky *s, int32_t from, int32_t to) {
  const int32_t k = level_of(to - from);
  const int32_t *a = level(s, k);
  const int32_t x = a[from], y = a[to - (1 << k)];
  return x > y ? x : y;
}

static void fill_floors(const sky *s, const sky_part *part) {
  int32_t *a = level(s, 0);
  for (int32_t i = part->first; i < part->end; i++) a[i] = s->sections[i].floor;
  build_max(s, part->first, part->end);
}

sky_hull arn__sky_close_hull(const sky *s, sky_hull hull) {
  sky_hull all = hull;
  for (int32_t i = hull.from; i < hull.to; i++) all = sky_join(all, s->sections[i].why);
  return all;
}

static bool fail(sky *s, const sky_part *part, sky_hull why) {
  s->failure = s->is_aligned ? (sky_hull){part->first, part->end} : arn__sky_close_hull(s, why);
  return false;
}

// Step 1. Needs the table of floors.
static bool find_lows(sky *s, const sky_part *part) {
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t id = s->order[i];
    const sky_item *item = &s->items[id];
    const int32_t low = sky_align(range_max(s, item->first, item->end), item->alignment);
    s->low[id] = low;
    if (low > item->last) return fail(s, part, (sky_hull){item->first, item->end});
  }
  return true;
}

// The smallest low of each section, into level 0.
static void spread_lows(const sky *s, const sky_part *part) {
  const int32_t top = level_of(part->end - part->first);
  for (int32_t k = 0; k <= top; k++) {
    int32_t *a = level(s, k);
    for (int32_t i = part->first; i < part->end; i++) a[i] = INT32_MAX;
  }
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t id = s->order[i], low = s->low[id];
    const sky_item *item = &s->items[id];
    const int32_t k = level_of(item->end - item->first);
    int32_t *a = level(s, k), *x = a + item->first, *y = a + item->end - (1 << k);
    if (low < *x) *x = low;
    if (low < *y) *y = low;
  }
  for (int32_t k = top; k > 0; k--) {
    const int32_t *a = level(s, k), half = 1 << (k - 1);
    int32_t *out = level(s, k - 1);
    for (int32_t i = part->first; i + (1 << k) <= part->end; i++) {
      if (a[i] < out[i]) out[i] = a[i];
      if (a[i] < out[i + half]) out[i + half] = a[i];
    }
  }
}

// Every item of section i leans on the nearest floor of at least `value` to one side or the other.
static sky_hull why_raised(const sky *s, const sky_part *part, int32_t i, int32_t value) {
  sky_hull why = sky_join(s->sections[i].why, (sky_hull){i, i + 1});
  int32_t a = i - 1, b = i + 1;
  if (s->is_aligned) return (sky_hull){part->first, part->end};
  while (a >= part->first && s->sections[a].floor < value) a--;
  while (b < part->end && s->sections[b].floor < value) b++;
  if (a >= part->first) why = sky_join(why, s->sections[a].why);
  if (b < part->end) why = sky_join(why, s->sections[b].why);
  return why;
}

// Step 2. Returns how many floors rose, or -1 after a failure.
static int32_t raise_floors(sky *s, const sky_part *part) {
  const int32_t *least = level(s, 0);
  int32_t raised = 0;
  for (int32_t i = part->first; i < part->end; i++) {
    sky_section now = s->sections[i];
    if (now.floor >= least[i]) continue;
    now.why = why_raised(s, part, i, least[i]);
    now.floor = least[i];
    arn__sky_set(s, i, now);
    raised++;
    if (now.floor + s->rest[i] > s->capacity) {
      fail(s, part, now.why);
      return -1;
    }
  }
  return raised;
}

// No unplaced item may fit into the waste of all its sections. Minima of floors are maxima of
// negatives.
static bool waste_is_needed(sky *s, const sky_part *part) {
  int32_t *a = level(s, 0);
  bool wasted = false;
  for (int32_t i = part->first; i < part->end; i++) {
    a[i] = s->sections[i].floor - s->sections[i].top;
    wasted |= a[i] > 0;
  }
  if (!wasted) return true;
  build_max(s, part->first, part->end);
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const sky_item *item = &s->items[s->order[i]];
    if (range_max(s, item->first, item->end) < item->size) continue;
    int32_t top = 0, floor = INT32_MAX;
    for (int32_t k = item->first; k < item->end; k++) {
      if (s->sections[k].top > top) top = s->sections[k].top;
      if (s->sections[k].floor < floor) floor = s->sections[k].floor;
    }
    if (sky_align(top, item->alignment) + item->size <= floor) {
      return fail(s, part, (sky_hull){item->first, item->end});
    }
  }
  return true;
}

bool arn__sky_infer(sky *s, const sky_part *part) {
  int32_t raised = 1;
  while (raised) {
    fill_floors(s, part);
    if (!find_lows(s, part)) return false;
    spread_lows(s, part);
    raised = raise_floors(s, part);
    if (raised < 0) return false;
  }
  return waste_is_needed(s, part);
}
