#include "../settle.h"

#if defined(ARN__DSP)

#include "output.h"

// One multiplier for all, below 1/2.
static void settle_alike(int8_t *out, const int32_t *sums, const int32_t *bias,
                         const arn__settle *s) {
  const int32_t q = s->multipliers->q, right = -s->multipliers->shift, zero = s->zero;
  for (int8_t *const end = out + s->n; out != end; sums++) {
    const int32_t sum = bias ? (int32_t)((uint32_t)*sums + (uint32_t)*bias++) : *sums;
    *out++ = (int8_t)arn__dsp_quick(sum, q, right, zero);
  }
}

static void settle(int8_t *out, const int32_t *sums, const int32_t *bias, const arn__settle *s) {
  const arn__requant *r = s->multipliers;
  for (uint32_t i = 0; i < s->n; i++, r += s->per_channel) {
    const int32_t sum = bias ? (int32_t)((uint32_t)sums[i] + (uint32_t)bias[i]) : sums[i];
    out[i] = (int8_t)arn__dsp_output(sum, *r, s->zero);
  }
}

// Where the clamp leaves more than int8 holds, outputs wrap (SVDF's states).
static bool wraps(const arn__settle *s) {
  return s->clamp.low + s->zero < INT8_MIN || s->clamp.high + s->zero > INT8_MAX;
}

void arn__settle_s8_dsp(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s) {
  if (wraps(s)) {
    arn__settle_s8_portable(out, sums, bias, s);
    return;
  }
  if (!s->per_channel && s->multipliers->shift < 0) settle_alike(out, sums, bias, s);
  else settle(out, sums, bias, s);
  if (arn__dsp_is_narrow(s->clamp, s->zero)) arn__dsp_narrow(out, s->n, s->clamp, s->zero);
}

#endif
