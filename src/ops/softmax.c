// SOFTMAX and LOG_SOFTMAX along the last axis.
//
// A row of a tensor never ends inside its last axis, so that a row is a number of whole vectors.
#include "../kernels/softmax.h"

#include <float.h>
#include <stddef.h>

#include "arenite/ops.h"
#include "quantised.h"
#include "unary.h"

typedef struct softmax {
  uint32_t row_vectors;
  uint32_t depth;
  uint8_t in_type, out_type;
  int8_t shift, reverse_shift;
  int32_t q;          // float32 SOFTMAX: beta, as bits
  int32_t reverse_q;  // LOG_SOFTMAX of 8 bits only
} softmax;

// What a record of SOFTMAX links (arn_op.kinds), by type of input and output.
typedef struct kinds {
  void (*s8)(const arn__softmax_span *span, const arn__softmax_scaling *scaling);
  void (*s8_s16)(const arn__softmax_span *span, const arn__softmax_scaling *scaling);
  void (*s16)(const arn__softmax_span *span, const arn__softmax_scaling *scaling);
  void (*f32)(const arn__softmax_span *span, float beta);
  // of int16
  arn_status (*prepare_wide)(const arn_prepare *p, softmax *s, const arn_tensor *in,
                             const arn_tensor *out, float beta);
} kinds;

#define TYPES_8 (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8))

static arn_status begin(arn_prepare *p, softmax *s, arn_tensor *in, arn_tensor *out) {
  uint32_t row_count;
  ARN__TRY(arn__unary_prepare(p, in, out, &row_count));
  if (in->rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  s->depth = (uint32_t)in->dims[in->rank - 1];
  s->row_vectors = s->depth > 0 ? row_count / s->depth : 0;
  s->in_type = in->type;
  s->out_type = out->type;
  return ARN_OK;
}

// The one quantisation that the formulas produce, of which the scale may be off by `tolerance`.
typedef struct fixed_output {
  float scale, tolerance;
  int32_t zero;
} fixed_output;

static arn_status check_output(const arn_prepare *p, const arn_tensor *out, fixed_output want) {
  float scale;
  int32_t zero;
  ARN__TRY(arn__quantised_read(p, out, &scale, &zero));
  const float off = scale > want.scale ? scale - want.scale : want.scale - scale;
  if (off > want.tolerance * want.scale) return arn_refuse(p, ARN_WHAT_SCALE, out);
  if (zero != want.zero) return arn_refuse(p, ARN_WHAT_ZERO_POINT, out);
  return ARN_OK;
}

// The multiplier from steps of an 8-bit input to Q5.26; large ones are cut off, where any
// difference leaves nothing.
static arn_status set_narrow_scale(const arn_prepare *p, softmax *s, const arn_tensor *in,
                                   float beta) {
  float scale;
  int32_t zero;
  ARN__TRY(arn__quantised_read(p, in, &scale, &zero));
  const arn__requant r = arn__requant_ratio(beta, scale, 1.0f, 26);
  if (r.q <= 0 || r.shift < 1) return arn_refuse(p, ARN_WHAT_SCALE, in);  // below 1
  s->q = r.q;
  s->shift = (int8_t)r.shift;
  return ARN_OK;
}

// From here on, a table of exp is little beside the tensor that it is for.
#define MANY 4096u

static uint32_t table_entries(const softmax *s) {
  return arn__softmax_entries((arn__requant){s->q, s->shift});
}

// A table of exp takes the place of the exponentials of all elements but a few hundred.
static void ask_for_table(arn_prepare *p, const softmax *s, bool is_worth_it) {
  if (is_worth_it) p->scratch_bytes = 4 * table_entries(s);
}

// Returns the table, filled, where there is one and the step has more elements than that.
static const int32_t *make_table(const arn_eval *e, const softmax *s) {
  int32_t *table = e->scratch;
  const uint64_t elements = (uint64_t)e->span.count * s->row_vectors * s->depth;
  if (table == NULL || elements <= table_entries(s)) return NULL;
  arn__softmax_fill(table, (arn__requant){s->q, s->shift});
  return table;
}

static arn_status prepare_narrow(arn_prepare *p, softmax *s, const arn_tensor *in,
                                 const arn_tensor *out, float beta) {
  fixed_output want = {1.0f / 256.0f, 0.0f, in->type == ARN_UINT8 ? 0 : -128};
  const kinds *k = p->op->kinds;
  if (in->type == ARN_INT8 && out->type == ARN_INT16 && k->s8_s16) {
    want = (fixed_output){1.0f / 65536.0f, 0.001f, -32768};
  } else if (out->type != in->type || k->s8 == NULL) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, out);
  }
  ARN__TRY(check_output(p, out, want));
  ARN__TRY(set_narrow_scale(p, s, in, beta));
  // vectors that are too long for the stack's block have exp computed twice
  const bool twice = s->depth > 64 && s->row_vectors * s->depth > table_entries(s);
  ask_for_table(p, s, twice || in->count >= MANY);
  return ARN_OK;
}

// 16 bits: differences become 65535ths of 10.
static arn_status prepare_wide(const arn_prepare *p, softmax *s, const arn_tensor *in,
                               const arn_tensor *out, float beta) {
  float scale;
  int32_t zero;
  if (out->type != ARN_INT16) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, out);
  ARN__TRY(check_output(p, out, (fixed_output){1.0f / 32768.0f, 0.001f, 0}));
  ARN__TRY(arn__quantised_read(p, in, &scale, &zero));
  if (s->depth > 65536u) return arn_refuse(p, ARN_WHAT_DIMENSION, in);
  if (!(beta >= 0.0f)) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  const arn__requant r = arn__requant_of((double)scale * (double)beta / (10.0 / 65535.0));
  s->q = r.q;
  s->shift = (int8_t)r.shift;
  return ARN_OK;
}

static arn_status prepare_softmax(arn_prepare *p, void *state) {
  softmax *s = state;
  arn_tensor in, out;
  const kinds *k = p->op->kinds;
  const float beta = arn_option_f32(p, 0, 0.0f);
  ARN__TRY(begin(p, s, &in, &out));
  p->state_bytes = (uint32_t)offsetof(softmax, reverse_q);
  if (!(beta >= -FLT_MAX && beta <= FLT_MAX)) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  switch (in.type) {
    case ARN_FLOAT32:
      if (out.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &out);
      memcpy(&s->q, &beta, sizeof beta);
      return ARN_OK;
    case ARN_INT16: return k->prepare_wide(p, s, &in, &out, beta);
    default: return prepare_narrow(p, s, &in, &out, beta);
  }
}

static arn_status prepare_log_softmax(arn_prepare *p, void *state) {
  softmax *s = state;
  arn_tensor in, out;
  ARN__TRY(begin(p, s, &in, &out));
  if (in.type != out.type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &out);
  if (in.type == ARN_FLOAT32) {
    p->state_bytes = (uint32_t)offsetof(softmax, q);
    return ARN_OK;
  }
  const int32_t zero = in.type == ARN_UINT8 ? 255 : 127;
  ARN__TRY(check_output(p, &out, (fixed_output){16.0f / 256.0f, 0.0f, zero}));
  ARN__TRY(set_narrow_scale(p, s, &in, 1.0f));
  const double reverse = (double)(INT64_C(1) << (31 - s->shift)) / (double)s->q;
  const arn__requant r = arn__requant_of(reverse);
  s->reverse_q = r.q;
  s->reverse_shift = (int8_t)r.shift;
  ask_for_table(p, s, in.count >= MANY);
  return ARN_OK;
}

static uint32_t bytes_of(uint8_t type) {
  return type == ARN_FLOAT32 ? 4 : type == ARN_INT16 ? 2 : 1;
}

typedef void span_fn(const kinds *k, const softmax *s, const int32_t *table,
                     const arn__softmax_span *span);

static void run_span(const kinds *k, const softmax *s, const int32_t *table,
                     const arn__softmax_span *span) {
  const uint8_t flip = s->in_type == ARN_UINT8 ? 0x80 : 0;
  const arn__softmax_scaling scaling = {{s->q, s->shift}, flip, table};
  float beta;
  memcpy(&beta, &s->q, sizeof beta);
  switch (s->in_type) {
    case ARN_FLOAT32: k->f32(span, beta); break;
    case ARN_INT16: k->s16(span, &scaling); break;
    default:
      if (s->out_type == ARN_INT16) k->s8_s16(span, &scaling);
      else k->s8(span, &scaling);
      break;
  }
}

static void run_log_span(const kinds *k, const softmax *s, const int32_t *table,
                         const arn__softmax_span *span) {
  (void)k;
  const uint8_t flip = s->in_type == ARN_UINT8 ? 0x80 : 0;
  const arn__softmax_scaling scaling = {{s->q, s->shift}, flip, table};
  if (s->in_type == ARN_FLOAT32) {
    arn__softmax_log_f32(span);
  } else {
    arn__softmax_log_s8(span, &scaling, (arn__requant){s->reverse_q, s->reverse_shift});
  }
}

// Calls `run` for the step's rows: once where they are neighbours.
static void run_rows(const arn_eval *e, const softmax *s, const int32_t *table, span_fn *run) {
  const uint32_t elements = s->row_vectors * s->depth;
  const arn_rows in = arn_eval_input(e, 0, elements * bytes_of(s->in_type));
  const arn_rows out = arn_eval_output(e, 0, elements * bytes_of(s->out_type));
  const bool neighbours = in.table == NULL && out.table == NULL;
  const uint32_t rows = neighbours ? e->span.count : 1;
  if (elements == 0) return;
  for (uint32_t i = 0; i < e->span.count; i += rows) {
    const uint32_t row = e->span.first + i;
    const arn__softmax_span span = {arn_row(&in, row), arn_row(&out, row), rows * s->row_vectors,
                                    s->depth};
    run(e->op->kinds, s, table, &span);
  }
}

static arn_status eval_softmax(const arn_eval *e, const void *state) {
  run_rows(e, state, make_table(e, state), run_span);
  return ARN_OK;
}

static arn_status eval_log_softmax(const arn_eval *e, const void *state) {
  run_rows(e, state, make_table(e, state), run_log_span);
  return ARN_OK;
}

static const kinds all_types = {arn__softmax_s8, arn__softmax_s8_s16, arn__softmax_s16,
                                arn__softmax_f32, prepare_wide};
static const kinds int8_only = {.s8 = arn__softmax_s8};
static const kinds int8_int16_only = {.s8_s16 = arn__softmax_s8_s16};

#define SOFTMAX(types_, kinds_)                                                          \
  {                                                                                      \
    .name = "SOFTMAX", .code = 25, .state_bytes = sizeof(softmax), .types = (types_),    \
    .kinds = (kinds_), .prepare = prepare_softmax, .rows = arn__unary_rows,              \
    .eval = eval_softmax,                                                                \
  }

const arn_op arn_op_softmax = SOFTMAX(TYPES_8 | ARN_TYPE_BIT(ARN_INT16), &all_types);
const arn_op arn_op_softmax_int8 = SOFTMAX(ARN_TYPE_BIT(ARN_INT8), &int8_only);
const arn_op arn_op_softmax_int8_int16 = SOFTMAX(ARN_TYPE_BIT(ARN_INT8), &int8_int16_only);

const arn_op arn_op_log_softmax = {
    .name = "LOG_SOFTMAX",
    .code = 50,
    .state_bytes = sizeof(softmax),
    .types = TYPES_8,
    .prepare = prepare_log_softmax,
    .rows = arn__unary_rows,
    .eval = eval_log_softmax,
};
