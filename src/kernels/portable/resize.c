#include "../lanes.h"
#include "../resize.h"

#define BLOCK (ARN__LANES > 1 ? 64u : 8u)  // columns whose places are worked out together

ARN__KERNEL static void nearest_places(const arn__resize_axis *axis, uint32_t flags, uint32_t first,
                                       uint32_t n, uint32_t *places) {
  const arn__resize_axis a = *axis;
  if (flags & ARN__RESIZE_ALIGN_CORNERS) {
    for (uint32_t i = 0; i < n; i++) places[i] = arn__resize_nearest(&a, flags, first + i);
  } else {
    flags &= ARN__RESIZE_HALF_PIXEL;
    for (uint32_t i = 0; i < n; i++) places[i] = arn__resize_nearest(&a, flags, first + i);
  }
}

// Copies pixels whose size the compiler knows.
#define COPY_PIXELS(bytes)                                                       \
  for (uint32_t i = 0; i < n; i++, out += (bytes)) {                             \
    memcpy(out, in + (size_t)(bytes) * places[i], (bytes));                      \
  }                                                                              \
  break

static void copy_pixels(uint8_t *out, const uint8_t *in, uint32_t bytes, const uint32_t *places,
                        uint32_t n) {
  switch (bytes) {
    case 1: COPY_PIXELS(1);
    case 2: COPY_PIXELS(2);
    case 3: COPY_PIXELS(3);
    case 4: COPY_PIXELS(4);
    case 6: COPY_PIXELS(6);
    case 8: COPY_PIXELS(8);
    case 12: COPY_PIXELS(12);
    case 16: COPY_PIXELS(16);
    case 32: COPY_PIXELS(32);
    case 64: COPY_PIXELS(64);
    default: COPY_PIXELS(bytes);
  }
}

void arn__resize_nearest_row(uint8_t *out, const uint8_t *in, const arn__resize_row *row) {
  uint32_t places[BLOCK];
  for (uint32_t x = 0; x < row->x.out; x += BLOCK) {
    const uint32_t n = row->x.out - x < BLOCK ? row->x.out - x : BLOCK;
    nearest_places(&row->x, row->flags, x, n, places);
    copy_pixels(out + (size_t)x * row->channels, in, row->channels, places, n);
  }
}

// ---- between pixels -----------------------------------------------------------------------------

#define LANES 8u
#define TILE (ARN__LANES > 1 ? 512u : 32u)  // mixed values that are kept; hosts have the stack

// Pixels of three channels are mixed as vectors of four, the last of which the next pixel replaces.
// Arrays of sums and of mixed values have an element more for it.
#define AS_FOUR(count) ((count) == 3 && ARN__LANES > 1)

typedef struct resize_rows {
  const void *top, *bottom;
  uint32_t channels;
} resize_rows;

// As many channels as two pixels of a tile may have.
typedef struct resize_part {
  uint32_t first, count;
  uint32_t pixels;  // of a tile
} resize_part;

static inline resize_part part_of(const arn__resize_row *row, uint32_t first) {
  const uint32_t left = row->channels - first, count = left < TILE / 2 ? left : TILE / 2;
  return (resize_part){first, count, TILE / count};
}

// Sums of parts of 2^bits: rounded to nearest, halves away from zero.
#define ROUNDED(sum, bits) (((sum) + (1 << ((bits) - 1)) - ((sum) < 0)) >> (bits))

#define MIX_PLAIN(a, b, share) ((a) * (ONE - (share)) + (b) * (share))

// The sum of 16-bit values has 36 bits. Its lowest ten bits only matter as zero or not, so they
// become one, and the sum one of parts of 2^11: a * 1024 + (b - a) * share, in 32 bits.
ARN__INLINE int32_t mix_16(int32_t a, int32_t b, int32_t share) {
  const int32_t high = (b - a) >> 10, low = ((b - a) & 1023) * share;
  return (a + high * share + (low >> 10)) * 2 + ((low & 1023) != 0);
}

#define NAME(x) x##_s8
#define TYPE int8_t
#define MIXED int32_t
#define WIDE int32_t
#define POINT arn__resize_point
#define BETWEEN arn__resize_between
#define ONE 1024
#define MIX(a, b, share) MIX_PLAIN(a, b, share)
#define FINISH(sum) ROUNDED(sum, 20)
#include "resize_bilinear.h"

#define NAME(x) x##_u8
#define TYPE uint8_t
#define MIXED int32_t
#define WIDE int32_t
#define POINT arn__resize_point
#define BETWEEN arn__resize_between
#define ONE 1024
#define MIX(a, b, share) MIX_PLAIN(a, b, share)
#define FINISH(sum) ROUNDED(sum, 20)
#include "resize_bilinear.h"

#define NAME(x) x##_s16
#define TYPE int16_t
#define MIXED int32_t
#define WIDE int32_t
#define POINT arn__resize_point
#define BETWEEN arn__resize_between
#define ONE 1024
#define MIX(a, b, share) mix_16(a, b, share)
#define FINISH(sum) ROUNDED(sum, 11)
#include "resize_bilinear.h"

#define NAME(x) x##_f32
#define TYPE float
#define MIXED float
#define WIDE float
#define POINT arn__resize_point_f32
#define BETWEEN arn__resize_between_f32
#define ONE 1.0f
#define MIX(a, b, share) MIX_PLAIN(a, b, share)
#define FINISH(sum) (sum)
#include "resize_bilinear.h"

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

void arn__resize_rescale(void *values, uint32_t count, const arn__resize_scaled *how) {
  const arn__resize_scale *s = how->scale;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t wide = (load(values, i, how) - s->in_zero) * (1 << ARN__RESIZE_FRACTION_BITS);
    const int32_t value = arn__requantise(wide, s->multiplier);
    store(values, i, arn__clamp_s32(value + s->out_zero, s->range), how);
  }
}
