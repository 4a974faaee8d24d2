// Activations of quantised values. Kernels have the signature of unary.h.
#ifndef ARENITE_SRC_KERNELS_ACTIVATION_H
#define ARENITE_SRC_KERNELS_ACTIVATION_H

#include "unary.h"
#include "x86/x86.h"

// Two lines that meet at zero: out = clamp(out_zero + (in - in_zero) * slope). Multipliers may be
// negative. ReLU and requantisation have equal slopes, abs and negation slopes of -1 or 1.
typedef struct arn__activation_slopes {
  arn__requant positive, negative;
  int32_t in_zero, out_zero;
  arn__clamp clamp;
} arn__activation_slopes;

// logistic and tanh of int8: the scale of the input as a multiplier into Q4.27.
typedef struct arn__activation_curve {
  arn__requant requant;
  int32_t in_zero;
} arn__activation_curve;

// logistic and tanh of int16, read from a table over [0, 10.7): the multiplier (below 2^15) takes
// the input, after a rounding shift right (0..31), to 1/12288.
typedef struct arn__activation_lookup {
  int32_t multiplier, shift;
} arn__activation_lookup;

// Hard swish, all in 16 bits: multipliers of Q0.15, the input's with an exponent of any sign, the
// output's with a right shift.
typedef struct arn__activation_hard_swish {
  int32_t in_zero, out_zero;
  int32_t gate, gate_exponent;  // in_scale / 3 relative to 128 steps
  int32_t multiplier, right_shift;
} arn__activation_hard_swish;

// A function of real numbers on 8-bit or 16-bit values: dequantise, apply, quantise.
typedef struct arn__activation_real {
  float in_scale, out_inverse;  // 1 / out_scale
  int32_t in_zero, out_zero;
} arn__activation_real;

#if defined(ARN__X86)
#define arn__activation_logistic_s8 arn__activation_logistic_s8_x86
#define arn__activation_tanh_s8 arn__activation_tanh_s8_x86
#define arn__activation_logistic_s16 arn__activation_logistic_s16_x86
#define arn__activation_tanh_s16 arn__activation_tanh_s16_x86
#else
#define arn__activation_logistic_s8 arn__activation_logistic_s8_portable
#define arn__activation_tanh_s8 arn__activation_tanh_s8_portable
#define arn__activation_logistic_s16 arn__activation_logistic_s16_portable
#define arn__activation_tanh_s16 arn__activation_tanh_s16_portable
#endif

// 65536 * logistic(i / 24), for logistic_s16 and tanh_s16.
extern const uint16_t arn__activation_sigmoid[256];

#define ARN__ACTIVATION_DECLARE(name) \
  void arn__activation_##name(const void *in, void *out, uint32_t count, const void *params)

ARN__ACTIVATION_DECLARE(clamp_s8);       // params: arn__clamp
ARN__ACTIVATION_DECLARE(clamp_s16);      // params: arn__clamp
ARN__ACTIVATION_DECLARE(slopes_s8);      // params: arn__activation_slopes
ARN__ACTIVATION_DECLARE(slopes_s16);     // params: arn__activation_slopes
// params: arn__activation_curve; out: logistic 1/256, zero -128; tanh 1/128, zero 0
ARN__ACTIVATION_DECLARE(logistic_s8_portable);
ARN__ACTIVATION_DECLARE(logistic_s8_x86);
ARN__ACTIVATION_DECLARE(tanh_s8_portable);
ARN__ACTIVATION_DECLARE(tanh_s8_x86);
// params: arn__activation_lookup; out: 1/32768
ARN__ACTIVATION_DECLARE(logistic_s16_portable);
ARN__ACTIVATION_DECLARE(logistic_s16_x86);
ARN__ACTIVATION_DECLARE(tanh_s16_portable);
ARN__ACTIVATION_DECLARE(tanh_s16_x86);
ARN__ACTIVATION_DECLARE(hard_swish_s8);  // params: arn__activation_hard_swish
ARN__ACTIVATION_DECLARE(elu_s8);         // params: arn__activation_real; so the rest
ARN__ACTIVATION_DECLARE(exp_s8);
ARN__ACTIVATION_DECLARE(log_s8);
ARN__ACTIVATION_DECLARE(gelu_s8);
ARN__ACTIVATION_DECLARE(gelu_tanh_s8);
ARN__ACTIVATION_DECLARE(elu_s16);
ARN__ACTIVATION_DECLARE(exp_s16);
ARN__ACTIVATION_DECLARE(log_s16);
ARN__ACTIVATION_DECLARE(gelu_s16);
ARN__ACTIVATION_DECLARE(gelu_tanh_s16);

#endif
