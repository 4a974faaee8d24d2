#include "../resize.h"

// Copies pixels whose size the compiler knows.
#define COPY_PIXELS(bytes)                                                                      \
  for (uint32_t i = 0; i < row->x.out; i++, out += (bytes)) {                                   \
    memcpy(out, in + (size_t)(bytes) * arn__resize_nearest(&row->x, row->flags, i), (bytes));   \
  }                                                                                             \
  break

void arn__resize_nearest_row(uint8_t *out, const uint8_t *in, const arn__resize_row *row) {
  switch (row->channels) {
    case 1: COPY_PIXELS(1);
    case 2: COPY_PIXELS(2);
    case 3: COPY_PIXELS(3);
    case 4: COPY_PIXELS(4);
    case 8: COPY_PIXELS(8);
    default: COPY_PIXELS(row->channels);
  }
}

// The mean of four pixels, weighted by parts of 2^20, rounded to nearest, halves away from zero.
#define BILINEAR(name, type, wide)                                                              \
  ARN__KERNEL void name(type *out, const type *top, const type *bottom, int32_t share,          \
                        const arn__resize_row *row) {                                           \
    const uint32_t channels = row->channels;                                                    \
    for (uint32_t x = 0; x < row->x.out; x++, out += channels) {                                \
      const arn__resize_point at = arn__resize_between(&row->x, row->flags, x);                 \
      const type *a = top + at.low * channels, *b = top + at.high * channels;                   \
      const type *c = bottom + at.low * channels, *d = bottom + at.high * channels;             \
      const wide wd = share * at.share, wc = 1024 * share - wd;                                 \
      const wide wb = 1024 * at.share - wd, wa = (1 << 20) - wb - wc - wd;                      \
      for (uint32_t i = 0; i < channels; i++) {                                                 \
        const wide sum = a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd;                         \
        out[i] = (type)((sum + (1 << 19) - (sum < 0)) >> 20);                                   \
      }                                                                                         \
    }                                                                                           \
  }

BILINEAR(arn__resize_bilinear_s8, int8_t, int32_t)
BILINEAR(arn__resize_bilinear_u8, uint8_t, int32_t)
BILINEAR(arn__resize_bilinear_s16, int16_t, int64_t)

// ---- between scales -----------------------------------------------------------------------------

static int32_t load(const void *from, uint32_t i, const arn__resize_scaled *how) {
  if (how->element_bytes == 2) return ((const int16_t *)from)[i];
  return how->is_signed ? ((const int8_t *)from)[i] : ((const uint8_t *)from)[i];
}

static void store(void *to, uint32_t i, int32_t value, const arn__resize_scaled *how) {
  if (how->element_bytes == 2) {
    ((int16_t *)to)[i] = (int16_t)value;
  } else {
    ((uint8_t *)to)[i] = (uint8_t)value;
  }
}

// Rounds a sum of weights 2^20 to the fraction that requantising takes.
static int32_t rescale(int64_t sum, const arn__resize_scale *s) {
  const int64_t half = INT64_C(1) << (19 - ARN__RESIZE_FRACTION_BITS);
  const int32_t mean = (int32_t)((sum + half) >> (20 - ARN__RESIZE_FRACTION_BITS));
  return arn__clamp_s32(arn__requantise(mean, s->multiplier) + s->out_zero, s->range);
}

void arn__resize_bilinear_scaled(void *out, const void *top, const void *bottom, int32_t share,
                                 const arn__resize_scaled *how) {
  const arn__resize_row *row = how->row;
  const int64_t zero = (int64_t)how->scale->in_zero * (1 << 20);
  uint32_t to = 0;
  for (uint32_t x = 0; x < row->x.out; x++) {
    const arn__resize_point at = arn__resize_between(&row->x, row->flags, x);
    const uint32_t low = at.low * row->channels, high = at.high * row->channels;
    const int64_t wd = share * at.share, wc = 1024 * share - wd;
    const int64_t wb = 1024 * at.share - wd, wa = (1 << 20) - wb - wc - wd;
    for (uint32_t i = 0; i < row->channels; i++, to++) {
      const int64_t sum = load(top, low + i, how) * wa + load(top, high + i, how) * wb +
                          load(bottom, low + i, how) * wc + load(bottom, high + i, how) * wd;
      store(out, to, rescale(sum - zero, how->scale), how);
    }
  }
}

ARN__KERNEL void arn__resize_bilinear_f32(float *out, const float *top, const float *bottom,
                                          float share, const arn__resize_row *row) {
  const uint32_t channels = row->channels;
  for (uint32_t x = 0; x < row->x.out; x++, out += channels) {
    const arn__resize_point_f32 at = arn__resize_between_f32(&row->x, row->flags, x);
    const float *a = top + at.low * channels, *b = top + at.high * channels;
    const float *c = bottom + at.low * channels, *d = bottom + at.high * channels;
    const float wa = (1.0f - share) * (1.0f - at.share), wb = (1.0f - share) * at.share;
    const float wc = share * (1.0f - at.share), wd = share * at.share;
    for (uint32_t i = 0; i < channels; i++) {
      out[i] = a[i] * wa + c[i] * wc + b[i] * wb + d[i] * wd;
    }
  }
}
