// Log-softmax of int8 in fixed point, bit for bit the reference's.
#include "softmax_8.h"

// log(x) for x >= 1, Q12.19 to Q5.26: x is brought near sqrt(sqrt(1/2)) by a power of two, found
// twice (for x and for x * sqrt(1/2)) to come within a factor of the fourth root of 2; then a
// rational approximation.
static int32_t log_of(int32_t x) {
  const int32_t root = 1518500250, fourth_root = 1805811301;  // of 1/2
  const int32_t quarter = 1 << 23;                            // in Q6.25, as the exponents
  const int32_t zeros_a = arn__fixed_leading_zeros((uint32_t)x);
  const int32_t exponent_a = (12 - zeros_a) * (1 << 25) + quarter;
  const int32_t raised = (int32_t)((uint32_t)x << (zeros_a - 1));
  const int32_t a = arn__fixed_shift_left(arn__fixed_mul(raised, root), 1);
  const int32_t room_b = arn__fixed_leading_zeros((uint32_t)arn__fixed_mul(x, root)) - 1;
  const int32_t exponent_b = (12 - room_b) * (1 << 25) - quarter;
  const int32_t b = room_b > 0 ? arn__fixed_shift_left(x, room_b) : x;

  const int32_t r = a < b ? a : b;
  const int32_t exponent = exponent_a > exponent_b ? exponent_a : exponent_b;
  const int32_t p = (int32_t)(((int64_t)r + fourth_root + 1) >> 1);
  const int32_t q = 2 * (r - fourth_root);
  const int32_t q2 = arn__fixed_mul(q, q);
  const int32_t above = arn__fixed_mul(q, r) +
                        arn__fixed_mul(arn__fixed_mul(q, q2), 117049297);
  const int32_t below = arn__fixed_mul(p, 1057819769 + q + arn__fixed_mul(127690142, q2)) +
                        arn__fixed_mul(638450708, q);  // without 1
  const int32_t scaled = arn__rounding_divide(above, 6);
  const int32_t sum = arn__fixed_mul(exponent, 1488522236) +
                      arn__fixed_mul(scaled, arn__fixed_one_over(below));
  return arn__fixed_shift_left(sum, 1);
}

// What the logarithms of a vector have in common.
typedef struct terms {
  int32_t most, log_sum;
  int32_t low;  // differences up to here have no logarithm that counts
} terms;

ARN__INLINE void write_logarithms(const int8_t *in, int8_t *out, uint32_t depth,
                                  const terms *t, const arn__softmax_scaling *s) {
  const arn__clamp bounds = {-128, 127};
  const int32_t most = t->most, log_sum = t->log_sum, low = t->low;
  const arn__requant r = s->requant;
  const uint8_t flip = s->flip;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < depth; i++) {
    const int32_t x = element(in, i, flip) - most;
    const int32_t shifted = (int32_t)((uint32_t)x << r.shift);
    const uint32_t scaled = (uint32_t)arn__fixed_mul(shifted, r.q) - (uint32_t)log_sum;
    const int32_t y = arn__rounding_divide((int32_t)scaled, 22) + 127;
    const int32_t bounded = x > low ? arn__clamp_s32(y, bounds) : -128;
    out[i] = (int8_t)((uint8_t)bounded ^ flip);
  }
}

ARN__KERNEL static void log_vector(const int8_t *in, int8_t *out, uint32_t depth,
                                   const arn__softmax_scaling *s, arn__requant reverse) {
  int32_t values[ARN__SOFTMAX_BLOCK];
  const int32_t most = largest(in, depth, s->flip);
  const uint64_t sum = sum_of_exponentials(in, depth, most, s, values);
  const int32_t log_sum = log_of(sum < INT32_MAX ? (int32_t)sum : INT32_MAX);
  // differences up to here fall below what Q5.26 holds once the logarithm is taken off
  const int32_t floor = arn__requantise((int32_t)((uint32_t)log_sum + 0x80000000u), reverse);
  const int32_t least = -((31 << 26) >> s->requant.shift) - 1;
  const terms t = {most, log_sum, floor > least ? floor : least};
  write_logarithms(in, out, depth, &t, s);
}

void arn__softmax_log_s8(const arn__softmax_span *span, const arn__softmax_scaling *scaling,
                         arn__requant reverse) {
  const int8_t *in = span->in;
  int8_t *out = span->out;
  for (uint32_t v = 0; v < span->vectors; v++, in += span->depth, out += span->depth) {
    log_vector(in, out, span->depth, scaling, reverse);
  }
}
