// REAL, IMAG, COMPLEX_ABS: parts and magnitudes of complex numbers.
#include "../kernels/complex.h"
#include "movement.h"

typedef struct complex_state {
  uint32_t row_count;
  uint32_t part_bytes;
} complex_state;

static arn_status prepare_complex(arn_prepare *p, void *state) {
  complex_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> in.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &in);
  const uint32_t part = in.type == ARN_COMPLEX64 ? ARN_FLOAT32 : ARN_FLOAT64;
  if (out.type != part) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &out);
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__movement_by_rows(p, &out);
  p->in_place = 1;
  s->row_count = out.count / p->rows;
  s->part_bytes = arn_type_bytes((arn_type)part);
  return ARN_OK;
}

static void complex_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  *in = out;
}

static void eval_part(const arn_eval *e, const complex_state *s, uint32_t first_byte) {
  const arn_rows in = arn_eval_input(e, 0, 2 * s->row_count * s->part_bytes);
  const arn_rows out = arn_eval_output(e, 0, s->row_count * s->part_bytes);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    arn__complex_part(arn_row(&out, r), arn_row(&in, r) + first_byte, s->row_count, s->part_bytes);
  }
}

static arn_status eval_real(const arn_eval *e, const void *state) {
  eval_part(e, state, 0);
  return ARN_OK;
}

static arn_status eval_imag(const arn_eval *e, const void *state) {
  const complex_state *s = state;
  eval_part(e, s, s->part_bytes);
  return ARN_OK;
}

static arn_status eval_abs(const arn_eval *e, const void *state) {
  const complex_state *s = state;
  const arn_rows in = arn_eval_input(e, 0, 8 * s->row_count);
  const arn_rows out = arn_eval_output(e, 0, 4 * s->row_count);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    arn__complex_abs_f32((void *)arn_row(&out, r), (void *)arn_row(&in, r), s->row_count);
  }
  return ARN_OK;
}

#define BOTH (ARN_TYPE_BIT(ARN_COMPLEX64) | ARN_TYPE_BIT(ARN_COMPLEX128))

const arn_op arn_op_real = {"REAL", 134, sizeof(complex_state), BOTH, 0, NULL,
                            prepare_complex, complex_rows, eval_real};

const arn_op arn_op_imag = {"IMAG", 133, sizeof(complex_state), BOTH, 0, NULL,
                            prepare_complex, complex_rows, eval_imag};

const arn_op arn_op_complex_abs = {"COMPLEX_ABS", 135, sizeof(complex_state),
                                   ARN_TYPE_BIT(ARN_COMPLEX64), 0, NULL,
                                   prepare_complex, complex_rows, eval_abs};
