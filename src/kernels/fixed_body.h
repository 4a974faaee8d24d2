// The formulas of fixed.h, for one number or for several in a vector: included once for each kind
// of FIXED_LANE, with
//   FIXED(name)               the name of a function
//   FIXED_MUL(a, b)           a * b / 2^31, half up; not both INT32_MIN
//   FIXED_SELECT(c, a, b)     a where the comparison c holds, else b
//   FIXED_SHIFT(a, n)         a * 2^n, of which the upper bits are dropped
// No include guard: it is a template.

// Returns x * 2^exponent, saturated. Needs: 0 < exponent < 31.
ARN__INLINE FIXED_LANE FIXED(shift_left)(FIXED_LANE x, int32_t exponent) {
  const int32_t most = (1 << (31 - exponent)) - 1;
  const FIXED_LANE low = FIXED_SELECT(x < -most, FIXED_ALL(INT32_MIN), FIXED_SHIFT(x, exponent));
  return FIXED_SELECT(x > most, FIXED_ALL(INT32_MAX), low);
}

// exp(a) for a in [-1/4, 0), Q0.31 to Q0.31: a Taylor polynomial about -1/8. The sums that are
// halved are never negative (x^2 outweighs x^3 / 3), so that half up is half away.
ARN__INLINE FIXED_LANE FIXED(exp_quarter)(FIXED_LANE a) {
  const FIXED_LANE exp_minus_eighth = FIXED_ALL(1895147668);
  const FIXED_LANE x = a + (1 << 28);
  const FIXED_LANE x2 = FIXED_MUL(x, x);
  const FIXED_LANE x3 = FIXED_MUL(x2, x);
  const FIXED_LANE x4 = FIXED_MUL(x2, x2);
  const FIXED_LANE high = FIXED_MUL(((x4 + 2) >> 2) + x3, FIXED_ALL(715827883)) + x2;  // of 1/3
  return exp_minus_eighth + FIXED_MUL(exp_minus_eighth, x + ((high + 1) >> 1));
}

// Multiplies y by `factor` where bit `bit` of `rest` is set.
ARN__INLINE FIXED_LANE FIXED(times_where)(FIXED_LANE y, FIXED_LANE rest, int32_t bit,
                                          int32_t factor) {
  return FIXED_SELECT((rest & (1 << bit)) != 0, FIXED_MUL(y, FIXED_ALL(factor)), y);
}

// exp(a) for a <= 0 in Q[integer_bits].[31 - integer_bits], to Q0.31. integer_bits is 4 or 5 and a
// constant at every call. The part below 1/4 goes through the polynomial, each bit above is a
// factor.
ARN__INLINE FIXED_LANE FIXED(exp)(FIXED_LANE a, int32_t integer_bits) {
  const int32_t bit = 29 - integer_bits;  // of 1/4
  const FIXED_LANE low = (a & ((1 << bit) - 1)) - (1 << bit);
  const FIXED_LANE rest = low - a;
  FIXED_LANE y = FIXED(exp_quarter)(FIXED_SHIFT(low, integer_bits));
  y = FIXED(times_where)(y, rest, bit, 1672461947);
  y = FIXED(times_where)(y, rest, bit + 1, 1302514674);
  y = FIXED(times_where)(y, rest, bit + 2, 790015084);
  y = FIXED(times_where)(y, rest, bit + 3, 290630308);
  y = FIXED(times_where)(y, rest, bit + 4, 39332535);
  y = FIXED(times_where)(y, rest, bit + 5, 720401);
  if (integer_bits == 5) y = FIXED(times_where)(y, rest, bit + 6, 242);
  return FIXED_SELECT(a == 0, FIXED_ALL(ARN__FIXED_ONE), y);
}

// 2 / (1 + a) for a in [0, 1), Q0.31 to Q2.29: Newton's division, three steps from 48/17 - 32/17 d.
ARN__INLINE FIXED_LANE FIXED(two_over)(FIXED_LANE a) {
  const FIXED_LANE half_denominator = (a >> 1) + (1 << 30);
  FIXED_LANE x = FIXED_MUL(half_denominator, FIXED_ALL(-1010580540)) + 1515870810;
  for (int32_t i = 0; i < 3; i++) {
    const FIXED_LANE error = (1 << 29) - FIXED_MUL(half_denominator, x);
    x += FIXED(shift_left)(FIXED_MUL(x, error), 2);
  }
  return x;
}

// 1 / (1 + a) for a in [0, 1), Q0.31.
ARN__INLINE FIXED_LANE FIXED(one_over)(FIXED_LANE a) {
  return FIXED(shift_left)(FIXED(two_over)(a), 1);
}

// logistic(a), Q4.27 to Q0.31.
ARN__INLINE FIXED_LANE FIXED(logistic)(FIXED_LANE a) {
  const FIXED_LANE minus = FIXED_SELECT(a > 0, -a, a);
  const FIXED_LANE positive = FIXED(one_over)(FIXED(exp)(minus, 4));
  const FIXED_LANE y = FIXED_SELECT(a > 0, positive, ARN__FIXED_ONE - positive);
  return FIXED_SELECT(a == 0, FIXED_ALL(1 << 30), y);
}

// tanh(a), Q4.27 to Q0.31: (1 - e) / (1 + e) with e = exp(-2 |a|), whose argument is a in Q5.26.
ARN__INLINE FIXED_LANE FIXED(tanh)(FIXED_LANE a) {
  const FIXED_LANE minus = FIXED_SELECT(a > 0, -a, a);
  const FIXED_LANE two_over = FIXED(two_over)(FIXED(exp)(minus, 5));
  const FIXED_LANE t = FIXED(shift_left)(two_over - (1 << 29), 2);
  return FIXED_SELECT(a == 0, FIXED_ALL(0), FIXED_SELECT(a > 0, t, -t));
}
