// Sums of products of widened windows with rows of weights, for the DSP extension: the inner loops
// of convolutions and dot products.
//
// A window holds elements relative to the zero point as int16, two in a word: of every four, the
// even ones, then the odd ones, as SXTB16 has those of a word of weights; what lacks of four are
// zeros. Of four windows that go together, the even words lie side by side, and so do the odd ones.
#ifndef ARENITE_SRC_KERNELS_DSP_PRODUCTS_H
#define ARENITE_SRC_KERNELS_DSP_PRODUCTS_H

#include "simd.h"

// Elements of a large step.
#define ARN__DSP_STEP_4 16u
#define ARN__DSP_STEP_1 32u

// Rows of weights, each from where its sums begin to where they go. The order of the members
// counts.
typedef struct arn__dsp_rows {
  const int8_t *w, *end;        // 0, 4: the first row, and the one that is no more taken
  uint32_t step;                // 8: from a row to the next one
  const int32_t *bias;          // 12: sums begin with that of the row; NULL: with `from`
  const uint32_t *x;            // 16: the windows
  const int32_t *from;          // 20: of a row, as many sums as there are windows
  const arn__requant *requant;  // 24: of the row
  int32_t zero;                 // 28: of outputs
  int8_t *out;                  // 32: of the row; NULL: sums go to `to`
  uint32_t out_step, out_last;  // 36, 40: from there to the second window's, and the fourth's
  int32_t *to;                  // 44
  const uint32_t *most, *last;  // 48, 52: ends of the windows, in large steps and in all
} arn__dsp_rows;

// Four windows. Rows are read up to a multiple of four weights. What `rows` says moves on.
void arn__dsp_multiply_4(arn__dsp_rows *rows);

// One window, and an even number of rows. (With step 0, w == end, `from` and `to`, one row is taken
// for both.)
void arn__dsp_multiply_1(arn__dsp_rows *rows);

#endif
