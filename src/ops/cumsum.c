// CUMSUM: running sums along an axis, each including its own element or (exclusive) not, from the
// front or (reverse) from the back.
#include "../kernels/fixed.h"
#include "movement.h"
#include "quantised.h"

// A row of the output: [groups][depth][inner]; sums run along depth.
typedef struct cumsum_state {
  uint32_t groups, depth, inner;
  uint8_t type, element;
  uint8_t exclusive, reverse;
  int16_t in_zero, out_zero;  // int8
  arn__requant requant;       // int8: of a sum times 2^19
} cumsum_state;

// One running sum: elements `step` apart, at the same places in input and output.
typedef struct scan {
  const uint8_t *in;
  uint8_t *out;
  ptrdiff_t step;   // bytes; negative in reverse
  uint32_t depth;
  bool exclusive;
} scan;

// ---- sums ---------------------------------------------------------------------------------------

// Neighbours whose sums run side by side.
#define LANES 8

// `lanes` is constant. An element is read before its sum is written: input and output may be the
// same memory.
ARN__INLINE void scan_lanes_f32(scan s, uint32_t lanes) {
  float sums[LANES] = {0}, x[LANES];
  for (uint32_t i = 0; i < s.depth; i++) {
    memcpy(x, s.in + (ptrdiff_t)i * s.step, lanes * sizeof x[0]);
    if (s.exclusive) memcpy(s.out + (ptrdiff_t)i * s.step, sums, lanes * sizeof x[0]);
    for (uint32_t k = 0; k < lanes; k++) sums[k] += x[k];
    if (!s.exclusive) memcpy(s.out + (ptrdiff_t)i * s.step, sums, lanes * sizeof x[0]);
  }
}

// Sums wrap.
ARN__INLINE void scan_lanes_32(scan s, uint32_t lanes) {
  uint32_t sums[LANES] = {0}, x[LANES];
  for (uint32_t i = 0; i < s.depth; i++) {
    memcpy(x, s.in + (ptrdiff_t)i * s.step, lanes * sizeof x[0]);
    if (s.exclusive) memcpy(s.out + (ptrdiff_t)i * s.step, sums, lanes * sizeof x[0]);
    for (uint32_t k = 0; k < lanes; k++) sums[k] += x[k];
    if (!s.exclusive) memcpy(s.out + (ptrdiff_t)i * s.step, sums, lanes * sizeof x[0]);
  }
}

static void scan_f32(const scan *s, uint32_t lanes) {
  if (lanes == LANES) scan_lanes_f32(*s, LANES);
  else scan_lanes_f32(*s, 1);
}

static void scan_32(const scan *s, uint32_t lanes) {
  if (lanes == LANES) scan_lanes_32(*s, LANES);
  else scan_lanes_32(*s, 1);
}

static void scan_64(const scan *s) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < s->depth; i++) {
    uint64_t x;
    memcpy(&x, s->in + (ptrdiff_t)i * s->step, sizeof x);
    if (s->exclusive) memcpy(s->out + (ptrdiff_t)i * s->step, &sum, sizeof sum);
    sum += x;
    if (!s->exclusive) memcpy(s->out + (ptrdiff_t)i * s->step, &sum, sizeof sum);
  }
}

// The reference keeps sums times 2^19, which larger ones do not fit: they are scaled without.
static int8_t quantise_sum(const cumsum_state *c, int32_t sum) {
  const arn__clamp range = {INT8_MIN, INT8_MAX};
  const arn__requant unscaled = {c->requant.q, c->requant.shift + 19};
  int32_t scaled;
  if (sum > -4096 && sum < 4096) {
    scaled = arn__requantise(sum * (1 << 19), c->requant);
  } else if (unscaled.shift > 0) {
    scaled = sum < 0 ? -1000 : 1000;
  } else {
    scaled = arn__requantise(sum, unscaled);
  }
  return (int8_t)arn__clamp_s32(arn__clamp_s32(scaled, (arn__clamp){-1000, 1000}) + c->out_zero,
                                range);
}

// Sums of int8 saturate, at what no output can tell from more.
static int32_t add_saturating(int32_t sum, int32_t x) {
  const int32_t most = INT32_MAX / 2;
  sum += x;
  return sum > most ? most : (sum < -most ? -most : sum);
}

#define BLOCK 32u  // sums that are quantised together

// Of sums that all fit: a loop that vectorises.
ARN__KERNEL static void quantise_small(const cumsum_state *c, int32_t *sums) {
  const arn__requant r = c->requant;
  const int32_t zero = c->out_zero;
  for (uint32_t i = 0; i < BLOCK; i++) {
    const int32_t high = arn__fixed_mul(sums[i] * (1 << 19), r.q);
    const int32_t y = arn__rounding_divide(high, -r.shift) + zero;
    sums[i] = y < INT8_MIN ? INT8_MIN : y > INT8_MAX ? INT8_MAX : y;
  }
}

static void quantise_sums(const cumsum_state *c, int32_t *sums, uint32_t n) {
  bool small = n == BLOCK;
  for (uint32_t i = 0; i < n; i++) small = small && sums[i] > -4096 && sums[i] < 4096;
  if (small) {
    quantise_small(c, sums);
  } else {
    for (uint32_t i = 0; i < n; i++) sums[i] = quantise_sum(c, sums[i]);
  }
}

static void scan_s8(const scan *s, const cumsum_state *c) {
  int32_t sum = -c->in_zero;  // the reference's idea of 0
  for (uint32_t at = 0; at < s->depth; at += BLOCK) {
    const uint32_t n = s->depth - at < BLOCK ? s->depth - at : BLOCK;
    const ptrdiff_t from = (ptrdiff_t)at * s->step;
    int32_t sums[BLOCK];
    for (uint32_t i = 0; i < n; i++) {
      const int32_t x = (int8_t)s->in[from + (ptrdiff_t)i * s->step];
      const int32_t after = add_saturating(sum, x - c->in_zero);
      sums[i] = s->exclusive ? sum : after;
      sum = after;
    }
    quantise_sums(c, sums, n);
    for (uint32_t i = 0; i < n; i++) s->out[from + (ptrdiff_t)i * s->step] = (uint8_t)sums[i];
  }
}

static void run_scan(const scan *s, const cumsum_state *c, uint32_t lanes) {
  switch (c->type) {
    case ARN_FLOAT32: scan_f32(s, lanes); break;
    case ARN_INT32: scan_32(s, lanes); break;
    case ARN_INT64: scan_64(s); break;
    default: scan_s8(s, c);
  }
}

// ---- prepare ------------------------------------------------------------------------------------

static arn_status prepare_scales(const arn_prepare *p, cumsum_state *s, const arn_tensor *in,
                                 const arn_tensor *out) {
  float in_scale, out_scale;
  int32_t in_zero, out_zero;
  ARN__TRY(arn__quantised_read(p, in, &in_scale, &in_zero));
  ARN__TRY(arn__quantised_read(p, out, &out_scale, &out_zero));
  s->requant = arn__requant_of(2.0 * (double)in_scale / ((1 << 20) * (double)out_scale));
  if (s->requant.shift > 0) return arn_refuse(p, ARN_WHAT_SCALE, out);
  s->in_zero = (int16_t)in_zero;
  s->out_zero = (int16_t)out_zero;
  return ARN_OK;
}

static arn_status cumsum_prepare(arn_prepare *p, void *state) {
  cumsum_state *s = state;
  arn_tensor in, out;
  uint32_t axis;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_axis_input(p, 1, in.rank, &axis));
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->depth = (uint32_t)in.dims[axis];
  s->inner = arn__movement_product(&in, axis + 1, in.rank);
  s->groups = arn__movement_product(&in, 0, axis);
  s->type = in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->exclusive = arn_option_u8(p, 0, 0) != 0;
  s->reverse = arn_option_u8(p, 1, 0) != 0;
  p->in_place = 1;
  arn__movement_by_rows(p, &out);
  if (s->groups % p->rows == 0) {
    s->groups /= p->rows;
  } else {  // sums run across rows
    p->work = ARN_WHOLE;
    p->rows = 1;
  }
  return in.type == ARN_INT8 ? prepare_scales(p, s, &in, &out) : ARN_OK;
}

// ---- rows and eval ------------------------------------------------------------------------------

static void cumsum_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 0 ? out : (arn_span){0, 1};
}

// How many sums to run at once, where `left` are to be run.
static uint32_t lanes_of(const cumsum_state *c, uint32_t left) {
  return c->element == 4 && left >= LANES ? LANES : 1;
}

static void sum_row(const cumsum_state *c, const uint8_t *in, uint8_t *out) {
  const uint32_t step = c->inner * c->element;
  const ptrdiff_t direction = c->reverse ? -(ptrdiff_t)step : (ptrdiff_t)step;
  for (uint32_t g = 0; g < c->groups; g++) {
    const uint32_t group = g * c->depth * step + (c->reverse ? (c->depth - 1) * step : 0);
    for (uint32_t i = 0, lanes; i < c->inner; i += lanes) {
      lanes = lanes_of(c, c->inner - i);
      const uint32_t at = group + i * c->element;
      const scan s = {in + at, out + at, direction, c->depth, c->exclusive};
      run_scan(&s, c, lanes);
    }
  }
}

static arn_status cumsum_eval(const arn_eval *e, const void *state) {
  const cumsum_state *c = state;
  const uint32_t row_bytes = c->groups * c->depth * c->inner * c->element;
  const arn_rows in = arn_eval_input(e, 0, row_bytes), out = arn_eval_output(e, 0, row_bytes);
  if (row_bytes == 0) return ARN_OK;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    sum_row(c, arn_row(&in, r), arn_row(&out, r));
  }
  return ARN_OK;
}

const arn_op arn_op_cumsum = {"CUMSUM", 128, sizeof(cumsum_state),
                              ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) |
                                  ARN_TYPE_BIT(ARN_INT64) | ARN_TYPE_BIT(ARN_INT8),
                              0, NULL, cumsum_prepare, cumsum_rows, cumsum_eval};
