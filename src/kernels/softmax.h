// Softmax along contiguous vectors of `depth` elements.
#ifndef ARENITE_SRC_KERNELS_SOFTMAX_H
#define ARENITE_SRC_KERNELS_SOFTMAX_H

#include "elementwise.h"
#include "x86/x86.h"

// Vectors to go over. in and out: [vectors][depth]; the same memory where elements have equal
// sizes.
typedef struct arn__softmax_span {
  const void *in;
  void *out;
  uint32_t vectors, depth;  // depth >= 1
} arn__softmax_span;

// Integers: `requant` takes a difference of two inputs to Q5.26 (8 bits; shift 1..31), or to
// 65535ths of 10 (16 bits).
typedef struct arn__softmax_scaling {
  arn__requant requant;
  uint8_t flip;            // 0x80: in (and 8-bit out) are uint8
  const int32_t *table;    // of arn__softmax_fill(), or NULL: exp is computed where it is needed
} arn__softmax_scaling;

// exp of n differences to a largest element (<= 0), in place: Q0.31, and 0 below -31. The inner
// loop of the 8-bit kernels. Needs: shift in 1..31; room for n rounded up to 8 values, the rest of
// which is anything.
void arn__softmax_exp_q31_portable(int32_t *values, uint32_t n, arn__requant requant);
#if defined(ARN__X86)
void arn__softmax_exp_q31_x86(int32_t *values, uint32_t n, arn__requant requant);
#define arn__softmax_exp_q31 arn__softmax_exp_q31_x86
#else
#define arn__softmax_exp_q31 arn__softmax_exp_q31_portable
#endif

// 16 bits: writes exp of the differences of n elements to `most`, and returns their sum. out may be
// in. The table is 2^15 * exp(x) over [-10, 0] in 512 intervals.
extern const int16_t arn__softmax_exp_table[513];
uint32_t arn__softmax_exp_s16_portable(const int16_t *in, int16_t *out, uint32_t n, int32_t most,
                                       arn__requant requant);
#if defined(ARN__X86)
uint32_t arn__softmax_exp_s16_x86(const int16_t *in, int16_t *out, uint32_t n, int32_t most,
                                  arn__requant requant);
#define arn__softmax_exp_s16 arn__softmax_exp_s16_x86
#else
#define arn__softmax_exp_s16 arn__softmax_exp_s16_portable
#endif

// Returns the entries that a table of exp takes: of all differences that count, and one below. A
// multiple of 8, at most 264.
static inline uint32_t arn__softmax_entries(arn__requant requant) {
  const uint32_t count = (UINT32_C(31) << 26) >> requant.shift;
  return ((count < 255 ? count : 255) + 9) & ~7u;
}

// Fills a table with exp of 0, -1, -2, ... for 8-bit kernels: worth it from about as many elements
// on as it has entries.
void arn__softmax_fill(int32_t *table, arn__requant requant);

// out: 1/256, zero -128 (0 for uint8). 400 bytes of stack.
void arn__softmax_s8(const arn__softmax_span *span, const arn__softmax_scaling *scaling);
// in: int8, out: int16, 1/65536, zero -32768.
void arn__softmax_s8_s16(const arn__softmax_span *span, const arn__softmax_scaling *scaling);
// out: 1/32768, zero 0. Needs: depth <= 65536.
void arn__softmax_s16(const arn__softmax_span *span, const arn__softmax_scaling *scaling);
void arn__softmax_f32(const arn__softmax_span *span, float beta);

// The logarithm: 8-bit out has scale 1/16 and zero 127. `reverse` takes Q5.26 back to steps of the
// input.
void arn__softmax_log_s8(const arn__softmax_span *span, const arn__softmax_scaling *scaling,
                         arn__requant reverse);
void arn__softmax_log_f32(const arn__softmax_span *span);

#endif
