// Branching, jumping back and remembering. The state is changed in place and undone from a trail.
#include "host/search/pack_sky.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 4000u              // frames of recursion; deeper searches stop with PACK_LIMIT
#define CLOCK_NODES 64u              // nodes between looks at the clock

// A choice: a section of a valley [from, to) whose floor is `floor`.
struct choice {
  int32_t section, from, to, floor;
  int32_t raised;                    // the floor if no candidate stands on it; -1: dominated
  size_t first;                      // of the candidates in s->stack
  int32_t count;
};

static int search(sky *s, sky_part part, uint32_t depth);

// ---- state ----

void arn__sky_set(sky *s, int32_t section, sky_section value) {
  if (s->trail_count == s->trail_room) {
    const size_t room = 2 * s->trail_room + 256;
    sky_change *trail = realloc(s->trail, room * sizeof *trail);
    if (trail == NULL) {
      s->no_memory = true;           // ends the search: see is_over
      s->trail_count = 0;
      return;
    }
    s->trail = trail;
    s->trail_room = room;
  }
  s->trail[s->trail_count++] = (sky_change){section, s->sections[section]};
  s->sections[section] = value;
}

void arn__sky_undo(sky *s, size_t mark) {
  while (s->trail_count > mark) {
    const sky_change *c = &s->trail[--s->trail_count];
    s->sections[c->section] = c->old;
  }
}

static void push(sky *s, int32_t value) {
  if (s->stack_count == s->stack_room) {
    const size_t room = 2 * s->stack_room + 256;
    int32_t *stack = realloc(s->stack, room * sizeof *stack);
    if (stack == NULL) {
      s->no_memory = true;
      return;
    }
    s->stack = stack;
    s->stack_room = room;
  }
  s->stack[s->stack_count++] = value;
}

static bool is_over(sky *s, uint32_t depth) {
  if (s->no_memory || depth > MAX_DEPTH || s->nodes >= s->node_limit) return true;
  if (s->nodes % CLOCK_NODES == 0 && arn__pack_cpu_seconds() > s->deadline) s->node_limit = 0;
  return s->node_limit == 0;
}

static void swap_order(sky *s, int32_t a, int32_t b) {
  const int32_t x = s->order[a], y = s->order[b];
  s->order[a] = y;
  s->order[b] = x;
  s->place[y] = a;
  s->place[x] = b;
}

// Stands an item on the floor; it leaves the part (to the end of the part's stretch of `order`).
static void put(sky *s, sky_part *part, int32_t id, int32_t floor) {
  const sky_item *item = &s->items[id];
  const int32_t top = floor + item->size;
  s->offset[id] = floor;
  part->count--;
  swap_order(s, s->place[id], part->base + part->count);
  for (int32_t i = item->first; i < item->end; i++) {
    arn__sky_set(s, i, (sky_section){top, top, {i, i + 1}});
    s->rest[i] -= item->size;
    s->cross[i]--;
  }
  s->cross[item->first]++;
}

static void take(sky *s, int32_t id, size_t mark) {
  const sky_item *item = &s->items[id];
  arn__sky_undo(s, mark);
  for (int32_t i = item->first; i < item->end; i++) {
    s->rest[i] += item->size;
    s->cross[i]++;
  }
  s->cross[item->first]--;
}

// ---- independent parts ----

// Moves the items that end by `end` to the front of the part. Returns how many.
static int32_t gather(sky *s, const sky_part *part, int32_t end) {
  int32_t front = part->base;
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    if (s->items[s->order[i]].end <= end) swap_order(s, i, front++);
  }
  return front - part->base;
}

// Cuts the part where nothing unplaced crosses; pushes the pieces that hold items on the stack.
static int32_t cut(sky *s, sky_part part) {
  int32_t parts = 0;
  for (int32_t i = part.first + 1; i <= part.end && part.count; i++) {
    if (i < part.end && s->cross[i] > 0) continue;
    const int32_t count = gather(s, &part, i);
    if (count) {
      push(s, part.first);
      push(s, i);
      push(s, part.base);
      push(s, count);
      parts++;
    }
    part = (sky_part){i, part.end, part.base + count, part.count - count};
  }
  return parts;
}

static sky_part part_at(const sky *s, size_t at) {
  return (sky_part){s->stack[at], s->stack[at + 1], s->stack[at + 2], s->stack[at + 3]};
}

// Moves the part with the fewest items to the front of those left.
static sky_part smallest_part(sky *s, size_t at, int32_t parts) {
  size_t best = at;
  for (int32_t k = 1; k < parts; k++) {
    if (s->stack[at + 4 * (size_t)k + 3] < s->stack[best + 3]) best = at + 4 * (size_t)k;
  }
  const sky_part part = part_at(s, best), front = part_at(s, at);
  memcpy(s->stack + best, &front, sizeof front);
  return part;
}

static int search_parts(sky *s, sky_part part, uint32_t depth) {
  const size_t mark = s->stack_count;
  int found = PACK_DONE;
  int32_t parts = cut(s, part);
  if (s->no_memory) return PACK_LIMIT;
  for (size_t at = mark; parts > 0 && found == PACK_DONE; at += 4, parts--) {
    found = search(s, smallest_part(s, at, parts), depth + 1);
  }
  s->stack_count = mark;
  return found;
}

// ---- remembered failures ----

static sky_memo *memo_of(sky *s, const sky_part *part, uint64_t *check) {
  uint64_t key = s->salt, other = ~s->salt;
  for (int32_t i = part->base; i < part->base + part->count; i++) key += s->items[s->order[i]].key;
  for (int32_t i = part->first; i < part->end; i++) {
    const sky_section *x = &s->sections[i];
    const uint64_t word = (uint64_t)(uint32_t)x->floor << 32 | (uint32_t)x->top;
    key = (key ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 32;
    other = (other + word) * UINT64_C(0xd6e8feb86659fd93) + (other >> 29);
  }
  key = pack_mix(key + (uint64_t)(uint32_t)part->first);
  *check = pack_mix(other ^ key);
  return &s->memo[key & s->memo_mask & ~(uint64_t)1];
}

static bool recall(sky *s, sky_memo *slot, uint64_t check) {
  for (int k = 0; k < 2; k++) {
    if (slot[k].key != s->salt || slot[k].check != check) continue;
    s->failure = arn__sky_close_hull(s, slot[k].why);
    return true;
  }
  return false;
}

static void remember(sky *s, sky_memo *slot, uint64_t check) {
  slot[1] = slot[0];
  slot[0] = (sky_memo){s->salt, check, s->failure};
}

// ---- choosing ----

static void find_valleys(sky *s, const sky_part *part) {
  for (int32_t a = part->first, b; a < part->end; a = b) {
    const int32_t floor = s->sections[a].floor;
    for (b = a + 1; b < part->end && s->sections[b].floor == floor;) b++;
    const bool is_valley = (a == part->first || s->sections[a - 1].floor > floor) &&
                           (b == part->end || s->sections[b].floor > floor);
    for (int32_t i = a; i < b; i++) {
      s->valley[i] = is_valley ? a : -1;
      s->valley_end[i] = b;
    }
  }
}

static bool is_candidate(const sky *s, int32_t id) {
  const sky_item *item = &s->items[id];
  return s->valley[item->first] >= 0 && item->end <= s->valley_end[item->first] &&
         s->low[id] == s->sections[item->first].floor;
}

// Smaller is tried first. A section with a single way on is always taken at once.
static double urgency(const sky *s, int32_t section, int32_t ways) {
  const int32_t floor = s->sections[section].floor;
  const int32_t slack = s->capacity - floor - s->rest[section];
  if (ways <= 1) return -1.0;
  switch (s->choice) {
    case 0: return (double)ways * 4096.0 + 1024.0 * floor / s->capacity;
    case 1: return (double)floor * 64.0 + ways;
    case 2: return (double)ways * 4096.0 + 1024.0 * slack / s->capacity;
    default: return (double)ways / (s->weight[section] + 1e-3);
  }
}

static int32_t choose_section(sky *s, const sky_part *part) {
  double best = 0;
  int32_t section = -1, ways = 0;
  memset(s->delta + part->first, 0, (size_t)(part->end - part->first + 1) * sizeof *s->delta);
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t id = s->order[i];
    if (!is_candidate(s, id)) continue;
    s->delta[s->items[id].first]++;
    s->delta[s->items[id].end]--;
  }
  for (int32_t i = part->first; i < part->end; i++) {
    ways += s->delta[i];
    if (s->valley[i] < 0) continue;
    const int32_t waste = s->sections[i].floor + s->rest[i] < s->capacity;
    const double u = urgency(s, i, ways + waste);
    if (section >= 0 && u >= best) continue;
    best = u;
    section = i;
  }
  return section;
}

static bool covers(const sky *s, int32_t id, int32_t section) {
  return s->items[id].first <= section && section < s->items[id].end;
}

static bool is_known(const sky *s, const struct choice *c, int32_t id) {
  const sky_item *a = &s->items[id];
  for (int32_t k = 0; k < c->count; k++) {
    const sky_item *b = &s->items[s->stack[c->first + (size_t)k]];
    if (a->first == b->first && a->end == b->end && a->size == b->size &&
        a->alignment == b->alignment && a->last == b->last) {
      return true;
    }
  }
  return false;
}

// An item that rests only on waste could slide down: some other branch has that placement.
static bool is_supported(const sky *s, int32_t id, int32_t floor) {
  const sky_item *item = &s->items[id];
  int32_t top = 0;
  for (int32_t i = item->first; i < item->end; i++) {
    if (s->sections[i].top > top) top = s->sections[i].top;
  }
  return sky_align(top, item->alignment) == floor;
}

// Candidates of the chosen section by rank. One of several equal items stands for all.
static void list_candidates(sky *s, const sky_part *part, struct choice *c) {
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t id = s->order[i];
    if (!covers(s, id, c->section) || !is_candidate(s, id)) continue;
    if (!is_supported(s, id, c->floor) || is_known(s, c, id)) continue;
    push(s, id);
    if (s->no_memory) return;
    int32_t *list = s->stack + c->first, k = c->count++;
    for (; k > 0 && s->rank[list[k - 1]] > s->rank[id]; k--) list[k] = list[k - 1];
    list[k] = id;
  }
}

// ---- waste: what if no candidate stands on the floor of the chosen section? ----

// How low an item can be, by the valley and its walls alone.
static int32_t base_of(const sky *s, const struct choice *c, int32_t id) {
  int32_t base = c->floor;
  if (s->items[id].first < c->from && s->sections[c->from - 1].floor > base) {
    base = s->sections[c->from - 1].floor;
  }
  if (s->items[id].end > c->to && s->sections[c->to].floor > base) base = s->sections[c->to].floor;
  return base;
}

static bool is_refused(const sky *s, const struct choice *c, int32_t id) {
  return covers(s, id, c->section) && is_candidate(s, id);
}

static bool is_in_valley(const sky *s, const struct choice *c, int32_t id) {
  return s->items[id].first < c->to && s->items[id].end > c->from;
}

// The next floor of the section: where an item leans on a wall, or a refused candidate on another
// item.
static int32_t next_floor(const sky *s, const sky_part *part, const struct choice *c) {
  int32_t next = INT32_MAX;
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t id = s->order[i];
    if (!is_in_valley(s, c, id) || is_refused(s, c, id)) continue;
    const int32_t base = base_of(s, c, id);
    const int32_t lift = covers(s, id, c->section) ? 0 : s->items[id].size;
    if (base + lift < next) next = base + lift;
  }
  // An item that its alignment lifts has base == floor: the floor must rise all the same.
  return next > c->floor ? next : c->floor + 1;
}

// Could anything be in a refused candidate's way, once it is to lie above `next`? Otherwise it
// slides down.
static bool is_blocked(const sky *s, const sky_part *part, const struct choice *c, int32_t id,
                       int32_t next) {
  const sky_item *item = &s->items[id];
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t other = s->order[i];
    const sky_item *o = &s->items[other];
    if (other == id || o->first >= item->end || item->first >= o->end) continue;
    int32_t base = base_of(s, c, other);
    if (covers(s, other, c->section) && base < next) base = next;
    if (base < c->floor + item->size) return true;
  }
  return false;
}

static int32_t raised_floor(const sky *s, const sky_part *part, const struct choice *c) {
  if (c->floor + s->rest[c->section] >= s->capacity) return -1;
  const int32_t next = next_floor(s, part, c);
  if (next == INT32_MAX || next + s->rest[c->section] > s->capacity) return -1;
  for (int32_t i = part->base; i < part->base + part->count; i++) {
    const int32_t id = s->order[i];
    if (is_refused(s, c, id) && !is_blocked(s, part, c, id, next)) return -1;
  }
  return next;
}

// ---- the search ----

// After a failed branch that changed sections [from, to): false where the failure does not depend
// on them, so that no other branch can help either. Otherwise joins its reasons to `why`.
static bool is_to_blame(sky *s, int32_t from, int32_t to, sky_hull *why) {
  const bool blamed = s->failure.to > from && s->failure.from < to;
  s->failure = arn__sky_close_hull(s, s->failure);
  if (blamed) *why = sky_join(*why, s->failure);
  return blamed;
}

static int try_item(sky *s, sky_part part, int32_t id, int32_t floor, uint32_t depth) {
  const size_t mark = s->trail_count;
  put(s, &part, id, floor);
  const int found = search_parts(s, part, depth);
  take(s, id, mark);
  return found;
}

static int try_waste(sky *s, sky_part part, const struct choice *c, uint32_t depth) {
  const size_t mark = s->trail_count;
  sky_section now = s->sections[c->section];
  now.floor = c->raised;
  now.why = (sky_hull){c->section, c->section + 1};
  arn__sky_set(s, c->section, now);
  const int found = search(s, part, depth + 1);
  arn__sky_undo(s, mark);
  return found;
}

static int branch(sky *s, sky_part part, const struct choice *c, uint32_t depth) {
  sky_hull why = {c->from > part.first ? c->from - 1 : c->from,
                  c->to < part.end ? c->to + 1 : c->to};
  why = s->is_aligned ? (sky_hull){part.first, part.end} : arn__sky_close_hull(s, why);
  for (int32_t k = 0; k < c->count; k++) {
    const int32_t id = s->stack[c->first + (size_t)k];
    const int found = try_item(s, part, id, c->floor, depth);
    if (found != PACK_FAIL) return found;
    if (!is_to_blame(s, s->items[id].first, s->items[id].end, &why)) return PACK_FAIL;
  }
  if (c->raised >= 0) {
    const int found = try_waste(s, part, c, depth);
    if (found != PACK_FAIL) return found;
    if (!is_to_blame(s, c->section, c->section + 1, &why)) return PACK_FAIL;
  }
  s->failure = why;
  return PACK_FAIL;
}

static void blame(sky *s) {
  const double share = 1.0 / (s->failure.to - s->failure.from);
  for (int32_t i = s->failure.from; i < s->failure.to; i++) s->weight[i] += share;
}

static int search_inferred(sky *s, sky_part part, uint32_t depth) {
  uint64_t check;
  sky_memo *slot = memo_of(s, &part, &check);
  if (recall(s, slot, check)) return PACK_FAIL;
  struct choice c = {.first = s->stack_count};
  find_valleys(s, &part);
  c.section = choose_section(s, &part);
  c.from = s->valley[c.section];
  c.to = s->valley_end[c.section];
  c.floor = s->sections[c.section].floor;
  list_candidates(s, &part, &c);
  c.raised = raised_floor(s, &part, &c);
  const uint64_t before = s->nodes;
  const int found = s->no_memory ? PACK_LIMIT : branch(s, part, &c, depth);
  if (found == PACK_FAIL && s->nodes > before + 1) remember(s, slot, check);
  s->stack_count = c.first;
  return found;
}

static int search(sky *s, sky_part part, uint32_t depth) {
  const size_t mark = s->trail_count;
  int found = PACK_LIMIT;
  if (part.count == 0) return PACK_DONE;
  if (is_over(s, depth)) return PACK_LIMIT;
  s->nodes++;
  if (arn__sky_infer(s, &part)) {
    found = search_inferred(s, part, depth);
  } else {
    blame(s);
    found = PACK_FAIL;
  }
  arn__sky_undo(s, mark);
  return found;
}

int arn__sky_search_all(sky *s) {
  return search_parts(s, (sky_part){0, s->section_count, 0, s->count}, 0);
}
