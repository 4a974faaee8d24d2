// Copying of a window what can't be widened where it lies, for kernels with the DSP extension.
#ifndef ARENITE_SRC_KERNELS_DSP_WINDOW_H
#define ARENITE_SRC_KERNELS_DSP_WINDOW_H

#include "../portable/conv_window.h"
#include "simd.h"

static inline uint8_t *arn__dsp_copy(uint8_t *to, const uint8_t *from, int32_t n) {
  for (; n >= 4; n -= 4, to += 4, from += 4) {
    const uint32_t word = arn__dsp_load(from);
    memcpy(to, &word, sizeof word);
  }
  for (; n > 0; n--) *to++ = *from++;
  return to;
}

// (A call of memset() would cost more than these few bytes.)
static inline uint8_t *arn__dsp_fill(uint8_t *to, uint8_t value, int32_t n) {
  for (; n > 0; n--) {
    *to++ = value;
    __asm__ volatile("");
  }
  return to;
}

// Copies `n` elements of a row from element `start` on. What lies beyond its ends counts as zero
// points.
static inline void arn__dsp_copy_cut(const conv_pass *p, uint8_t *to, const uint8_t *base,
                                     int32_t start, int32_t n) {
  const uint8_t zero = (uint8_t)p->conv->in_zero;
  const int32_t before = start >= 0 ? 0 : -start < n ? -start : n;
  const int32_t room = p->row_length - (start + before), left = n - before;
  const int32_t inside = room < 0 ? 0 : room < left ? room : left;
  to = arn__dsp_fill(to, zero, before);
  to = arn__dsp_copy(to, base + start + before, inside);
  arn__dsp_fill(to, zero, left - inside);
}

#endif
