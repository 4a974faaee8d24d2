// The heap-free planners: one loop, several orders.
#include "planner.h"

#define NOBODY UINT32_MAX

typedef bool (*goes_before)(const arn__buffer *a, const arn__buffer *b);

static bool larger(const arn__buffer *a, const arn__buffer *b) { return a->bytes > b->bytes; }

static bool born_earlier(const arn__buffer *a, const arn__buffer *b) {
  return a->first != b->first ? a->first < b->first : a->bytes > b->bytes;
}

static bool lower_id(const arn__buffer *a, const arn__buffer *b) { return a->tensor < b->tensor; }

static uint32_t next(const arn__planning *p, goes_before before) {
  uint32_t best = NOBODY;
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (!arn__buffer_is_placed_kind(b) || b->offset != ARN__UNPLACED) continue;
    if (best == NOBODY || before(b, arn__buffer_at(&p->buffers, best))) best = i;
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

static uint32_t plan_in_order(arn__planning *p, goes_before before,
                              void (*fit)(const arn__planning *, uint32_t, arn__extent *)) {
  arn__extent e = {ARN__FIT_ORIGIN, ARN__FIT_ORIGIN};
  for (uint32_t i = next(p, before); i != NOBODY; i = next(p, before)) fit(p, i, &e);
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

uint32_t arn__plan_with(arn__planning *p, arn_planner planner) {
  const bool overlap = p->overlap;
  uint32_t bytes;
  forget_offsets(p);
  switch (planner) {
    case ARN_PLANNER_LIFETIME: bytes = plan_in_order(p, born_earlier, arn__fit); break;
    case ARN_PLANNER_COLOUR: bytes = plan_colours(p); break;
    case ARN_PLANNER_ID:
      p->overlap = false;
      bytes = plan_in_order(p, lower_id, arn__fit_upwards);
      p->overlap = overlap;
      break;
    default: bytes = plan_in_order(p, larger, arn__fit); break;
  }
  return bytes;
}

// The first planner wins most often: it comes last, so that its plan then stands without another
// run.
uint32_t arn__plan_best(arn__planning *p) {
  arn_planner best = ARN_PLANNER_ID;
  uint32_t best_bytes = UINT32_MAX;
  for (int i = ARN_PLANNER_ID; i >= ARN_PLANNER_GREEDY; i--) {
    const uint32_t bytes = arn__plan_with(p, (arn_planner)i);
    if (bytes > best_bytes) continue;
    best = (arn_planner)i;
    best_bytes = bytes;
  }
  return best == ARN_PLANNER_GREEDY ? best_bytes : arn__plan_with(p, best);
}

uint32_t arn__plan_rest(arn__planning *p) {
  arn__extent e = {ARN__FIT_ORIGIN, ARN__FIT_ORIGIN};
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    const arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (!arn__buffer_is_placed_kind(b) || b->offset == ARN__UNPLACED) continue;
    if (b->offset + b->bytes > e.high) e.high = b->offset + b->bytes;
  }
  for (uint32_t i = next(p, larger); i != NOBODY; i = next(p, larger)) arn__fit_upwards(p, i, &e);
  return normalise(p, &e);
}
