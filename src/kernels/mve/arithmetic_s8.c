#include "../arithmetic.h"

#if defined(ARN__MVE)

#include "vector.h"

// int8 and uint8, four elements at a time; what is left at the end, in lanes that are switched off.

// How four elements become outputs.
typedef struct last {
  arn__requant requant;  // shift <= 0
  arn__output_x4 output;
} last;

ARN__INLINE last last_of(arn__requant requant, arn__clamp clamp, int32_t zero) {
  return (last){requant, arn__output_x4_of(clamp, zero)};
}

ARN__INLINE int32x4_t requantise(int32x4_t x, arn__requant r) {
  const int32x4_t high = vqrdmulhq_n_s32(x, r.q);
  const int32x4_t less = vshrq_n_s32(vandq_s32(high, vdupq_n_s32(r.shift)), 31);
  return vrshlq_n_s32(vqaddq_s32(high, less), r.shift);
}

ARN__INLINE int32x4_t finish(int32x4_t x, const last *l) {
  return arn__output_x4_apply(requantise(x, l->requant), &l->output);
}

// Four bytes relative to a zero point.
ARN__INLINE int32x4_t widen(uint32x4_t bytes, uint8_t flip, int32_t zero) {
  const uint32x4_t u = veorq_u32(bytes, vdupq_n_u32(flip));
  return vsubq_n_s32(vreinterpretq_s32_u32(u), zero);
}

// ---- sums and differences -----------------------------------------------------------------------

// As in portable/arithmetic_s8.c: differences of 9 bits are shifted left by 20.
enum { SUM_SHIFT = 20 };

typedef struct sum {
  arn__rescale_params p;
  int32_t factor;  // of the input with the larger scale
  int32_t sign;    // of the whole
  last last;
} sum;

ARN__INLINE uint32x4_t sum_four(const sum *s, uint32x4_t small, uint32x4_t large, bool subtracts) {
  const uint32_t i = s->p.small;
  const int32x4_t a = vshlq_n_s32(widen(small, s->p.flip, s->p.zero[i]), SUM_SHIFT);
  int32x4_t x = requantise(a, s->p.to_common);
  x = vmlaq_n_s32(x, widen(large, s->p.flip, s->p.zero[i ^ 1]), s->factor);
  if (subtracts) x = vmulq_n_s32(x, s->sign);
  return vreinterpretq_u32_s32(finish(x, &s->last));
}

ARN__INLINE bool sums(const arn__rescale_params *p, uint8_t *out, const void *const *in,
                      uint32_t count, bool subtracts) {
  sum s;
  s.p = *p;
  s.factor = (subtracts ? -1 : 1) * (1 << (SUM_SHIFT - 1));
  s.sign = subtracts && p->small == 1 ? -1 : 1;
  s.last = last_of(p->to_out, p->clamp, p->zero_out);
  const uint8_t *small = in[p->small], *large = in[p->small ^ 1];
  for (; count >= 4; count -= 4, small += 4, large += 4, out += 4) {
    vstrbq_u32(out, sum_four(&s, vldrbq_u32(small), vldrbq_u32(large), subtracts));
  }
  const mve_pred16_t left = vctp32q(count);
  const uint32x4_t a = vldrbq_z_u32(small, left), b = vldrbq_z_u32(large, left);
  vstrbq_p_u32(out, sum_four(&s, a, b, subtracts), left);
  return true;
}

bool arn__arithmetic_add_s8_mve(const void *params, void *out, const void *const *in,
                                uint32_t count) {
  return sums(params, out, in, count, false);
}

bool arn__arithmetic_sub_s8_mve(const void *params, void *out, const void *const *in,
                                uint32_t count) {
  return sums(params, out, in, count, true);
}

// ---- products -----------------------------------------------------------------------------------

ARN__INLINE uint32x4_t multiply_four(const arn__product_params *p, uint32x4_t a, uint32x4_t b,
                                     const last *l) {
  const int32x4_t x = widen(a, p->flip, p->zero[0]), y = widen(b, p->flip, p->zero[1]);
  return vreinterpretq_u32_s32(finish(vmulq_s32(x, y), l));
}

bool arn__arithmetic_mul_s8_mve(const void *params, void *out, const void *const *in,
                                uint32_t count) {
  const arn__product_params p = *(const arn__product_params *)params;
  if (p.to_out.shift > 0) return arn__arithmetic_mul_s8_portable(params, out, in, count);
  const last l = last_of(p.to_out, p.clamp, p.zero_out);
  const uint8_t *a = in[0], *b = in[1];
  uint8_t *to = out;
  for (; count >= 4; count -= 4, a += 4, b += 4, to += 4) {
    vstrbq_u32(to, multiply_four(&p, vldrbq_u32(a), vldrbq_u32(b), &l));
  }
  const mve_pred16_t left = vctp32q(count);
  const uint32x4_t x = vldrbq_z_u32(a, left), y = vldrbq_z_u32(b, left);
  vstrbq_p_u32(to, multiply_four(&p, x, y, &l), left);
  return true;
}

#endif
