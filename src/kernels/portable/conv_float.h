// The body of the float kernels: each is an instance of conv_row_float(), with its way to multiply
// known to the compiler.
//
// The windows of ARN__LANES neighbouring output pixels are gathered on the stack, a chunk at a
// time, and multiplied with the weights of all channels of the block. Every sum runs in the order
// of the filter, as in the plain loop. CHUNK is set by who includes this.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_CONV_FLOAT_H
#define ARENITE_SRC_KERNELS_PORTABLE_CONV_FLOAT_H

#include "../lanes.h"
#include "conv_window.h"

#define PIXELS ARN__LANES

typedef struct conv_tile {
  float window[CHUNK * PIXELS];                // [elements][pixels]
  float sums[ARN__CONV_CHANNELS * PIXELS];     // [channels][pixels]
} conv_tile;

// Adds the products of `n` elements of the windows with weights from element `w` of the first
// channel on.
typedef void conv_multiply_float(const conv_pass *p, conv_tile *tile, uint32_t w, uint32_t n);

// Gathers the next `n` elements of `pixels` windows; the cursor is that of the first.
ARN__INLINE void conv_gather_float(const conv_pass *p, conv_cursor *c, float *window,
                                   uint32_t pixels, int32_t n) {
  const int32_t step = p->conv->stride * p->conv->in_channels;
  for (int32_t left = n; left > 0;) {
    conv_cursor pixel = *c;
    int32_t length = 0;
    for (uint32_t j = 0; j < pixels; j++, pixel.origin += step) {
      const conv_piece piece = conv_piece_at(p, &pixel, left);
      const float *row = piece.base;
      float *out = window + j;
      for (int32_t i = 0; i < piece.before; i++, out += PIXELS) *out = 0.0f;
      for (int32_t i = 0; i < piece.inside; i++, out += PIXELS) *out = row[piece.start + i];
      for (int32_t i = 0; i < piece.after; i++, out += PIXELS) *out = 0.0f;
      length = piece.before + piece.inside + piece.after;
    }
    conv_cursor_advance(p, c, length);
    window += (uint32_t)length * PIXELS;
    left -= length;
  }
}

// One channel of all pixels.
ARN__INLINE void conv_multiply_1(float *sums, const float *x, const float *w, uint32_t n) {
  arn__lanes s, a;
  memcpy(&s, sums, sizeof s);
  for (uint32_t i = 0; i < n; i++) {
    memcpy(&a, x + i * PIXELS, sizeof a);
    s += a * w[i];
  }
  memcpy(sums, &s, sizeof s);
}

ARN__INLINE void conv_finish_float(const arn__conv *s, const arn__conv_block *b,
                                   const float *sums, uint32_t pixels, float *out) {
  const float *bias = b->bias, *scale = b->scale;
  const float low = s->low, high = s->high;
  for (uint32_t j = 0; j < pixels; j++, out += s->out_channels) {
    for (uint32_t c = 0; c < b->count; c++) {
      float y = sums[c * PIXELS + j];
      if (scale) y *= scale[c];
      if (bias) y += bias[c];
      y = y < low ? low : y;
      out[c] = high < y ? high : y;
    }
  }
}

ARN__INLINE void conv_row_float(const arn__conv *conv, const arn__conv_row *row,
                                const arn__conv_block *block, conv_multiply_float *multiply) {
  const conv_pass p = conv_pass_of(conv, row, block);
  const uint32_t filter = conv_filter_at(&p);
  float *out = (float *)row->out + block->first;
  conv_tile tile;
  memset(tile.window, 0, sizeof tile.window);
  for (uint32_t x = 0; x < row->columns; x += PIXELS) {
    const uint32_t pixels = row->columns - x < PIXELS ? row->columns - x : PIXELS;
    conv_cursor cursor = conv_cursor_at(&p, row->column + x);
    memset(tile.sums, 0, sizeof tile.sums);
    for (uint32_t at = 0; at < p.window; at += CHUNK) {
      const uint32_t n = p.window - at < CHUNK ? p.window - at : CHUNK;
      conv_gather_float(&p, &cursor, tile.window, pixels, (int32_t)n);
      multiply(&p, &tile, filter + at, n);
    }
    conv_finish_float(conv, block, tile.sums, pixels, out);
    out += pixels * (uint32_t)conv->out_channels;
  }
}

#endif
