// The body of the integer kernels: each is an instance of conv_row_int() for one combination of
// types, with `types` known to the compiler.
//
// The window of an output pixel is gathered on the stack as int16, relative to the input's zero
// point, a chunk at a time, and multiplied with the weights of all channels of the block, which are
// read where they lie.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_CONV_INT_H
#define ARENITE_SRC_KERNELS_PORTABLE_CONV_INT_H

#define CHANNELS ARN__CONV_CHANNELS

#include "conv_sums.h"
#include "conv_window.h"

// Elements of a chunk: sums of so many products of int16 and int8 fit 32 bits.
#define CHUNK 128

// ---- the window ---------------------------------------------------------------------------------

// May read and write up to LANES - 1 elements more than the piece has, where the row has them.
ARN__INLINE void conv_widen(const conv_pass *p, const conv_piece *piece, int16_t *out,
                            conv_types types) {
  const int32_t zero = p->conv->in_zero;
  int32_t i = 0;
  for (; i < piece->inside && piece->start + i + LANES <= p->row_length; i += LANES) {
    for (int32_t j = 0; j < LANES; j++) {
      out[i + j] = conv_element(piece->base, piece->start + i + j, zero, types);
    }
  }
  for (; i < piece->inside; i++) {
    out[i] = conv_element(piece->base, piece->start + i, zero, types);
  }
}

// int4 weights are read in pairs, which an odd start shifts by one.
ARN__INLINE int32_t conv_padded(int32_t n, conv_types types) {
  return types == CONV_S8_S4 ? n + 2 * LANES : (n + LANES - 1) / LANES * LANES;
}

// Gathers the next `n` elements of a window, and zeros for what products read beyond them.
ARN__INLINE void conv_gather(const conv_pass *p, conv_cursor *c, int16_t *window, int32_t n,
                             conv_types types) {
  for (int32_t done = 0; done < n;) {
    const conv_piece piece = conv_piece_at(p, c, n - done);
    int16_t *out = window + done;
    for (int32_t i = 0; i < piece.before; i++) out[i] = 0;
    out += piece.before;
    conv_widen(p, &piece, out, types);
    out += piece.inside;
    for (int32_t i = 0; i < piece.after; i++) out[i] = 0;
    const int32_t length = piece.before + piece.inside + piece.after;
    conv_cursor_advance(p, c, length);
    done += length;
  }
  for (int32_t i = n; i < conv_padded(n, types); i++) window[i] = 0;
}

// ---- products -----------------------------------------------------------------------------------

ARN__INLINE int16_t conv_weight(const uint8_t *w, uint32_t i, conv_types types) {
  return types == CONV_U8 ? w[i] : (int8_t)w[i];
}

// Four channels, `step` weights apart, share the loads of the window.
ARN__INLINE void conv_dot_4(int32_t *sums, const int16_t *x, const uint8_t *w, size_t step,
                            uint32_t n, conv_types types) {
  const uint8_t *w1 = w + step, *w2 = w1 + step, *w3 = w2 + step;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (uint32_t i = 0; i < n; i++) {
    s0 += x[i] * conv_weight(w, i, types);
    s1 += x[i] * conv_weight(w1, i, types);
    s2 += x[i] * conv_weight(w2, i, types);
    s3 += x[i] * conv_weight(w3, i, types);
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

ARN__INLINE int32_t conv_dot_1(const int16_t *x, const uint8_t *w, uint32_t n, conv_types types) {
  int32_t s = 0;
  for (uint32_t i = 0; i < n; i++) s += x[i] * conv_weight(w, i, types);
  return s;
}

// Weights [at, at + n), two a byte, the even one in the low half; reads on where the filter goes
// on.
ARN__INLINE int32_t conv_dot_s4(const conv_pass *p, const int16_t *x, uint32_t at, uint32_t n) {
  const uint8_t *w = (const uint8_t *)p->block->filter + at / 2;
  const uint32_t bytes = (p->conv->filter_count + 1) / 2;
  int32_t s = 0, t = 0;
  if (at % 2 && n > 0) {
    s = *x++ * ((int8_t)*w++ >> 4);
    n--;
  }
  uint32_t pairs = (n + 2 * LANES - 1) / (2 * LANES) * LANES;
  if (LANES > 1 && (at + 1) / 2 + pairs > bytes) {
    pairs = n / 2;
    if (n % 2) t = x[n - 1] * ((int8_t)(w[pairs] << 4) >> 4);
  }
  for (uint32_t i = 0; i < pairs; i++) {
    s += x[2 * i] * (int16_t)((int16_t)(w[i] << 12) >> 12);
    t += x[2 * i + 1] * (int16_t)((int16_t)(w[i] << 8) >> 12);
  }
  return s + t;
}

ARN__INLINE void conv_add(const conv_sums *sums, uint32_t c, int32_t sum, conv_types types) {
  if (types == CONV_S16) sums->s64[c] += sum;
  else sums->s32[c] = (int32_t)((uint32_t)sums->s32[c] + (uint32_t)sum);
}

// The last of `n` elements of four channels, copied to be followed by zeros.
ARN__INLINE void conv_dot_tail(int32_t *sums, const int16_t *x, const uint8_t *w, size_t step,
                               uint32_t n, conv_types types) {
  uint8_t tail[4][LANES] = {{0}};
  int32_t more[4];
  const uint32_t whole = n / LANES * LANES;
  for (uint32_t c = 0; c < 4; c++) {
    for (uint32_t i = whole; i < n; i++) tail[c][i - whole] = w[c * step + i];
  }
  conv_dot_4(more, x + whole, tail[0], LANES, LANES, types);
  for (uint32_t c = 0; c < 4; c++) sums[c] += more[c];
}

// Multiplies `n` elements of the window with the weights of four channels; reads on up to a
// multiple of LANES where the filter goes on.
ARN__INLINE void conv_four(int32_t *sums, const conv_pass *p, const int16_t *x, uint32_t w,
                           uint32_t n, conv_types types) {
  const uint32_t step = p->conv->filter_step, odd = n % LANES;
  const uint8_t *weights = (const uint8_t *)p->block->filter + w;
  const bool fits = odd == 0 || w + 3 * step + n - odd + LANES <= p->conv->filter_count;
  conv_dot_4(sums, x, weights, step, fits ? (n + LANES - 1) / LANES * LANES : n - odd, types);
  if (!fits) conv_dot_tail(sums, x, weights, step, n, types);
}

// Multiplies a chunk of the window, which is at element `at` of it, with all channels' weights.
ARN__INLINE void conv_multiply(const conv_pass *p, const conv_sums *sums, const int16_t *window,
                               uint32_t at, uint32_t n, conv_types types) {
  const arn__conv_block *b = p->block;
  const uint32_t step = p->conv->filter_step;
  uint32_t w = conv_filter_at(p) + at;
  uint32_t c = 0;
  for (; types != CONV_S8_S4 && c + 4 <= b->count; c += 4, w += 4 * step) {
    int32_t four[4];
    conv_four(four, p, window, w, n, types);
    for (uint32_t i = 0; i < 4; i++) conv_add(sums, c + i, four[i], types);
  }
  for (; c < b->count; c++, w += step) {
    const int32_t sum = types == CONV_S8_S4
                            ? conv_dot_s4(p, window, w, n)
                            : conv_dot_1(window, (const uint8_t *)b->filter + w, n, types);
    conv_add(sums, c, sum, types);
  }
}

// What the filter's zero point takes off every sum.
ARN__INLINE void conv_subtract_zero(const conv_pass *p, const conv_sums *sums,
                                    const int16_t *window, uint32_t n) {
  int32_t s = 0;
  for (uint32_t i = 0; i < n; i++) s += window[i];
  const uint32_t off = (uint32_t)s * (uint32_t)p->conv->filter_zero;
  for (uint32_t c = 0; c < p->block->count; c++) {
    sums->s32[c] = (int32_t)((uint32_t)sums->s32[c] - off);
  }
}

// ---- the row ------------------------------------------------------------------------------------

ARN__INLINE void conv_row_int(const arn__conv *s, const arn__conv_row *r, const arn__conv_block *b,
                              conv_types types) {
  const conv_pass p = conv_pass_of(s, r, b);
  uint8_t *out = (uint8_t *)r->out + b->first * conv_bytes(types);
  for (uint32_t i = 0; i < r->columns; i++) {
    int32_t s32[CHANNELS];
    int64_t s64[CHANNELS];
    const conv_sums sums = {s32, s64};
    conv_cursor cursor = conv_cursor_at(&p, r->column + i);
    conv_start(s, b, &sums, types);
    for (uint32_t at = 0; at < p.window; at += CHUNK) {
      int16_t window[CHUNK + 2 * LANES];
      const uint32_t n = p.window - at < CHUNK ? p.window - at : CHUNK;
      conv_gather(&p, &cursor, window, (int32_t)n, types);
      conv_multiply(&p, &sums, window, at, n, types);
      if (types == CONV_U8) conv_subtract_zero(&p, &sums, window, n);
    }
    conv_finish(s, b, &sums, out, types);
    out += (uint32_t)s->out_channels * conv_bytes(types);
  }
}

#endif
