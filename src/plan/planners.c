// The heap-free planners: one loop, several orders.
#include "planner.h"

#define NOBODY UINT32_MAX
#define TOO_MANY UINT32_MAX

typedef bool (*goes_before)(const arn__buffer *a, const arn__buffer *b);

static bool born_earlier(const arn__buffer *a, const arn__buffer *b) {
  return a->first != b->first ? a->first < b->first : a->bytes > b->bytes;
}

static bool lower_id(const arn__buffer *a, const arn__buffer *b) { return a->tensor < b->tensor; }

static uint32_t next(const arn__planning *p, goes_before before) {
  uint32_t best = NOBODY;
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (b->offset != ARN__UNPLACED || !arn__buffer_is_placed_kind(b)) continue;
    if (best == NOBODY || before(b, arn__buffer_at(&p->buffers, best))) best = i;
  }
  return best;
}

// The one that most plans need.
static uint32_t next_largest(const arn__planning *p) {
  uint32_t best = NOBODY, best_bytes = 0;
  const arn__buffer *b = p->buffers.top;
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    b--;
    if (b->offset != ARN__UNPLACED || (best != NOBODY && b->bytes <= best_bytes)) continue;
    if (!arn__buffer_is_placed_kind(b)) continue;
    best = i;
    best_bytes = b->bytes;
  }
  return best;
}

static void forget_offsets(arn__planning *p) {
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (arn__buffer_is_placed_kind(b)) b->offset = ARN__UNPLACED;
  }
}

// Moves the region so that it starts at 0, and returns its bytes.
static uint32_t normalise(arn__planning *p, const arn__extent *e) {
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (arn__buffer_is_placed_kind(b)) b->offset -= e->low;
  }
  return e->high - e->low;
}

// Gives up, and returns TOO_MANY, where the plan gets no smaller than `limit`.
static uint32_t plan_in_order(arn__planning *p, goes_before before, uint32_t limit,
                              void (*fit)(const arn__planning *, uint32_t, arn__extent *)) {
  arn__extent e = {ARN__FIT_ORIGIN, ARN__FIT_ORIGIN};
  for (uint32_t i = next(p, before); i != NOBODY; i = next(p, before)) {
    fit(p, i, &e);
    if (e.high - e.low >= limit) return TOO_MANY;
  }
  return normalise(p, &e);
}

static uint32_t plan_largest_first(arn__planning *p) {
  arn__extent e = {ARN__FIT_ORIGIN, ARN__FIT_ORIGIN};
  for (uint32_t i = next_largest(p); i != NOBODY; i = next_largest(p)) arn__fit(p, i, &e);
  return normalise(p, &e);
}

// ---- interval colouring: a slot (colour) is shared by buffers that never meet; the slots lie side
// ---- by side. While colouring, `offset` holds the colour.

struct slot {
  uint32_t bytes;
  bool busy;
};

static struct slot look_at_slot(const arn__planning *p, uint32_t colour, const arn__buffer *mine) {
  struct slot s = {0, false};
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (!arn__buffer_is_placed_kind(b) || b->offset != colour) continue;
    if (b->bytes > s.bytes) s.bytes = b->bytes;
    if (mine && b->first <= mine->last && mine->first <= b->last) s.busy = true;
  }
  s.bytes = (s.bytes + p->alignment - 1) & ~(p->alignment - 1);
  return s;
}

// Returns the free slot that grows least, then wastes least; `colours` for a new one.
static uint32_t choose_colour(const arn__planning *p, const arn__buffer *b, uint32_t colours) {
  uint32_t best = colours, best_growth = b->bytes, best_waste = 0;
  for (uint32_t c = 0; c < colours; c++) {
    const struct slot s = look_at_slot(p, c, b);
    if (s.busy) continue;
    const uint32_t growth = b->bytes > s.bytes ? b->bytes - s.bytes : 0;
    const uint32_t waste = s.bytes > b->bytes ? s.bytes - b->bytes : 0;
    if (growth < best_growth || (growth == best_growth && waste < best_waste)) {
      best = c;
      best_growth = growth;
      best_waste = waste;
    }
  }
  return best;
}

static uint32_t plan_colours(arn__planning *p) {
  uint32_t colours = 0;
  for (uint32_t i = next(p, born_earlier); i != NOBODY; i = next(p, born_earlier)) {
    arn__buffer *b = arn__buffer_at(&p->buffers, i);
    b->offset = choose_colour(p, b, colours);
    if (b->offset == colours) colours++;
  }
  // Replace colours by offsets, the last colour first, so that no offset is mistaken for a colour:
  // offsets get the top bit until all are done.
  uint32_t base = 0, bytes = 0;
  for (uint32_t c = 0; c < colours; c++) {
    const uint32_t slot_bytes = look_at_slot(p, c, NULL).bytes;
    for (uint32_t i = 0; i < p->buffers.count; i++) {
      arn__buffer *b = arn__buffer_at(&p->buffers, i);
      if (!arn__buffer_is_placed_kind(b) || b->offset != c) continue;
      b->offset = base | 1u << 31;
      if (base + b->bytes > bytes) bytes = base + b->bytes;
    }
    base += slot_bytes;
  }
  const arn__extent e = {1u << 31, (1u << 31) + bytes};
  return normalise(p, &e);
}

// ---- the best of them ---------------------------------------------------------------------------

static uint32_t aligned(const arn__planning *p, uint32_t bytes) {
  return (bytes + p->alignment - 1) & ~(p->alignment - 1);
}

// The most bytes that buffer `i` can have in common with its partner.
static uint32_t shared_with_partner(const arn__planning *p, uint32_t i) {
  const arn__buffer *out = arn__buffer_at(&p->buffers, i);
  if (out->kind != ARN__BUFFER_TENSOR || out->distance == 0) return 0;
  const arn__buffer *in = arn__buffer_at(&p->buffers, i - out->distance);
  if (in->last != out->first || !arn__buffer_is_placed_kind(in)) return 0;
  const uint32_t own = aligned(p, out->bytes), theirs = aligned(p, in->bytes);
  const uint32_t lag = out->link == ARN__LAG_NONE ? UINT32_MAX : out->link * ARN__LAG_UNIT;
  const uint32_t by_rows = lag < own ? own - lag : 0, most = out->in_place ? own : by_rows;
  return most < theirs ? most : theirs;
}

// Bytes that no plan can do without: with what outputs may share with their partners, and without.
struct least {
  uint32_t sharing, apart;
};

// Those alive when buffer `at` is born.
static struct least least_at(const arn__planning *p, uint32_t at) {
  const uint32_t now = arn__buffer_at(&p->buffers, at)->first;
  uint32_t sum = 0, shared = 0, slack = 0;
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (b->first > now || b->last < now || !arn__buffer_is_placed_kind(b)) continue;
    const uint32_t whole = aligned(p, b->bytes);
    sum += whole;
    if (whole - b->bytes > slack) slack = whole - b->bytes;  // the topmost may end anywhere
    if (b->first == now) shared += shared_with_partner(p, i);
  }
  sum -= slack;
  return (struct least){p->overlap ? sum - shared : sum, sum};
}

static struct least least_bytes(const arn__planning *p) {
  struct least least = {0, 0};
  uint32_t before = UINT32_MAX;
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (b->first == before) continue;
    before = b->first;
    const struct least now = least_at(p, i);
    if (now.sharing > least.sharing) least.sharing = now.sharing;
    if (now.apart > least.apart) least.apart = now.apart;
  }
  return least;
}

static void keep_offsets(const arn__planning *p) {
  if (p->spare == NULL) return;
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    p->spare[i] = arn__buffer_at(&p->buffers, i)->offset;
  }
}

static void restore_offsets(const arn__planning *p) {
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    arn__buffer_at(&p->buffers, i)->offset = p->spare[i];
  }
}

static uint32_t plan_below(arn__planning *p, arn_planner planner, uint32_t limit) {
  const bool overlap = p->overlap;
  uint32_t bytes;
  forget_offsets(p);
  switch (planner) {
    case ARN_PLANNER_LIFETIME: return plan_in_order(p, born_earlier, limit, arn__fit);
    case ARN_PLANNER_COLOUR: return plan_colours(p);
    case ARN_PLANNER_ID:
      p->overlap = false;
      bytes = plan_in_order(p, lower_id, limit, arn__fit_upwards);
      p->overlap = overlap;
      return bytes;
    default: return plan_largest_first(p);
  }
}

uint32_t arn__plan_with(arn__planning *p, arn_planner planner) {
  return plan_below(p, planner, TOO_MANY);
}

// The first planner wins most often. The others are tried where they might do better: the last two
// know of no overlap.
uint32_t arn__plan_best(arn__planning *p) {
  arn_planner best = ARN_PLANNER_GREEDY;
  uint32_t best_bytes = arn__plan_with(p, best);
  const struct least least = least_bytes(p);
  if (best_bytes <= least.sharing) return best_bytes;
  const int last = best_bytes > least.apart ? ARN_PLANNER_ID : ARN_PLANNER_LIFETIME;
  keep_offsets(p);
  for (int i = ARN_PLANNER_LIFETIME; i <= last; i++) {
    const uint32_t bytes = plan_below(p, (arn_planner)i, best_bytes);
    if (bytes >= best_bytes) continue;
    best = (arn_planner)i;
    best_bytes = bytes;
    keep_offsets(p);
  }
  if (p->spare == NULL) return arn__plan_with(p, best);
  restore_offsets(p);
  return best_bytes;
}

uint32_t arn__plan_rest(arn__planning *p) {
  arn__extent e = {ARN__FIT_ORIGIN, ARN__FIT_ORIGIN};
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (!arn__buffer_is_placed_kind(b) || b->offset == ARN__UNPLACED) continue;
    if (b->offset + b->bytes > e.high) e.high = b->offset + b->bytes;
  }
  for (uint32_t i = next_largest(p); i != NOBODY; i = next_largest(p)) arn__fit_upwards(p, i, &e);
  return normalise(p, &e);
}
