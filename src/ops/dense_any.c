// Dense layers of all types.
#include "../kernels/lanes.h"
#include "../kernels/settle.h"
#include "../kernels/widen.h"
#include "dense.h"

#define TILE_BYTES (ARN__LANES > 1 ? 1024u : 128u)  // hosts have the stack for it
#define GATHER_BYTES 128u

static uint32_t element_bytes(const arn__dense *d) { return arn_type_bytes((arn_type)d->type); }

// ---- prepare ------------------------------------------------------------------------------------

static bool is_integer(uint32_t type) { return type != ARN_FLOAT32 && type != ARN_FLOAT16; }

static arn_status prepare_float(const arn_prepare *p, const arn__dense_tensors *t,
                                arn__dense *d) {
  arn_status status = arn__quantised_clamp_float(p, t->activation, &d->clamp.f32);
  if (status == ARN_OK && is_integer(t->w->type)) {
    float scale;
    int32_t zero = 0;
    status = t->w->scale_count > 1 ? arn__dense_check_channels(p, t, d)
                                   : arn__quantised_read(p, t->w, &scale, &zero);
    d->w_zero = (int16_t)zero;
    d->scale.real.scales_at = t->w->scales_at;
    d->scale.real.step = t->w->scale_count > 1;
  }
  if (status == ARN_OK && t->bias && is_integer(t->bias->type)) {
    int32_t zero;
    status = arn__quantised_read(p, t->bias, &d->scale.real.bias_scale, &zero);
    if (status == ARN_OK && zero != 0) status = arn_refuse(p, ARN_WHAT_ZERO_POINT, t->bias);
  }
  return status;
}

static arn_status prepare(const arn_prepare *p, const arn__dense_tensors *t, arn__dense *d) {
  return d->type == ARN_FLOAT32 ? prepare_float(p, t, d) : arn__dense_prepare_quantised(p, t, d);
}

// ---- sums --------------------------------------------------------------------------------------

static void dot_s16(const arn__dense_run *run, int64_t *sums, const int16_t *x, const void *w,
                    const arn__dot *call) {
  if (run->d->w_type == ARN_INT16) {
    if (run->by_columns) arn__dot_columns_s16(sums, x, w, call);
    else arn__dot_rows_s16(sums, x, w, call);
  } else {
    if (run->by_columns) arn__dot_columns_s16_s8(sums, x, w, call);
    else arn__dot_rows_s16_s8(sums, x, w, call);
  }
}

// Floats by rows of int8, for which there is a kernel.
static bool is_hybrid(const arn__dense_run *run) {
  return run->d->type == ARN_FLOAT32 && run->d->w_type == ARN_INT8 && !run->by_columns;
}

// The zero point that the kernel takes off: the input's, or where that is float the weights'.
static int32_t zero_of(const arn__dense *d) {
  return d->type == ARN_FLOAT32 ? d->w_zero : d->in_zero;
}

// Calls the kernel for weights of the kernel's own type.
static void dot(const arn__dense_run *run, void *sums, const void *x, const void *w,
                const arn__dot *call) {
  switch (run->d->type) {
    case ARN_INT8:
      if (run->by_columns) arn__dot_columns_s8(sums, x, w, call);
      else arn__dot_rows_s8(sums, x, w, call);
      break;
    case ARN_UINT8: arn__dot_rows_u8(sums, x, w, call); break;
    case ARN_INT16: dot_s16(run, sums, x, w, call); break;
    default:
      if (run->by_columns) arn__dot_columns_f32(sums, x, w, call);
      else if (is_hybrid(run)) arn__dot_rows_f32_s8(sums, x, w, call);
      else arn__dot_rows_f32(sums, x, w, call);
      break;
  }
}

static void *sum_at(const arn__dense_run *run, arn__dense_block *block, uint32_t i) {
  return (uint8_t *)&block->sums + i * arn__dense_sum_bytes(run->d);
}

static bool needs_widening(const arn__dense_run *run) {
  const arn__dense *d = run->d;
  const bool is_other = d->type == ARN_FLOAT32 && d->w_type != ARN_FLOAT32;
  return d->w_type == ARN_INT4 || (is_other && !is_hybrid(run));
}

static void widen_float(const arn__dense *d, float *out, const void *w, uint32_t at, uint32_t n) {
  int8_t nibbles[TILE_BYTES / sizeof(float)];
  switch (d->w_type) {
    case ARN_FLOAT16: arn__widen_f16_f32(out, (const uint16_t *)w + at, n); break;
    case ARN_INT8: arn__widen_s8_f32(out, (const int8_t *)w + at, n, d->w_zero); break;
    case ARN_UINT8: arn__widen_u8_f32(out, (const uint8_t *)w + at, n, d->w_zero); break;
    case ARN_INT16: arn__widen_s16_f32(out, (const int16_t *)w + at, n, d->w_zero); break;
    default:
      arn__widen_s4_s8(nibbles, w, at, n);
      arn__widen_s8_f32(out, nibbles, n, d->w_zero);
      break;
  }
}

// A tile of weights in the kernel's type: rows of `stride` elements.
typedef union tile {
  int8_t s8[TILE_BYTES];
  float f32[TILE_BYTES / sizeof(float)];
} tile;

// Widens `n` weights from element `at` on into elements `to` and on of the tile.
static void widen_row(const arn__dense_run *run, tile *t, uint32_t to, uint32_t at, uint32_t n) {
  if (run->d->type == ARN_FLOAT32) widen_float(run->d, t->f32 + to, run->w.base, at, n);
  else arn__widen_s4_s8(t->s8 + to, run->w.base, at, n);
}

// Decoded weights begin with the block.
static uint32_t first_row(const arn__dense_run *run, const arn__dense_block *block) {
  return run->decoder ? 0 : block->channels.first;
}

static uint32_t rows_given(const arn__dense_run *run, const arn__dense_block *block) {
  return run->decoder ? block->channels.count : run->d->channels;
}

static void add_widened_columns(const arn__dense_run *run, arn__dense_block *block,
                                arn_span depth, const uint8_t *x) {
  tile t;
  const arn_span channels = block->channels;
  const uint32_t step_bytes = run->in_step * element_bytes(run->d);
  const uint32_t most = TILE_BYTES / ARN__DENSE_BLOCK / (run->d->type == ARN_FLOAT32 ? 4 : 1);
  arn__dot call = {0, channels.count, ARN__DENSE_BLOCK, run->in_step, run->d->in_zero, 0};
  for (uint32_t k = 0; k < depth.count; k += call.n) {
    call.n = depth.count - k < most ? depth.count - k : most;
    for (uint32_t i = 0; i < call.n; i++) {
      const uint32_t at = (depth.first + k + i) * run->d->channels + channels.first;
      widen_row(run, &t, i * ARN__DENSE_BLOCK, at, channels.count);
    }
    dot(run, &block->sums, x + (size_t)k * step_bytes, &t, &call);
  }
}

static void add_widened_rows(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                             const uint8_t *x) {
  tile t;
  const arn_span channels = block->channels;
  const uint32_t es = element_bytes(run->d);
  const bool is_float = run->d->type == ARN_FLOAT32;
  const uint32_t most = is_float && ARN__LANES == 1 ? 1 : 4;
  const uint32_t stride = TILE_BYTES / (is_float ? 4 : 1) / most;
  arn__dot call = {0, 0, stride, 1, run->d->in_zero, 0};
  for (uint32_t c = 0; c < channels.count; c += call.count) {
    call.count = channels.count - c < most ? channels.count - c : most;
    for (uint32_t k = 0; k < depth.count; k += call.n) {
      call.n = depth.count - k < stride ? depth.count - k : stride;
      for (uint32_t i = 0; i < call.count; i++) {
        const uint32_t at = (first_row(run, block) + c + i) * run->d->depth + depth.first + k;
        widen_row(run, &t, i * stride, at, call.n);
      }
      dot(run, sum_at(run, block, c), x + (size_t)k * es, &t, &call);
    }
  }
}

static void add_direct(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                       const uint8_t *x) {
  const arn__dense *d = run->d;
  const arn_span channels = block->channels;
  arn__dot call = {depth.count, channels.count, 0, run->in_step, zero_of(d), 0};
  uint32_t at;
  if (run->by_columns) {
    at = depth.first * d->channels + channels.first;
    call.stride = d->channels;
    call.spare = d->depth * d->channels - at - (depth.count - 1) * d->channels - channels.count;
  } else {
    at = first_row(run, block) * d->depth + depth.first;
    call.stride = d->depth;
    call.spare = rows_given(run, block) * d->depth - at - (channels.count - 1) * d->depth -
                 depth.count;
  }
  dot(run, &block->sums, x, run->w.base + at * arn_type_bytes((arn_type)d->w_type), &call);
}

// Rows of the weights lie apart: one at a time.
static void add_scattered(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                          const uint8_t *x) {
  const arn_span channels = block->channels;
  const uint32_t w_bytes = arn_type_bytes((arn_type)run->d->w_type);
  const uint32_t step_bytes = run->in_step * element_bytes(run->d);
  arn__dot call = {depth.count, channels.count, run->d->depth, 1, zero_of(run->d), 0};
  if (run->by_columns) {
    call.n = 1;
    for (uint32_t k = 0; k < depth.count; k++) {
      const uint8_t *w = arn_row(&run->w, depth.first + k) + channels.first * w_bytes;
      dot(run, &block->sums, x + (size_t)k * step_bytes, w, &call);
    }
  } else {
    call.count = 1;
    for (uint32_t c = 0; c < channels.count; c++) {
      const uint8_t *w = arn_row(&run->w, channels.first + c) + depth.first * w_bytes;
      dot(run, sum_at(run, block, c), x, w, &call);
    }
  }
}

static void subtract_zero(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                          const uint8_t *x) {
  const arn__dense *d = run->d;
  const arn__dot call = {depth.count, 0, 0, run->in_step, d->in_zero, 0};
  const int32_t sum = d->type == ARN_INT8 ? arn__dot_sum_s8((const int8_t *)x, &call)
                                          : arn__dot_sum_u8(x, &call);
  arn__dense_subtract_zero(run, block, sum);
}

static void add_side_by_side(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                             const uint8_t *x) {
  if (run->w.table) add_scattered(run, block, depth, x);
  else if (!needs_widening(run)) add_direct(run, block, depth, x);
  else if (run->by_columns) add_widened_columns(run, block, depth, x);
  else add_widened_rows(run, block, depth, x);
  if (run->d->w_zero != 0 && run->d->type != ARN_FLOAT32) subtract_zero(run, block, depth, x);
}

// Kernels by rows want the input's elements side by side.
static void add_gathered(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                         const uint8_t *from) {
  uint32_t aligned[GATHER_BYTES / sizeof(uint32_t)];
  uint8_t *x = (uint8_t *)aligned;
  const uint32_t es = element_bytes(run->d), most = GATHER_BYTES / es;
  arn__dense_run gathered = *run;
  gathered.in_step = 1;
  for (uint32_t k = 0; k < depth.count; k += most) {
    const uint32_t left = depth.count - k, n = left < most ? left : most;
    for (uint32_t i = 0; i < n; i++) {
      memcpy(x + i * es, from + (size_t)(k + i) * run->in_step * es, es);
    }
    add_side_by_side(&gathered, block, (arn_span){depth.first + k, n}, x);
  }
}

static void add(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                const uint8_t *x) {
  if (!run->by_columns && run->in_step != 1) add_gathered(run, block, depth, x);
  else add_side_by_side(run, block, depth, x);
}

// ---- outputs -----------------------------------------------------------------------------------

static float read_f32(const uint8_t *file, uint32_t at) {
  float value;
  memcpy(&value, file + at, sizeof value);
  return value;
}

// Adds the bias of channels [first, first + n).
static void add_float_bias(const arn__dense_run *run, float *x, uint32_t first, uint32_t n) {
  const float scale = run->d->scale.real.bias_scale;
  float value;
  for (uint32_t i = 0, c = first; i < n; i++, c++) {
    switch (run->d->bias_type) {
      case ARN_FLOAT32: x[i] += ((const float *)run->bias)[c]; break;
      case ARN_FLOAT16:
        arn__widen_f16_f32(&value, (const uint16_t *)run->bias + c, 1);
        x[i] += value;
        break;
      case ARN_INT8: x[i] += scale * (float)((const int8_t *)run->bias)[c]; break;
      case ARN_INT16: x[i] += scale * (float)((const int16_t *)run->bias)[c]; break;
      case ARN_INT32: x[i] += scale * (float)((const int32_t *)run->bias)[c]; break;
      default: return;
    }
  }
}

static void finish_float(const arn__dense_run *run, arn__dense_block *block, float *out) {
  const arn__dense_float *real = &run->d->scale.real;
  const uint32_t first = block->channels.first, n = block->channels.count;
  float *sums = block->sums.f32;
  for (uint32_t i = 0; i < n && real->scales_at; i++) {
    sums[i] *= read_f32(run->file, real->scales_at + 4 * real->step * (first + i));
  }
  add_float_bias(run, sums, first, n);
  for (uint32_t i = 0; i < n; i++) out[i] = arn__quantised_clamp_f32(sums[i], run->d->clamp.f32);
}

static void finish_8(const arn__dense_run *run, arn__dense_block *block, uint8_t *out,
                     const arn__settle *settle) {
  const int32_t *bias = run->d->bias_type == ARN_INT32 ? run->bias : NULL;
  if (bias) bias += block->channels.first;
  if (run->d->out_type == ARN_INT16) {
    arn__settle_s16((int16_t *)(void *)out, block->sums.s32, bias, settle);
  } else {
    arn__settle_s8((int8_t *)out, block->sums.s32, bias, settle);
  }
}

// Sums with an int32 bias are int32 in the reference, and round in two steps.
static void finish_16(const arn__dense_run *run, arn__dense_block *block, int16_t *out,
                      const arn__settle *settle) {
  const uint32_t first = block->channels.first;
  int64_t *sums = block->sums.s64;
  int32_t narrow[ARN__DENSE_BLOCK];
  switch (run->d->bias_type) {
    case ARN_INT32:
      for (uint32_t i = 0; i < settle->n; i++) narrow[i] = (int32_t)sums[i];
      arn__settle_s16(out, narrow, (const int32_t *)run->bias + first, settle);
      break;
    case ARN_INT64:
      arn__settle_s16_s64(out, sums, (const arn__s64 *)run->bias + first, settle);
      break;
    case ARN_INT16:
      for (uint32_t i = 0; i < settle->n; i++) sums[i] += ((const int16_t *)run->bias)[first + i];
      arn__settle_s16_s64(out, sums, NULL, settle);
      break;
    default: arn__settle_s16_s64(out, sums, NULL, settle); break;
  }
}

static void finish(const arn__dense_run *run, arn__dense_block *block, uint8_t *out) {
  const arn__dense *d = run->d;
  const arn__settle settle = {block->multipliers, d->scaling == ARN__DENSE_PER_CHANNEL,
                              block->channels.count, d->clamp.s32, d->out_zero};
  if (d->type == ARN_FLOAT32) finish_float(run, block, (float *)(void *)out);
  else if (d->type == ARN_INT16) finish_16(run, block, (int16_t *)(void *)out, &settle);
  else finish_8(run, block, out, &settle);
}

const arn__dense_kind arn__dense_any = {
    ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |
        ARN_TYPE_BIT(ARN_INT16),
    UINT32_MAX, prepare, add, finish, arn__dense_whole_int8};
