#include "../conv.h"

#if defined(ARN__X86)

#include "../portable/conv_int.h"
#include "channels_avx2.h"

#define EIGHTS (CHANNELS / 8)  // groups of eight channels of a block
#define SHORT 32u              // elements of a filter that is copied
#define BRIEF 16u              // elements of a window that is broadcast

#pragma GCC push_options
#pragma GCC target("avx2")

ARN__INLINE __m256i widened(const int8_t *w) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)w));
}

// The sums of four channels, of `n` elements of the window, a multiple of 16.
ARN__INLINE __m128i dot_4(const int16_t *x, const int8_t *const w[4], uint32_t n) {
  __m256i s[4];
  for (uint32_t c = 0; c < 4; c++) s[c] = _mm256_setzero_si256();
  for (uint32_t i = 0; i < n; i += 16) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(x + i));
    for (uint32_t c = 0; c < 4; c++) {
      s[c] = _mm256_add_epi32(s[c], _mm256_madd_epi16(a, widened(w[c] + i)));
    }
  }
  const __m256i two = _mm256_hadd_epi32(s[0], s[1]), more = _mm256_hadd_epi32(s[2], s[3]);
  const __m256i four = _mm256_hadd_epi32(two, more);
  return _mm_add_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
}

// Where the weights of a block are read. Vectors of 16 read on beyond a channel's end, which is
// wrong at the end of the filter, and a waste where channels are short. So what is needed of the
// last four channels' last chunk is copied, followed by zeros; and short filters are copied
// altogether.
typedef struct weights {
  const int8_t *first;     // of the first channel
  uint32_t step;           // from a channel to the next
  uint32_t last_at;        // element of the window where the last chunk is
  const int8_t *last[4];   // the last four channels' weights of the last chunk
  int8_t copy[CHANNELS * SHORT];
} weights;

static void copy_weights(int8_t *to, uint32_t room, const int8_t *from, uint32_t n) {
  memset(to, 0, room);
  memcpy(to, from, n);
}

static const int8_t *weights_of(const weights *w, const conv_pass *p, uint32_t channel) {
  const uint32_t last = p->block->count - 1;
  return w->first + (channel < last ? channel : last) * w->step;
}

static void set_weights(weights *w, const conv_pass *p) {
  const uint32_t count = p->block->count, last = (count - 1) / 4 * 4;
  const bool is_short = p->window <= SHORT;
  w->first = (const int8_t *)p->block->filter + conv_filter_at(p);
  w->step = p->conv->filter_step;
  w->last_at = p->window > 0 ? (p->window - 1) / CHUNK * CHUNK : 0;
  if (is_short) {
    for (uint32_t c = 0; c < count; c++) {
      copy_weights(w->copy + c * SHORT, SHORT, w->first + c * w->step, p->window);
    }
    w->first = w->copy;
    w->step = SHORT;
  }
  for (uint32_t i = 0; i < 4; i++) {
    w->last[i] = weights_of(w, p, last + i);
    if (is_short) continue;
    copy_weights(w->copy + i * CHUNK, CHUNK, w->last[i] + w->last_at, p->window - w->last_at);
    w->last[i] = w->copy + i * CHUNK;
  }
}

// Multiplies a chunk of the window, which is at element `at` of it, with all channels' weights,
// four at a time; beyond the block's end, the last channel counts again.
ARN__INLINE void multiply(const weights *from, int32_t *sums, const int16_t *window, uint32_t at,
                          const conv_pass *p) {
  const uint32_t left = p->window - at, n = left < CHUNK ? (left + 15) / 16 * 16 : CHUNK;
  const uint32_t last = (p->block->count - 1) / 4 * 4;
  for (uint32_t c = 0; c <= last; c += 4) {
    const int8_t *w[4];
    for (uint32_t i = 0; i < 4; i++) {
      w[i] = c < last ? from->first + (c + i) * from->step + at : from->last[i];
      if (c == last && at < from->last_at) w[i] = weights_of(from, p, c + i) + at;
    }
    __m128i *to = (__m128i *)(void *)(sums + c);
    _mm_storeu_si128(to, _mm_add_epi32(_mm_loadu_si128(to), dot_4(window, w, n)));
  }
}

typedef struct output {
  arn__requant_x8 requant[EIGHTS];
  arn__output_x16 x16;
} output;

static void set_output(output *o, const arn__conv *s, const arn__conv_block *b) {
  arn__output_x16_set(&o->x16, s);
  for (uint32_t i = 0; i < (b->count + 15) / 16 * 2; i++) {
    arn__requant_x8_load(&o->requant[i], b->requant + 8 * i);
  }
}

ARN__INLINE void finish(const output *o, const int32_t *sums, uint32_t count, int8_t *out) {
  for (uint32_t c = 0; c < count; c += 16) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(sums + c));
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(sums + c + 8));
    const __m256i mixed = _mm256_packs_epi32(arn__requant_x8_apply(a, &o->requant[c / 8]),
                                             arn__requant_x8_apply(b, &o->requant[c / 8 + 1]));
    const __m128i y = arn__output_x16_of(_mm256_permute4x64_epi64(mixed, 0xD8), &o->x16);
    int8_t copy[16];
    if (count - c >= 16) {
      _mm_storeu_si128((__m128i *)(void *)(out + c), y);
    } else {
      _mm_storeu_si128((__m128i *)(void *)copy, y);
      memcpy(out + c, copy, count - c);
    }
  }
}

static void row_long(const conv_pass *p) {
  const arn__conv_block *b = p->block;
  int8_t *out = (int8_t *)p->row->out + b->first;
  int32_t bias[CHANNELS] = {0}, sums[CHANNELS];
  int16_t window[CHUNK + 2 * LANES];
  weights w;
  output o;
  set_weights(&w, p);
  if (b->bias) memcpy(bias, b->bias, b->count * sizeof bias[0]);
  set_output(&o, p->conv, b);
  for (uint32_t i = 0; i < p->row->columns; i++, out += p->conv->out_channels) {
    conv_cursor cursor = conv_cursor_at(p, p->row->column + i);
    memcpy(sums, bias, sizeof sums);
    for (uint32_t at = 0; at < p->window; at += CHUNK) {
      const uint32_t n = p->window - at < CHUNK ? p->window - at : CHUNK;
      conv_gather(p, &cursor, window, (int32_t)n, CONV_S8);
      multiply(&w, sums, window, at, p);
    }
    finish(&o, sums, b->count, out);
  }
}

// ---- short windows ------------------------------------------------------------------------------

// Where windows are short and rows long, sums across a vector cost more than products. So the
// weights are transposed, and a pair of the window's elements is multiplied with those of sixteen
// channels.
typedef struct short_block {
  arn__channels_x16 channels;
  __m256i pairs[BRIEF / 2][2];
} short_block;

static void set_short(short_block *to, const conv_pass *p, uint32_t first) {
  const int8_t *w = (const int8_t *)p->block->filter + conv_filter_at(p);
  int8_t transposed[BRIEF + 1][16];
  memset(transposed, 0, sizeof transposed);
  arn__channels_x16_set(&to->channels, p->conv, p->block, first);
  for (uint32_t c = 0; c < to->channels.count; c++) {
    const int8_t *from = w + (first + c) * p->conv->filter_step;
    for (uint32_t k = 0; k < p->window; k++) transposed[k][c] = from[k];
  }
  for (uint32_t k = 0; k < p->window; k += 2) {
    const __m128i *rows = (const __m128i *)(const void *)transposed[k];
    arn__channels_x16_pair(to->pairs[k / 2], _mm_loadu_si128(rows), _mm_loadu_si128(rows + 1));
  }
}

ARN__INLINE void compute_short(const short_block *b, const int16_t *window, uint32_t n,
                               int8_t *out) {
  __m256i sums[2] = {b->channels.start[0], b->channels.start[1]};
  for (uint32_t k = 0; k < n; k += 2) {
    int32_t two;
    memcpy(&two, window + k, sizeof two);
    const __m256i x = _mm256_set1_epi32(two);
    sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(x, b->pairs[k / 2][0]));
    sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(x, b->pairs[k / 2][1]));
  }
  arn__channels_x16_write(&b->channels, sums, out);
}

static void row_short(const conv_pass *p) {
  const uint32_t count = p->block->count;
  int8_t *out = (int8_t *)p->row->out + p->block->first;
  short_block blocks[CHANNELS / 16];
  int16_t window[CHUNK + 2 * LANES];
  for (uint32_t c = 0; c < count; c += 16) set_short(&blocks[c / 16], p, c);
  for (uint32_t i = 0; i < p->row->columns; i++, out += p->conv->out_channels) {
    conv_cursor cursor = conv_cursor_at(p, p->row->column + i);
    conv_gather(p, &cursor, window, (int32_t)p->window, CONV_S8);
    for (uint32_t c = 0; c < count; c += 16) {
      compute_short(&blocks[c / 16], window, p->window, out + c);
    }
  }
}

static void row_avx2(const arn__conv *s, const arn__conv_row *r, const arn__conv_block *b) {
  const conv_pass p = conv_pass_of(s, r, b);
  // To transpose takes as long as a few pixels, more where the window is longer.
  if (p.window <= BRIEF && r->columns + 4 >= p.window) row_short(&p);
  else row_long(&p);
}

#pragma GCC pop_options

void arn__conv_row_s8_x86(const arn__conv *conv, const arn__conv_row *row,
                          const arn__conv_block *block) {
  if (__builtin_cpu_supports("avx2")) {
    row_avx2(conv, row, block);
  } else {
    arn__conv_row_s8_portable(conv, row, block);
  }
}

#endif
