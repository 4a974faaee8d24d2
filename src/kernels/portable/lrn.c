#include "../lrn.h"

#include <math.h>

#include "../fmath.h"

#define BLOCK 32u

// x^exponent, for x above 0: a few ulp from the nearest, more where the result is far from 1.
ARN__KERNEL static void powers(float *x, uint32_t n, float exponent) {
  for (uint32_t i = 0; i < n; i++) x[i] = arn__fmath_exp(exponent * arn__fmath_log(x[i]));
}

// Bases of channels [first, first + n); returns the smallest.
static float set_bases(float *base, const float *in, uint32_t first, uint32_t n,
                       const arn__lrn_shape *s) {
  float least = INFINITY;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t c = first + i, room = s->depth - 1 - c;
    const uint32_t from = c > s->radius ? c - s->radius : 0;
    const uint32_t to = c + (s->radius < room ? s->radius : room);
    float square = 0.0f;
    for (uint32_t k = from; k <= to; k++) square += in[k] * in[k];
    base[i] = s->bias + s->alpha * square;
    least = base[i] > least ? least : base[i];  // also where it is not a number
  }
  return least;
}

void arn__lrn_f32(float *out, const float *in, const arn__lrn_shape *s) {
  for (uint32_t v = 0; v < s->vectors; v++, in += s->depth, out += s->depth) {
    for (uint32_t c = 0; c < s->depth; c += BLOCK) {
      const uint32_t n = s->depth - c < BLOCK ? s->depth - c : BLOCK;
      float x[BLOCK];
      if (set_bases(x, in, c, n, s) > 0.0f) {
        powers(x, n, -s->beta);
      } else {
        for (uint32_t i = 0; i < n; i++) x[i] = powf(x[i], -s->beta);
      }
      for (uint32_t i = 0; i < n; i++) out[c + i] = in[c + i] * x[i];
    }
  }
}
