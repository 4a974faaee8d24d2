// Gathering the window of a pixel, a chunk at a time, for kernels with the DSP extension.
#ifndef ARENITE_SRC_KERNELS_DSP_WINDOW_H
#define ARENITE_SRC_KERNELS_DSP_WINDOW_H

#include "../portable/conv_window.h"
#include "simd.h"

// What lies beyond the ends of a row counts as zero points.
static inline void arn__dsp_copy_cut(const conv_pass *p, uint8_t *to, const uint8_t *base,
                                     int32_t start, int32_t n) {
  for (int32_t i = start; i < start + n; i++) {
    *to++ = i < 0 || i >= p->row_length ? (uint8_t)p->conv->in_zero : base[i];
  }
}

static inline void arn__dsp_copy(uint8_t *to, const uint8_t *from, int32_t n) {
  for (; n >= 4; n -= 4, to += 4, from += 4) {
    const uint32_t word = arn__dsp_load(from);
    memcpy(to, &word, sizeof word);
  }
  for (; n > 0; n--) *to++ = *from++;
}

// Returns the next `n` elements of a window: where they lie, or copied.
static inline const uint8_t *arn__dsp_gather(const conv_pass *p, conv_cursor *c,
                                             uint8_t *copy, int32_t n) {
  for (int32_t done = 0; done < n;) {
    const int32_t start = c->origin + c->run * p->run_step + c->at;
    const int32_t left = p->run_length - c->at, length = left < n - done ? left : n - done;
    const uint8_t *base = c->base;
    const bool inside = start >= 0 && start + length <= p->row_length;
    conv_cursor_advance(p, c, length);
    if (inside && length == n) return base + start;
    if (inside) arn__dsp_copy(copy + done, base + start, length);
    else arn__dsp_copy_cut(p, copy + done, base, start, length);
    done += length;
  }
  return copy;
}

#endif
