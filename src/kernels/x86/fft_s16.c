// The forward transform of int16 signals with AVX2. Eight complex numbers, real parts first, stand
// in a register as they stand in memory; a product with roots is two multiply-adds of pairs. Order
// of work and roots are those of portable/fft_wide.h.
#include "../fft.h"

#if defined(ARN__X86)

#include <immintrin.h>

#include "../portable/fft_s16.h"

#include "../portable/fft_wide_split.h"

#pragma GCC push_options
#pragma GCC target("avx2")

enum { EIGHT = 8 };

// A quarter of a turn at the transform's own steps: cosine in the lower half of a word, sine in the
// upper. 2 n words would make a turn.
typedef struct wave {
  uint32_t n;
  uint32_t at[ARN__FFT_TURN / 4 + 1];
} wave;

// Eight roots of unity, as pairs (re, -im) and (im, re).
typedef struct factors {
  __m256i minus, crossed;
} factors;

ARN__INLINE __m256i load(const int16_t *x) {
  return _mm256_loadu_si256((const __m256i *)(const void *)x);
}

ARN__INLINE void save(int16_t *x, __m256i value) {
  _mm256_storeu_si256((__m256i *)(void *)x, value);
}

// Exchanges real and imaginary parts.
ARN__INLINE __m256i exchanged(__m256i x) {
  return _mm256_or_si256(_mm256_slli_epi32(x, 16), _mm256_srli_epi32(x, 16));
}

// Negates imaginary parts.
ARN__INLINE __m256i conjugated(__m256i x) {
  return _mm256_sign_epi16(x, _mm256_set1_epi32((int32_t)0xFFFF0001));
}

ARN__INLINE factors factors_of(__m256i w) {
  return (factors){conjugated(w), exchanged(w)};
}

ARN__INLINE factors same_factors(complex_value w) {
  const uint32_t bits = (uint32_t)(uint16_t)w.im << 16 | (uint16_t)w.re;
  return factors_of(_mm256_set1_epi32((int32_t)bits));
}

ARN__INLINE __m256i multiplied(__m256i x, factors w) {
  const __m256i half = _mm256_set1_epi32(1 << 14);
  const __m256i re = _mm256_add_epi32(_mm256_madd_epi16(x, w.minus), half);
  const __m256i im = _mm256_add_epi32(_mm256_madd_epi16(x, w.crossed), half);
  return _mm256_blend_epi16(_mm256_srli_epi32(re, 15), _mm256_slli_epi32(im, 1), 0xAA);
}

ARN__INLINE __m256i divided(__m256i x, int16_t share) {
  return _mm256_mulhrs_epi16(x, _mm256_set1_epi16(share));
}

// x: four parts, divided and turned.
ARN__INLINE void butterflies(__m256i x[4]) {
  const __m256i sum02 = _mm256_add_epi16(x[0], x[2]), left02 = _mm256_sub_epi16(x[0], x[2]);
  const __m256i sum13 = _mm256_add_epi16(x[1], x[3]), left13 = _mm256_sub_epi16(x[1], x[3]);
  const __m256i turned = conjugated(exchanged(left13));
  x[0] = _mm256_add_epi16(sum02, sum13);
  x[1] = _mm256_add_epi16(left02, turned);
  x[2] = _mm256_sub_epi16(sum02, sum13);
  x[3] = _mm256_sub_epi16(left02, turned);
}

// ---- the head -----------------------------------------------------------------------------------

// Eight neighbouring values of each of four parts, that are `part` values apart.
ARN__INLINE void take_parts(__m256i x[4], const source *from, uint32_t at, uint32_t part,
                            uint32_t parts) {
  int16_t room[2 * EIGHT];
  for (uint32_t i = 0; i < parts; i++) x[i] = load(load_real(from, room, at + i * part, EIGHT));
}

ARN__INLINE void first_stage(__m256i t[TILE], const source *from, uint32_t at, uint32_t size) {
  const uint32_t sequences = from->n / size;
  for (uint32_t row = 0; row < 4; row++) {
    __m256i x[4];
    take_parts(x, from, at + sequences * row, 4 * sequences, size / 4);
    if (size == TILE) {
      for (uint32_t i = 0; i < 4; i++) x[i] = divided(x[i], INT16_MAX / 4);
      butterflies(x);
      for (uint32_t i = 0; i < 4; i++) t[row + 4 * i] = x[i];
    } else {
      const __m256i a = divided(x[0], INT16_MAX / 2), b = divided(x[1], INT16_MAX / 2);
      t[row] = _mm256_add_epi16(a, b);
      t[row + 4] = _mm256_sub_epi16(a, b);
    }
  }
}

ARN__INLINE void second_stages(__m256i done[TILE], const __m256i t[TILE], uint32_t size) {
  for (uint32_t k = 0; k < size / 4; k++) {
    __m256i x[4];
    for (uint32_t i = 0; i < 4; i++) {
      x[i] = divided(t[4 * k + i], INT16_MAX / 4);
      if (k > 0 && i > 0) {
        x[i] = multiplied(x[i], same_factors(root(ARN__FFT_TURN / size * k * i)));
      }
    }
    butterflies(x);
    for (uint32_t i = 0; i < 4; i++) done[k + size / 4 * i] = x[i];
  }
}

// Turns eight registers of eight lanes into eight lanes of eight registers.
ARN__INLINE void transpose(__m256i x[EIGHT]) {
  __m256i a[EIGHT], b[EIGHT];
  for (uint32_t i = 0; i < 4; i++) {
    a[2 * i] = _mm256_unpacklo_epi32(x[2 * i], x[2 * i + 1]);
    a[2 * i + 1] = _mm256_unpackhi_epi32(x[2 * i], x[2 * i + 1]);
  }
  for (uint32_t i = 0; i < EIGHT; i += 4) {
    for (uint32_t k = 0; k < 2; k++) {
      b[i + 2 * k] = _mm256_unpacklo_epi64(a[i + k], a[i + 2 + k]);
      b[i + 2 * k + 1] = _mm256_unpackhi_epi64(a[i + k], a[i + 2 + k]);
    }
  }
  for (uint32_t i = 0; i < 4; i++) {
    x[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
    x[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
  }
}

ARN__INLINE void head_avx2(int16_t *out, const source *from, uint32_t size) {
  const uint32_t sequences = from->n / size;
  for (uint32_t at = 0; at < sequences; at += EIGHT) {
    __m256i t[TILE], done[TILE];
    first_stage(t, from, at, size);
    second_stages(done, t, size);
    for (uint32_t half = 0; half < size; half += EIGHT) {
      transpose(done + half);
      for (uint32_t l = 0; l < EIGHT; l++) {
        const uint32_t place = size * reverse_digits(at + l, sequences) + half;
        save(out + 2 * place, done[half + l]);
      }
    }
  }
}

// ---- roots of unity -----------------------------------------------------------------------------

ARN__INLINE void make_wave(wave *w, uint32_t n) {
  const uint32_t step = ARN__FFT_TURN / (2 * n);
  w->n = n;
  for (uint32_t i = 0; i <= n / 2; i++) {
    const int16_t cosine = root_value(arn__fft_quarter[i * step]);
    const int16_t sine = root_value(arn__fft_quarter[ARN__FFT_TURN / 4 - i * step]);
    w->at[i] = (uint32_t)(uint16_t)sine << 16 | (uint16_t)cosine;
  }
}

// exp(-2 pi i k / 2 n) at k = first, first + step, ...
ARN__INLINE __m256i eight_roots(const wave *w, uint32_t first, uint32_t step) {
  const uint32_t *at = w->at;
  const uint32_t rest = w->n / 2 - 1, k = first;
  const __m256i word = _mm256_setr_epi32(
      (int32_t)at[k & rest], (int32_t)at[(k + step) & rest], (int32_t)at[(k + 2 * step) & rest],
      (int32_t)at[(k + 3 * step) & rest], (int32_t)at[(k + 4 * step) & rest],
      (int32_t)at[(k + 5 * step) & rest], (int32_t)at[(k + 6 * step) & rest],
      (int32_t)at[(k + 7 * step) & rest]);
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i turned = _mm256_add_epi32(
      _mm256_set1_epi32((int32_t)k), _mm256_mullo_epi32(lane, _mm256_set1_epi32((int32_t)step)));
  const __m256i bit = _mm256_set1_epi32((int32_t)(w->n / 2));  // of an odd number of quarters
  const __m256i odd = _mm256_cmpeq_epi32(_mm256_and_si256(turned, bit), bit);
  const __m256i two = _mm256_slli_epi32(bit, 1);               // of a half turn or more
  const __m256i half = _mm256_cmpeq_epi32(_mm256_and_si256(turned, two), two);
  const __m256i minus = _mm256_set1_epi16(-1);
  const __m256i value =
      _mm256_blendv_epi8(conjugated(word), _mm256_sign_epi16(exchanged(word), minus), odd);
  return _mm256_sign_epi16(value, _mm256_or_si256(half, _mm256_set1_epi16(1)));
}

// ---- further stages -----------------------------------------------------------------------------

// Factors of eight butterflies: at one, two and three times the angle.
typedef struct three_factors {
  factors w[3];
} three_factors;

ARN__INLINE void make_factors(three_factors *f, const wave *w, uint32_t k, uint32_t step) {
  for (uint32_t j = 1; j <= 3; j++) {
    f->w[j - 1] = factors_of(eight_roots(w, k * step * j, step * j));
  }
}

ARN__INLINE void eight_butterflies(int16_t *x, uint32_t m, const three_factors *f) {
  __m256i v[4];
  for (uint32_t i = 0; i < 4; i++) {
    v[i] = divided(load(x + 2 * m * i), INT16_MAX / 4);
    if (i > 0) v[i] = multiplied(v[i], f->w[i - 1]);
  }
  butterflies(v);
  for (uint32_t i = 0; i < 4; i++) save(x + 2 * m * i, v[i]);
}

ARN__INLINE void stage_avx2(int16_t *out, const wave *w, uint32_t m) {
  for (uint32_t k = 0; k < m; k += EIGHT) {
    three_factors f;
    make_factors(&f, w, k, w->n / (2 * m));
    for (uint32_t group = 0; group < w->n; group += 4 * m) {
      eight_butterflies(out + 2 * (group + k), m, &f);
    }
  }
}

// ---- splitting ----------------------------------------------------------------------------------

// (a + b) >> 1 and (a - b) >> 1, without the overflow.
ARN__INLINE __m256i half_sums(__m256i a, __m256i b) {
  const __m256i differ = _mm256_srai_epi16(_mm256_xor_si256(a, b), 1);
  return _mm256_add_epi16(_mm256_and_si256(a, b), differ);
}

ARN__INLINE __m256i half_differences(__m256i a, __m256i b) {
  const __m256i differ = _mm256_srai_epi16(_mm256_xor_si256(a, b), 1);
  return _mm256_sub_epi16(differ, _mm256_andnot_si256(a, b));
}

// Pairs k to k + 7 and n - k - 7 to n - k; in the middle, a point is its own partner.
ARN__INLINE void split_eight(int16_t *low_at, int16_t *high_at, __m256i w) {
  const __m256i backwards = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  const __m256i mirror = _mm256_permutevar8x32_epi32(load(high_at), backwards);
  const __m256i low = divided(load(low_at), INT16_MAX / 2);
  const __m256i high = divided(conjugated(mirror), INT16_MAX / 2);
  const __m256i even = _mm256_add_epi16(low, high);
  const __m256i odd = multiplied(_mm256_sub_epi16(low, high), factors_of(w));
  const __m256i from = _mm256_blend_epi16(even, odd, 0xAA);
  const __m256i taken = _mm256_blend_epi16(odd, even, 0xAA);
  save(low_at, half_sums(even, odd));
  save(high_at, _mm256_permutevar8x32_epi32(half_differences(from, taken), backwards));
}

// The root of a pair k is a quarter of a turn beyond that at k.
ARN__INLINE void split_avx2(int16_t *out, const wave *w) {
  split_ends(out, w->n);
  for (uint32_t k = 1; k <= w->n / 2; k += EIGHT) {
    const __m256i word = _mm256_loadu_si256((const __m256i *)(const void *)(w->at + k));
    split_eight(out + 2 * k, out + 2 * (w->n - k - (EIGHT - 1)),
                _mm256_sign_epi16(exchanged(word), _mm256_set1_epi16(-1)));
  }
}

static void forward_avx2(int16_t *out, const int16_t *in, const arn__fft *fft) {
  const source from = {in, fft->length / 2, fft->count};
  const uint32_t n = from.n;
  wave w;
  const bool odd = (n & 0xAAAAAAAAu) != 0;  // the logarithm of n
  const uint32_t size = odd ? 8 : TILE;
  if (odd) {
    head_avx2(out, &from, 8);
  } else {
    head_avx2(out, &from, TILE);
  }
  make_wave(&w, n);
  for (uint32_t m = size; m < n; m *= 4) stage_avx2(out, &w, m);
  split_avx2(out, &w);
}

#pragma GCC pop_options

// Shorter signals do not fill the registers.
void arn__fft_forward_s16_x86(int16_t *out, const int16_t *in, const arn__fft *fft) {
  if (fft->room == NULL && fft->length >= 256 && __builtin_cpu_supports("avx2")) {
    forward_avx2(out, in, fft);
  } else {
    arn__fft_forward_s16_portable(out, in, fft);
  }
}

#endif
