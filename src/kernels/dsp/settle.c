#include "../settle.h"

#if defined(ARN__DSP)

#include "output.h"

void arn__settle_s8_dsp(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s) {
  static const int32_t none = 0;
  const arn__requant *r = s->multipliers;
  const uint32_t step = s->per_channel ? 1 : 0, bias_step = bias ? 1 : 0;
  const int32_t zero = s->zero;
  if (bias == NULL) bias = &none;
  int8_t *to = out;
  for (int8_t *const end = out + s->n; to != end; r += step, bias += bias_step) {
    const int32_t sum = (int32_t)((uint32_t)*sums++ + (uint32_t)*bias);
    *to++ = (int8_t)arn__dsp_output(sum, *r, zero);
  }
  if (arn__dsp_is_narrow(s->clamp, zero)) arn__dsp_narrow(out, s->n, s->clamp, zero);
}

#endif
