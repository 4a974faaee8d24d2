// Folds and outputs of floats.
#include <math.h>

#include "reduce_body.h"

#define MULTIPLY(a, x) ((a) * (x))
#define ADD_SQUARE(a, x) ((a) + (x) * (x))

// Sums and products keep their order.
#define IN_ORDER(name, step)                                                                   \
  ARN__REDUCE_COLUMNS(name, float, float, step)                                                \
  ARN__REDUCE_SHORT(name, float, float, step)                                                  \
  ARN__REDUCE_RUNS_ABREAST(name, float, float, step)                                           \
  ARN__REDUCE_FOLD(name, float, float)

IN_ORDER(arn__reduce_add_f32, ARN__REDUCE_ADD)
IN_ORDER(arn__reduce_square_f32, ADD_SQUARE)
IN_ORDER(arn__reduce_multiply_f32, MULTIPLY)

// The largest value does not depend on the order: a long run is taken as rows of several values.
// Runs of fewer than that many lanes twice are taken as they are.
#define LANES 8u
#define EXTREME(name, step)                                                                    \
  ARN__REDUCE_COLUMNS(name, float, float, step)                                                \
  ARN__REDUCE_SHORT(name, float, float, step)                                                  \
  ARN__INLINE float name##_run(float best, const float *x, uint32_t run) {                     \
    float lanes[LANES];                                                                        \
    const arn__reduce_box box = {                                                              \
        .rows = run / LANES, .row_stride = LANES, .inner = LANES, .run = 1};                   \
    if (box.rows >= 2) {                                                                       \
      for (uint32_t k = 0; k < LANES; k++) lanes[k] = best;                                    \
      name##_columns(lanes, x, &box);                                                          \
      for (uint32_t k = 0; k < LANES; k++) best = step(best, lanes[k]);                        \
      x += box.rows * LANES;                                                                   \
      run -= box.rows * LANES;                                                                 \
    }                                                                                          \
    for (uint32_t j = 0; j < run; j++) best = step(best, x[j]);                                \
    return best;                                                                               \
  }                                                                                            \
  ARN__INLINE void name##_runs(float *restrict acc, const float *restrict x, uint32_t count,   \
                               uint32_t run) {                                                 \
    for (uint32_t i = 0; i < count; i++, x += run) acc[i] = name##_run(acc[i], x, run);        \
  }                                                                                            \
  ARN__REDUCE_FOLD(name, float, float)

EXTREME(arn__reduce_max_f32, ARN__REDUCE_MAX)
EXTREME(arn__reduce_min_f32, ARN__REDUCE_MIN)

static inline float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return high < x ? high : x;
}

ARN__KERNEL void arn__reduce_average_f32(void *out_at, const void *acc_at, uint32_t count,
                                         const arn__reduce_finish *f) {
  float *out = out_at;
  const float *acc = acc_at;
  const float divisor = (float)f->count, low = f->low, high = f->high;
  for (uint32_t i = 0; i < count; i++) out[i] = clamp(acc[i] / divisor, low, high);
}

ARN__KERNEL void arn__reduce_root_f32(void *out_at, const void *acc_at, uint32_t count,
                                      const arn__reduce_finish *f) {
  float *out = out_at;
  const float *acc = acc_at;
  const float divisor = (float)f->count, low = f->low, high = f->high;
  for (uint32_t i = 0; i < count; i++) out[i] = clamp(sqrtf(acc[i] / divisor), low, high);
}

ARN__KERNEL void arn__reduce_clamp_f32(void *out_at, const void *acc_at, uint32_t count,
                                       const arn__reduce_finish *f) {
  float *out = out_at;
  const float *acc = acc_at;
  const float low = f->low, high = f->high;
  for (uint32_t i = 0; i < count; i++) out[i] = clamp(acc[i], low, high);
}

void arn__reduce_copy_32(void *out, const void *acc, uint32_t count, const arn__reduce_finish *f) {
  (void)f;
  memmove(out, acc, 4 * (size_t)count);
}
