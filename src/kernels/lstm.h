// What an LSTM does with its gates, element by element. Gates and products are of 16 bits: gates in
// units of 2^-15, the cell in units of a power of two. Outputs may be the same memory as inputs.
#ifndef ARENITE_SRC_KERNELS_LSTM_H
#define ARENITE_SRC_KERNELS_LSTM_H

#include "kernel.h"

// out = a + b, saturating.
void arn__lstm_add_s16(int16_t *out, const int16_t *a, const int16_t *b, uint32_t n);
void arn__lstm_add_f32(float *out, const float *a, const float *b, uint32_t n);

// out = clamp(r * a * b) within int16.
void arn__lstm_multiply_s16(int16_t *out, const int16_t *a, const int16_t *b, uint32_t n,
                            arn__requant r);

// cell = clip(forget * cell + input), saturating twice. clip bounds the magnitude; negative: none.
void arn__lstm_cell_s16(int16_t *cell, const int16_t *forget, const int16_t *input, uint32_t n,
                        int32_t clip);
void arn__lstm_cell_f32(float *cell, const float *forget, const float *input, uint32_t n,
                        float clip);

// out = a * b, as the hidden state's type: int8 with a zero point, int16, float.
void arn__lstm_hidden_s8(int8_t *out, const int16_t *a, const int16_t *b, uint32_t n,
                         arn__requant r, int32_t zero);
void arn__lstm_multiply_f32(float *out, const float *a, const float *b, uint32_t n);

#endif
