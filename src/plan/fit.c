// Finding a place for one buffer among those already placed.
//
// Each placed buffer that is alive at the same time forbids an open interval of offsets. Scanning
// upwards from the low end of the occupied interval, and jumping out of every forbidden interval,
// ends at the lowest free place; scanning downwards from the high end ends at the highest one,
// which may lie below everything placed so far. A chain of layers with overlapping outputs walks
// downwards that way. Of the two (and the partner's own place, where in place is allowed) the one
// that makes the region grow least is taken. Offsets are relative to ARN__FIT_ORIGIN until all are
// placed.
#include "planner.h"

// Offsets x with low < x < high are forbidden, except x == hole.
struct forbidden {
  uint32_t low, high, hole;
};

static bool alive_together(const arn__buffer *a, const arn__buffer *b) {
  return a->first <= b->last && b->first <= a->last;
}

// Says whether `out` (index o) may overlap `in` (index i): its partner, which dies in its node.
static bool are_partners(uint32_t o, const arn__buffer *out, uint32_t i, const arn__buffer *in) {
  return out->kind == ARN__BUFFER_TENSOR && out->distance > 0 && o - i == out->distance &&
         in->last == out->first;
}

static uint32_t lag_bytes(const arn__buffer *out, uint32_t otherwise) {
  return out->link == ARN__LAG_NONE ? otherwise : out->link * ARN__LAG_UNIT;
}

static struct forbidden forbidden_by(const arn__planning *p, uint32_t mine, uint32_t other) {
  const arn__buffer *m = arn__buffer_at(&p->buffers, mine);
  const arn__buffer *o = arn__buffer_at(&p->buffers, other);
  struct forbidden f = {o->offset - m->bytes, o->offset + o->bytes, ARN__UNPLACED};
  if (!p->overlap) return f;
  if (are_partners(mine, m, other, o)) {
    const uint32_t lag = lag_bytes(m, m->bytes);
    if (lag < m->bytes) f.low = o->offset - lag;
    if (m->in_place) f.hole = o->offset;
  } else if (are_partners(other, o, mine, m)) {
    const uint32_t lag = lag_bytes(o, o->bytes);
    if (lag < o->bytes) f.high = o->offset + lag;
    if (o->in_place) f.hole = o->offset;
  }
  return f;
}

// Says whether `o` is placed, and alive together with `m`.
static inline bool hinders(const arn__buffer *m, const arn__buffer *o) {
  return o->offset != ARN__UNPLACED && o != m && alive_together(m, o) &&
         arn__buffer_is_placed_kind(o) && o->bytes > 0 && m->bytes > 0;
}

static bool inside(const struct forbidden *f, uint32_t x) {
  return x > f->low && x < f->high && x != f->hole;
}

bool arn__fit_conflicts(const arn__planning *p, uint32_t a, uint32_t b) {
  const arn__buffer *mine = arn__buffer_at(&p->buffers, a);
  if (!hinders(mine, arn__buffer_at(&p->buffers, b))) return false;
  const struct forbidden f = forbidden_by(p, a, b);
  return inside(&f, mine->offset);
}

// Returns the first free offset at or above x (upwards), or at or below it. Most buffers are far
// from x: what a buffer may forbid at most (without overlap) is looked at first.
static uint32_t scan(const arn__planning *p, uint32_t index, uint32_t x, bool upwards) {
  const uint32_t mask = p->alignment - 1;
  const arn__buffer *mine = arn__buffer_at(&p->buffers, index);
  bool moved = true;
  while (moved) {
    moved = false;
    const arn__buffer *other = p->buffers.top;
    for (uint32_t k = 0; k < p->buffers.count; k++) {
      other--;
      if (x >= other->offset + other->bytes || x + mine->bytes <= other->offset) continue;
      if (!hinders(mine, other)) continue;
      const struct forbidden f = forbidden_by(p, index, k);
      if (!inside(&f, x)) continue;
      x = upwards ? (f.high + mask) & ~mask : f.low & ~mask;
      moved = true;
    }
  }
  return x;
}

static uint32_t growth(const arn__extent *e, uint32_t x, uint32_t bytes) {
  const uint32_t below = x < e->low ? e->low - x : 0;
  const uint32_t above = x + bytes > e->high ? x + bytes - e->high : 0;
  return below + above;
}

static void settle(const arn__planning *p, uint32_t index, uint32_t x, arn__extent *e) {
  arn__buffer *b = arn__buffer_at(&p->buffers, index);
  b->offset = x;
  if (x < e->low) e->low = x;
  if (x + b->bytes > e->high) e->high = x + b->bytes;
}

// Returns the offset of the buffer's partner where it may be computed in place there and nothing
// else is in the way; else x.
static uint32_t partner_place(const arn__planning *p, uint32_t index, uint32_t x) {
  const arn__buffer *b = arn__buffer_at(&p->buffers, index);
  if (!p->overlap || !b->in_place || b->distance == 0 || b->distance > index) return x;
  const uint32_t candidate = arn__buffer_at(&p->buffers, index - b->distance)->offset;
  if (candidate == ARN__UNPLACED || (candidate & (p->alignment - 1)) != 0) return x;
  return scan(p, index, candidate, true) == candidate ? candidate : x;
}

void arn__fit(const arn__planning *p, uint32_t index, arn__extent *e) {
  const uint32_t bytes = arn__buffer_at(&p->buffers, index)->bytes;
  const uint32_t mask = p->alignment - 1;
  const uint32_t up = scan(p, index, e->low, true);
  uint32_t best = partner_place(p, index, up);
  if (growth(e, up, bytes) < growth(e, best, bytes)) best = up;
  if (growth(e, best, bytes) > 0) {
    const uint32_t down = scan(p, index, (e->high - bytes) & ~mask, false);
    if (growth(e, down, bytes) < growth(e, best, bytes)) best = down;
  }
  settle(p, index, best, e);
}

void arn__fit_upwards(const arn__planning *p, uint32_t index, arn__extent *e) {
  settle(p, index, scan(p, index, e->low, true), e);
}
