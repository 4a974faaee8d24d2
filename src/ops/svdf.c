// SVDF: a layer over time, factored. Each unit has `rank` filters; a filter reduces the input to
// one value (feature weights), which is kept for `memory` invocations and weighted by age (time
// weights).
//
//   state[f]  = (state[f] shifted by one, feature[f] . x)
//   out[u]    = act(bias[u] + sum over the filters f of u of time[f] . state[f])
//
// The state is a variable [batch][filter][memory]: the states and the time weights of a unit lie
// side by side, and a unit's sum is one dot product. The features are a dense layer (dense.h). No
// scratch. As in the reference, an int8 output knows no activation but its range.
#include <float.h>

#include "../kernels/settle.h"
#include "../kernels/svdf.h"
#include "arenite/ops.h"
#include "dense.h"
#include "recurrent.h"

enum { INPUT = 0, FEATURE = 1, TIME = 2, BIAS = 3, STATE = 4, INPUTS = 5 };
enum { OPTION_RANK = 0, OPTION_ACTIVATION = 1 };

typedef struct svdf {
  uint32_t batches, inputs, filters, memory, units;
  int16_t in_zero, state_zero, out_zero;
  uint8_t type, state_type, feature_type, time_type;
  uint8_t has_bias, activation;
  union {
    arn__requant one;
    uint32_t scales_at;     // of integer weights of a float layer, in the file
  } feature, time;
} svdf;

// What is left of a batch once its states are up to date.
typedef struct work {
  const arn_eval *e;
  const svdf *s;
  const uint8_t *weights;  // over time
  const uint8_t *bias;     // or NULL
  uint32_t n;              // states of a unit
} work;

typedef void finish_units(const work *w, arn_span units, const uint8_t *states, void *out);

// What a record links (arn_op.kinds).
typedef struct kinds {
  const arn__dense_kind *features;
  finish_units *finish_int8, *finish_float;
} kinds;

// ---- prepare -----------------------------------------------------------------------------------

typedef struct tensors {
  arn_tensor in, feature, time, bias, state, out;
} tensors;

static arn_status read_tensors(const arn_prepare *p, tensors *t) {
  arn_status status = arn_prepare_counts(p, INPUTS, INPUTS, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, &t->in);
  if (status == ARN_OK) status = arn_prepare_input(p, FEATURE, &t->feature);
  if (status == ARN_OK) status = arn_prepare_input(p, TIME, &t->time);
  if (status == ARN_OK) status = arn_prepare_input(p, STATE, &t->state);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  if (status == ARN_OK && arn_prepare_has_input(p, BIAS)) {
    status = arn_prepare_input(p, BIAS, &t->bias);
  }
  return status;
}

static bool is_matrix(const arn_tensor *t, uint32_t rows, uint32_t columns) {
  return t->rank == 2 && (uint32_t)t->dims[0] == rows && (uint32_t)t->dims[1] == columns;
}

static arn_status check_shapes(const arn_prepare *p, const tensors *t, svdf *s) {
  const int32_t rank = arn_option_i32(p, OPTION_RANK, 0);
  if (t->in.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &t->in);
  if (t->feature.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &t->feature);
  if (t->time.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &t->time);
  s->batches = (uint32_t)t->in.dims[0];
  s->inputs = (uint32_t)t->in.dims[1];
  s->filters = (uint32_t)t->feature.dims[0];
  s->memory = (uint32_t)t->time.dims[1];
  if (rank < 1 || s->filters % (uint32_t)rank != 0) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  s->units = s->filters / (uint32_t)rank;
  if (s->filters == 0) return arn_refuse(p, ARN_WHAT_SHAPE, &t->feature);
  if (s->memory == 0) return arn_refuse(p, ARN_WHAT_SHAPE, &t->time);
  if (!is_matrix(&t->feature, s->filters, s->inputs)) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->feature);
  }
  if (!is_matrix(&t->time, s->filters, s->memory)) return arn_refuse(p, ARN_WHAT_SHAPE, &t->time);
  if (!is_matrix(&t->out, s->batches, s->units)) return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  const uint64_t kept = (uint64_t)s->filters * s->memory;
  if (t->state.rank != 2 || (uint32_t)t->state.dims[0] != s->batches ||
      (uint32_t)t->state.dims[1] != kept) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->state);
  }
  return s->has_bias && t->bias.count != s->units ? arn_refuse(p, ARN_WHAT_SHAPE, &t->bias)
                                                  : ARN_OK;
}

static arn_status check_types(const arn_prepare *p, const tensors *t, const svdf *s) {
  const bool is_float = s->type == ARN_FLOAT32;
  const kinds *k = p->op->kinds;
  if (!(p->op->types & ARN_TYPE_BIT(s->type))) return arn_refuse(p, ARN_WHAT_TYPE, &t->in);
  if (t->out.type != s->type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  if (!(t->state.flags & ARN_TENSOR_VARIABLE)) {
    return arn_refuse(p, ARN_WHAT_TENSOR_VARIABLE, &t->state);
  }
  const bool state_fits = is_float ? s->state_type == ARN_FLOAT32
                                   : s->state_type == ARN_INT8 || s->state_type == ARN_INT16;
  if (!state_fits) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->state);
  if (!arn__dense_takes(s->type, s->feature_type)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->feature);
  }
  if (!(k->features->w_types & ARN_TYPE_BIT(s->feature_type))) {
    return arn_refuse(p, ARN_WHAT_TYPE, &t->feature);
  }
  const bool time_fits = is_float ? arn__dense_takes(s->type, s->time_type)
                                  : s->time_type == s->state_type;
  if (!time_fits) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->time);
  if (s->has_bias && t->bias.type != (is_float ? ARN_FLOAT32 : ARN_INT32)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->bias);
  }
  if (t->feature.flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, &t->feature);
  return t->time.flags & ARN_TENSOR_SPARSE ? arn_refuse(p, ARN_WHAT_SPARSITY, &t->time) : ARN_OK;
}

// Reads a symmetric scale.
static arn_status read_scale(const arn_prepare *p, const arn_tensor *t, float *scale) {
  int32_t zero;
  const arn_status status = arn__quantised_read(p, t, scale, &zero);
  return status == ARN_OK && zero != 0 ? arn_refuse(p, ARN_WHAT_ZERO_POINT, t) : status;
}

// The bias is added to products of state and time weights.
static arn_status check_bias_scale(const arn_prepare *p, const arn_tensor *bias, float product) {
  if (bias->scale_count != 1) return ARN_OK;
  const double difference = (double)arn_tensor_scale(p->model, bias, 0) - (double)product;
  return difference < 1e-5 && difference > -1e-5 ? ARN_OK : arn_refuse(p, ARN_WHAT_SCALE, bias);
}

static arn_status prepare_quantised(const arn_prepare *p, const tensors *t, svdf *s) {
  float in, feature, time, kept, out;
  int32_t in_zero, state_zero, out_zero;
  arn_status status = arn__quantised_read(p, &t->in, &in, &in_zero);
  if (status == ARN_OK) status = read_scale(p, &t->feature, &feature);
  if (status == ARN_OK) status = read_scale(p, &t->time, &time);
  if (status == ARN_OK) status = arn__quantised_read(p, &t->state, &kept, &state_zero);
  if (status == ARN_OK) status = arn__quantised_read(p, &t->out, &out, &out_zero);
  if (status != ARN_OK) return status;
  if (s->state_type == ARN_INT16 && state_zero != 0) {
    return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->state);
  }
  const float into_state = in * feature, product = kept * time;
  s->feature.one = arn__requant_of_float(into_state / kept);
  s->time.one = arn__requant_of_float(product / out);
  s->in_zero = (int16_t)in_zero;
  s->state_zero = (int16_t)state_zero;
  s->out_zero = (int16_t)out_zero;
  return s->has_bias ? check_bias_scale(p, &t->bias, product) : ARN_OK;
}

static arn_status prepare_real(const arn_prepare *p, const arn_tensor *w, uint32_t *scales_at) {
  float scale;
  if (w->type == ARN_FLOAT32 || w->type == ARN_FLOAT16) return ARN_OK;
  *scales_at = w->scales_at;
  return read_scale(p, w, &scale);
}

static arn_status prepare(arn_prepare *p, void *state) {
  svdf *s = state;
  tensors t;
  arn_status status = read_tensors(p, &t);
  if (status != ARN_OK) return status;
  s->type = t.in.type;
  s->state_type = t.state.type;
  s->feature_type = t.feature.type;
  s->time_type = t.time.type;
  s->has_bias = arn_prepare_has_input(p, BIAS);
  s->activation = (uint8_t)arn_option_u8(p, OPTION_ACTIVATION, ARN__ACTIVATION_NONE);
  if (!arn__recurrent_has(s->activation)) return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  status = check_types(p, &t, s);
  if (status == ARN_OK) status = check_shapes(p, &t, s);
  if (status != ARN_OK) return status;
  if (s->type != ARN_FLOAT32) return prepare_quantised(p, &t, s);
  status = prepare_real(p, &t.feature, &s->feature.scales_at);
  return status == ARN_OK ? prepare_real(p, &t.time, &s->time.scales_at) : status;
}

// ---- eval --------------------------------------------------------------------------------------

// The layer that takes the input to a new value a filter. As in the reference, it clamps before the
// state's zero point is added: an int8 state wraps where the sum leaves its range.
static arn__dense feature_layer(const svdf *s) {
  arn__dense d = {.depth = s->inputs,
                  .channels = s->filters,
                  .in_zero = s->in_zero,
                  .out_zero = s->state_zero,
                  .type = s->type,
                  .w_type = s->feature_type,
                  .bias_type = ARN__DENSE_NO_BIAS,
                  .out_type = s->state_type};
  if (s->type == ARN_FLOAT32) {
    d.clamp.f32 = (arn__clamp_f32){-FLT_MAX, FLT_MAX};
    d.scale.real.scales_at = s->feature.scales_at;
  } else {
    d.clamp.s32 = arn__quantised_range(s->state_type);
    d.scaling = ARN__DENSE_PER_TENSOR;
    d.scale.one = s->feature.one;
  }
  return d;
}

// The layer that takes a unit's states to its sum, for float states and weights that are not.
static arn__dense time_layer(const svdf *s) {
  arn__dense d = {.depth = s->filters / s->units * s->memory,
                  .channels = s->units,
                  .clamp.f32 = {-FLT_MAX, FLT_MAX},
                  .type = ARN_FLOAT32,
                  .w_type = s->time_type,
                  .bias_type = ARN__DENSE_NO_BIAS,
                  .out_type = ARN_FLOAT32};
  d.scale.real.scales_at = s->time.scales_at;
  return d;
}

static void put_value(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  for (const uint8_t *const end = from + bytes; from != end; from++) *to++ = *from;
}

static void add_features(const arn__dense_run *run, const svdf *s, const uint8_t *x,
                         uint8_t *states) {
  const uint32_t es = arn_type_bytes((arn_type)s->state_type);
  arn__dense_block block;
  float values[ARN__DENSE_BLOCK];  // or int16, int8
  for (uint32_t f = 0; f < s->filters; f += ARN__DENSE_BLOCK) {
    arn__dense_begin(run, f, &block);
    arn__dense_clear(run, &block);
    arn__dense_add(run, &block, (arn_span){0, s->inputs}, x);
    arn__dense_finish(run, &block, (uint8_t *)values);
    uint8_t *to = states + ((f + 1) * s->memory - 1) * es;
    for (uint32_t i = 0; i < block.channels.count; i++, to += s->memory * es) {
      put_value(to, (const uint8_t *)values + i * es, es);
    }
  }
}

static void sum_widened(const work *w, arn_span units, const float *states, float *sums) {
  const arn__dense d = time_layer(w->s);
  const arn__dense_run run = {&arn__dense_any, &d, w->e->model->bytes,
                              {(uint8_t *)(uintptr_t)w->weights, NULL, 0}, NULL, 1, false, NULL};
  arn__dense_block block;
  for (uint32_t i = 0; i < units.count; i++) {
    block.channels = (arn_span){units.first + i, 1};
    arn__dense_clear(&run, &block);
    arn__dense_add(&run, &block, (arn_span){0, w->n}, (const uint8_t *)(states + i * w->n));
    arn__dense_finish(&run, &block, (uint8_t *)&sums[i]);
  }
}

static void finish_float(const work *w, arn_span units, const uint8_t *states, void *outputs) {
  float *out = outputs;
  const arn__svdf_time t = {w->n, units.count, 0};
  const float *first = (const float *)(const void *)states + units.first * w->n;
  const float *weights = (const float *)(const void *)w->weights + units.first * w->n;
  const float *bias = (const float *)(const void *)w->bias;
  out += units.first;
  memset(out, 0, units.count * sizeof *out);
  if (w->s->time_type == ARN_FLOAT32) arn__svdf_time_f32(out, first, weights, &t);
  else sum_widened(w, units, first, out);
  for (uint32_t i = 0; i < units.count; i++) {
    const float sum = out[i] + (bias ? bias[units.first + i] : 0.0f);
    out[i] = arn__recurrent_activate(sum, w->s->activation);
  }
}

static void finish_int8(const work *w, arn_span units, const uint8_t *states, void *outputs) {
  int8_t *out = outputs;
  const svdf *s = w->s;
  const uint32_t at = units.first * w->n;
  const arn__svdf_time t = {w->n, units.count, s->state_zero};
  const arn__settle settle = {&s->time.one, false, units.count,
                              {INT8_MIN - s->out_zero, INT8_MAX - s->out_zero}, s->out_zero};
  const int32_t *bias = (const int32_t *)(const void *)w->bias;
  int32_t sums[ARN__DENSE_BLOCK] = {0};
  if (s->state_type == ARN_INT16) {
    arn__svdf_time_s16(sums, (const int16_t *)(const void *)states + at,
                       (const int16_t *)(const void *)w->weights + at, &t);
  } else {
    arn__svdf_time_s8(sums, (const int8_t *)states + at, (const int8_t *)w->weights + at, &t);
  }
  arn__settle_s8(out + units.first, sums, bias ? bias + units.first : NULL, &settle);
}

static void finish_batch(const work *w, const uint8_t *states, uint8_t *out) {
  const uint32_t units = w->s->units;
  const kinds *k = w->e->op->kinds;
  finish_units *finish = w->s->type == ARN_FLOAT32 ? k->finish_float : k->finish_int8;
  for (uint32_t u = 0; u < units; u += ARN__DENSE_BLOCK) {
    const arn_span block = {u, units - u < ARN__DENSE_BLOCK ? units - u : ARN__DENSE_BLOCK};
    finish(w, block, states, out);
  }
}

static arn_status eval(const arn_eval *e, const void *state) {
  const svdf *s = state;
  const uint32_t es = arn_type_bytes((arn_type)s->type);
  const uint32_t state_es = arn_type_bytes((arn_type)s->state_type);
  const uint32_t kept = s->filters * s->memory * state_es;  // bytes of a batch
  const kinds *k = e->op->kinds;
  const arn__dense feature = feature_layer(s);
  const arn__dense_run features = {k->features, &feature, e->model->bytes,
                                   arn_eval_input(e, FEATURE, 0), NULL, 1, false, NULL};
  const work w = {e, s, arn_eval_in(e, TIME), s->has_bias ? arn_eval_in(e, BIAS) : NULL,
                  s->filters / s->units * s->memory};
  const uint8_t *x = arn_eval_in(e, INPUT);
  uint8_t *states = arn_eval_input(e, STATE, kept).base;
  uint8_t *out = arn_eval_out(e, 0);
  for (uint32_t b = 0; b < s->batches; b++) {
    // Room for the newest value of each filter, in one move: the oldest of a filter takes the place
    // of its neighbour's newest, which is written next.
    arn__svdf_age(states, kept, state_es);
    add_features(&features, s, x, states);
    finish_batch(&w, states, out);
    x += s->inputs * es;
    states += kept;
    out += s->units * es;
  }
  return ARN_OK;
}

static const kinds all_types = {&arn__dense_any, finish_int8, finish_float};
static const kinds int8_only = {&arn__dense_int8_wide, finish_int8, NULL};

#define RECORD(types_, folds_, kinds_)                                                   \
  {                                                                                      \
    .name = "SVDF", .code = 27, .state_bytes = sizeof(svdf), .types = (types_),          \
    .folds = (folds_), .kinds = (kinds_), .prepare = prepare, .eval = eval,              \
  }

const arn_op arn_op_svdf = RECORD(ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8),
                                  1u << FEATURE | 1u << TIME, &all_types);
const arn_op arn_op_svdf_int8 = RECORD(ARN_TYPE_BIT(ARN_INT8), 0, &int8_only);
