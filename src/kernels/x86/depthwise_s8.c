#include "../depthwise.h"

#if defined(ARN__X86)

#include "channels_avx2.h"

// Taps that fit; more go to the portable kernel.
#define TAPS 128u
#define CHANNELS ARN__DEPTHWISE_CHANNELS

#pragma GCC push_options
#pragma GCC target("avx2")

// How a tap's input channels become one for each output channel.
typedef enum spread { EACH, ONE, SHUFFLE } spread;

typedef struct tap {
  const int8_t *row;
  int32_t pixels, elements;  // from the window's start
} tap;

// A row and a block of channels, made ready. Weights of two taps at a time are interleaved;
// channels 0 to 3 and 8 to 11 are in [0], the others in [1].
typedef struct pass {
  const arn__conv *conv;
  uint32_t taps, count;
  int32_t in_first, in_bytes;  // input channels of the block
  int32_t row_bytes;
  __m128i shuffle, padding;    // padding: the input's zero point
  arn__channels_x16 channels;
  __m256i weights[TAPS / 2][2];
  tap tap[TAPS + 1];
} pass;

ARN__INLINE __m128i load_some(const int8_t *from, uint32_t bytes) {
  int8_t copy[16] = {0};
  if (bytes == 16) return _mm_loadu_si128((const __m128i *)(const void *)from);
  memcpy(copy, from, bytes);
  return _mm_loadu_si128((const __m128i *)(const void *)copy);
}

ARN__INLINE __m128i load_weights(const arn__conv *s, const arn__conv_block *b, uint32_t at) {
  const int8_t *w = (const int8_t *)b->filter + at;
  if (at + 16 > s->filter_count) return load_some(w, b->count);
  return _mm_loadu_si128((const __m128i *)(const void *)w);
}

ARN__INLINE void set_weights(pass *p, const arn__conv_row *r, const arn__conv_block *b) {
  const arn__conv *s = p->conv;
  const uint32_t step = (uint32_t)s->out_channels;
  const uint32_t first = b->filter_at + r->kernel_row * (uint32_t)s->kernel_width * step;
  const __m256i zero = _mm256_set1_epi16((int16_t)s->in_zero);
  for (uint32_t t = 0; t < p->taps; t += 2) {
    const __m128i x = load_weights(s, b, first + t * step);
    __m128i y = _mm_setzero_si128();
    if (t + 1 < p->taps) y = load_weights(s, b, first + (t + 1) * step);
    arn__channels_x16_pair(p->weights[t / 2], x, y);
    for (uint32_t i = 0; i < 2; i++) {
      const __m256i zeros = _mm256_madd_epi16(p->weights[t / 2][i], zero);
      p->channels.start[i] = _mm256_sub_epi32(p->channels.start[i], zeros);
    }
  }
}

static void set_taps(pass *p, const arn__conv_row *r) {
  const arn__conv *s = p->conv;
  uint32_t t = 0;
  for (uint32_t ky = 0; ky < r->count; ky++) {
    const int8_t *row = (const int8_t *)arn_row(&r->input, r->first + ky * r->step);
    for (int32_t kx = 0; kx < s->kernel_width; kx++, t++) {
      const int32_t pixels = kx * s->dilation;
      p->tap[t] = (tap){row, pixels, pixels * s->in_channels + p->in_first};
    }
  }
  if (t > 0) p->tap[t] = p->tap[t - 1];  // the other half of an odd pair, of weight zero
}

ARN__INLINE spread set_channels(pass *p, const arn__conv_block *b) {
  const uint32_t group = (uint32_t)p->conv->group;
  p->in_first = (int32_t)b->first;
  p->in_bytes = (int32_t)b->count;
  p->shuffle = _mm_setzero_si128();
  if (group == 1) return EACH;
  p->in_first = (int32_t)(b->first / group);
  uint8_t in_of[16] = {0};
  uint32_t in = 0, out = b->first % group;
  for (uint32_t c = 0; c < b->count; c++) {
    in_of[c] = (uint8_t)in;
    if (++out == group) {
      out = 0;
      in++;
    }
  }
  p->in_bytes = in_of[b->count - 1] + 1;
  p->shuffle = _mm_loadu_si128((const __m128i *)(const void *)in_of);
  return p->in_bytes == 1 ? ONE : SHUFFLE;
}

// An element for each output channel, of a tap of the pixel whose window begins at element `at`,
// where memory goes on for long enough.
ARN__INLINE __m256i load_open(const pass *p, const tap *t, int32_t at, spread how) {
  const int8_t *in = t->row + (at + t->elements);
  if (how == ONE) return _mm256_cvtepi8_epi16(_mm_set1_epi8(*in));
  const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)in);
  return _mm256_cvtepi8_epi16(how == EACH ? x : _mm_shuffle_epi8(x, p->shuffle));
}

// The same for a tap of the pixel whose window begins at `pixel`, anywhere.
ARN__INLINE __m256i load_any(const pass *p, const tap *t, int32_t pixel, spread how) {
  const int32_t at = pixel + t->pixels;
  if (at < 0 || at >= p->conv->in_width) return _mm256_cvtepi8_epi16(p->padding);
  const int32_t element = pixel * p->conv->in_channels + t->elements;
  const __m128i x = load_some(t->row + element, (uint32_t)p->in_bytes);
  return _mm256_cvtepi8_epi16(how == EACH ? x : _mm_shuffle_epi8(x, p->shuffle));
}

ARN__INLINE void add_pair(const pass *p, uint32_t pair, __m256i x, __m256i y, __m256i *sums) {
  const __m256i low = _mm256_unpacklo_epi16(x, y), high = _mm256_unpackhi_epi16(x, y);
  sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(low, p->weights[pair][0]));
  sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(high, p->weights[pair][1]));
}

ARN__INLINE void compute(const pass *p, const arn__conv_row *r, int8_t *out, spread how) {
  const arn__conv *s = p->conv;
  const int32_t reach = (s->kernel_width - 1) * s->dilation, loaded = how == ONE ? 1 : 16;
  for (uint32_t i = 0; i < r->columns; i++, out += s->out_channels) {
    const int32_t pixel = (int32_t)(r->column + i) * s->stride - s->pad;
    const int32_t at = pixel * s->in_channels, end = at + reach * s->in_channels + p->in_first;
    const bool open = pixel >= 0 && pixel + reach < s->in_width && end + loaded <= p->row_bytes;
    __m256i sums[2] = {p->channels.start[0], p->channels.start[1]};
    for (uint32_t t = 0; t < p->taps && open; t += 2) {
      add_pair(p, t / 2, load_open(p, &p->tap[t], at, how), load_open(p, &p->tap[t + 1], at, how),
               sums);
    }
    for (uint32_t t = 0; t < p->taps && !open; t += 2) {
      add_pair(p, t / 2, load_any(p, &p->tap[t], pixel, how),
               load_any(p, &p->tap[t + 1], pixel, how), sums);
    }
    arn__channels_x16_write(&p->channels, sums, out);
  }
}

static void row_avx2(const arn__conv *s, const arn__conv_row *r, const arn__conv_block *b) {
  pass p;
  p.conv = s;
  p.taps = r->count * (uint32_t)s->kernel_width;
  p.row_bytes = s->in_width * s->in_channels;
  p.padding = _mm_set1_epi8((int8_t)s->in_zero);
  const spread how = set_channels(&p, b);
  set_taps(&p, r);
  arn__channels_x16_set(&p.channels, s, b, 0);
  set_weights(&p, r, b);
  int8_t *out = (int8_t *)r->out + b->first;
  if (how == EACH) compute(&p, r, out, EACH);
  else if (how == ONE) compute(&p, r, out, ONE);
  else compute(&p, r, out, SHUFFLE);
}

#pragma GCC pop_options

void arn__depthwise_row_s8_x86(const arn__conv *conv, const arn__conv_row *row,
                               const arn__conv_block *block) {
  if (__builtin_cpu_supports("avx2") && row->count * (uint32_t)conv->kernel_width <= TAPS) {
    row_avx2(conv, row, block);
  } else {
    arn__depthwise_row_s8_portable(conv, row, block);
  }
}

#endif
