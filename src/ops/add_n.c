// ADD_N: the sum of two or more tensors of one shape.
#include "../kernels/add_n.h"
#include "../kernels/lanes.h"

#include "movement.h"
#include "quantised.h"

#define PIECE (ARN__LANES > 1 ? 256u : 48u)  // sums at a time: 192 bytes of stack, hosts have more
#define HALVED 19   // int8 inputs are shifted left by 20, and halved: their scale is the larger one
#define MOST_S8 15  // inputs of int8: more could leave 31 bits

typedef struct add_n_state {
  uint32_t row_count;  // elements
  uint8_t type;
  int8_t shift;
  int16_t zero_in, zero_out, spare;
  int32_t q;
} add_n_state;

static arn_status check_input(const arn_prepare *p, uint32_t i, const arn_tensor *first) {
  arn_tensor t;
  ARN__TRY(arn_prepare_input(p, i, &t));
  if (t.type != first->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &t);
  if (!arn__rows_same_shape(&t, first)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  const bool same = t.scale_count == first->scale_count &&
                    arn_tensor_scale(p->model, &t, 0) == arn_tensor_scale(p->model, first, 0) &&
                    arn_tensor_zero(p->model, &t, 0) == arn_tensor_zero(p->model, first, 0);
  return same ? ARN_OK : arn_refuse(p, ARN_WHAT_QUANTISATION, &t);
}

static arn_status derive_scales(const arn_prepare *p, add_n_state *s, const arn_tensor *in,
                                const arn_tensor *out) {
  float scale_in, scale_out;
  int32_t zero_in, zero_out;
  if (p->node->input_count > MOST_S8) return arn_refuse(p, ARN_WHAT_LIMIT, NULL);
  ARN__TRY(arn__quantised_read(p, in, &scale_in, &zero_in));
  ARN__TRY(arn__quantised_read(p, out, &scale_out, &zero_out));
  const double twice = 2.0 * (double)scale_in;
  const arn__requant r = arn__requant_of(twice / ((double)(1 << 20) * (double)scale_out));
  if (r.shift > 0) return arn_refuse(p, ARN_WHAT_SCALE, out);
  s->q = r.q;
  s->shift = (int8_t)r.shift;
  s->zero_in = (int16_t)zero_in;
  s->zero_out = (int16_t)zero_out;
  return ARN_OK;
}

static arn_status add_n_prepare(arn_prepare *p, void *state) {
  add_n_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 2, UINT16_MAX, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  for (uint32_t i = 1; i < p->node->input_count; i++) ARN__TRY(check_input(p, i, &in));
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__movement_by_rows(p, &out);
  p->in_place = UINT32_MAX;
  memset(s, 0, sizeof *s);
  s->row_count = out.count / p->rows;
  s->type = out.type;
  if (s->type == ARN_INT8) return derive_scales(p, s, &in, &out);
  p->state_bytes = offsetof(add_n_state, zero_in) + 2;
  return ARN_OK;
}

static void add_n_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  *in = out;
}

// The reference starts its sum with a quantised 0, which stands for minus the zero point: one zero
// point more than there are inputs. So do its cases.
static void write_s8(const add_n_state *s, int8_t *out, const int32_t *sums, uint32_t count,
                     uint32_t inputs) {
  const arn__add_n_params params = {
      .start = -(int32_t)(inputs + 1) * s->zero_in,
      .shift = HALVED,
      .to_out = {s->q, s->shift},
      .clamp = {INT8_MIN - s->zero_out, INT8_MAX - s->zero_out},
      .zero_out = s->zero_out};
  arn__add_n_write_s8(out, sums, count, &params);
}

// Elements [at, at + count) of row `r`.
typedef struct piece {
  uint32_t r, at, count;
} piece;

static const void *piece_of(const arn_eval *e, const add_n_state *s, uint32_t input, piece p) {
  const uint32_t bytes = s->type == ARN_INT8 ? 1 : 4;
  const arn_rows in = arn_eval_input(e, input, bytes * s->row_count);
  return arn_row(&in, p.r) + (size_t)p.at * bytes;
}

static void add_s8(const arn_eval *e, const add_n_state *s, int8_t *out, piece p) {
  int32_t sums[PIECE] = {0};
  for (uint32_t i = 0; i < e->input_count; i++) {
    arn__add_n_gather_s8(sums, piece_of(e, s, i, p), p.count);
  }
  write_s8(s, out, sums, p.count, e->input_count);
}

// The output may lie where any input does: the last sums alone go there.
static void add_words(const arn_eval *e, const add_n_state *s, void *out, piece p) {
  union {
    int32_t s32[PIECE];
    float f32[PIECE];
  } sums;
  const void *so_far = piece_of(e, s, 0, p);
  for (uint32_t i = 1; i < e->input_count; i++) {
    const void *in = piece_of(e, s, i, p);
    void *to = i + 1u == e->input_count ? out : &sums;
    if (s->type == ARN_INT32) arn__add_n_s32(to, so_far, in, p.count);
    else arn__add_n_f32(to, so_far, in, p.count);
    so_far = &sums;
  }
}

static void add_piece(const arn_eval *e, const add_n_state *s, piece p) {
  const uint32_t bytes = s->type == ARN_INT8 ? 1 : 4;
  const arn_rows out = arn_eval_output(e, 0, bytes * s->row_count);
  uint8_t *to = arn_row(&out, p.r) + (size_t)p.at * bytes;
  if (s->type == ARN_INT8) add_s8(e, s, (int8_t *)to, p);
  else add_words(e, s, to, p);
}

static arn_status add_n_eval(const arn_eval *e, const void *state) {
  const add_n_state *s = state;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    for (uint32_t at = 0; at < s->row_count; at += PIECE) {
      const uint32_t left = s->row_count - at;
      add_piece(e, s, (piece){r, at, left < PIECE ? left : PIECE});
    }
  }
  return ARN_OK;
}

const arn_op arn_op_add_n = {"ADD_N", 106, sizeof(add_n_state),
                             ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) |
                                 ARN_TYPE_BIT(ARN_INT32),
                             0, NULL, add_n_prepare, add_n_rows, add_n_eval};
