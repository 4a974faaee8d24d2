// Operators on signals and their spectra.
#include <math.h>
#include <stdlib.h>

#include "bench/oracle/plain.h"

static int32_t setting(const plain_node *n, const char *name) {
  for (const plain_setting *s = n->settings; s->name; s++) {
    if (strcmp(s->name, name) == 0) return (int32_t)s->value;
  }
  return 0;
}

// ---- Fourier transforms: sums over all samples, with roots of unity from a table ----------------

enum { MOST_POINTS = 2048 };
static float cosines[MOST_POINTS], sines[MOST_POINTS];

static void set_roots(uint32_t points) {
  for (uint32_t i = 0; i < points; i++) {
    cosines[i] = (float)cos(6.283185307179586 * i / points);
    sines[i] = (float)sin(6.283185307179586 * i / points);
  }
}

// Rows of `points` reals to points / 2 + 1 complex numbers. Integers divide by `points`.
#define FORWARD(type, finish)                                                                     \
  static void forward_##type(const plain_node *n) {                                               \
    const uint32_t points = (uint32_t)setting(n, "fft_length"), half = points / 2 + 1;            \
    set_roots(points);                                                                            \
    for (uint32_t r = 0; r < n->in[0].count / points; r++) {                                      \
      const __typeof__(n->in[0].type) x = n->in[0].type + r * points;                             \
      for (uint32_t k = 0; k < half; k++) {                                                       \
        float re = 0.0f, im = 0.0f;                                                               \
        for (uint32_t t = 0, at = 0; t < points; t++, at = (at + k) % points) {                   \
          re += (float)x[t] * cosines[at];                                                        \
          im -= (float)x[t] * sines[at];                                                          \
        }                                                                                         \
        n->out[0].type[2 * (r * half + k)] = (__typeof__(*x))finish(re, points);                  \
        n->out[0].type[2 * (r * half + k) + 1] = (__typeof__(*x))finish(im, points);              \
      }                                                                                           \
    }                                                                                             \
  }
#define AS_IT_IS(x, points) (x)
#define SHARE(x, points) roundf((x) / (float)(points))
FORWARD(f32, AS_IT_IS)
FORWARD(s16, SHARE)
FORWARD(s32, SHARE)

// What is real in (a) times the root of unity at (at), of which there are two but for the ends.
#define INVERSE(type, finish)                                                                     \
  static void inverse_##type(const plain_node *n) {                                               \
    const uint32_t points = (uint32_t)setting(n, "fft_length"), half = points / 2;                \
    set_roots(points);                                                                            \
    for (uint32_t r = 0; r < n->out[0].count / points; r++) {                                     \
      const __typeof__(n->in[0].type) x = n->in[0].type + r * (points + 2);                       \
      for (uint32_t t = 0; t < points; t++) {                                                     \
        float sum = (float)x[0] + (float)x[points] * cosines[t * half % points];                  \
        for (uint32_t k = 1, at = t; k < half; k++, at = (at + t) % points) {                     \
          sum += 2.0f * ((float)x[2 * k] * cosines[at] - (float)x[2 * k + 1] * sines[at]);        \
        }                                                                                         \
        n->out[0].type[r * points + t] = (__typeof__(*x))finish(sum / (float)points);             \
      }                                                                                           \
    }                                                                                             \
  }
INVERSE(f32, )
INVERSE(s16, roundf)

static void image_f32(const plain_node *n) {  // rows, then columns
  const uint32_t height = (uint32_t)n->in[0].dims[1], width = (uint32_t)n->in[0].dims[2];
  const uint32_t half = width / 2 + 1;
  static float rows[MOST_POINTS * 64];
  set_roots(width);
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t k = 0; k < half; k++) {
      float re = 0.0f, im = 0.0f;
      for (uint32_t t = 0, at = 0; t < width; t++, at = (at + k) % width) {
        re += n->in[0].f32[y * width + t] * cosines[at];
        im -= n->in[0].f32[y * width + t] * sines[at];
      }
      rows[2 * (y * half + k)] = re;
      rows[2 * (y * half + k) + 1] = im;
    }
  }
  set_roots(height);
  for (uint32_t k = 0; k < half; k++) {
    for (uint32_t y = 0; y < height; y++) {
      float re = 0.0f, im = 0.0f;
      for (uint32_t t = 0, at = 0; t < height; t++, at = (at + y) % height) {
        const float a = rows[2 * (t * half + k)], b = rows[2 * (t * half + k) + 1];
        re += a * cosines[at] + b * sines[at];
        im += b * cosines[at] - a * sines[at];
      }
      n->out[0].f32[2 * (y * half + k)] = re;
      n->out[0].f32[2 * (y * half + k) + 1] = im;
    }
  }
}

// ---- samples ------------------------------------------------------------------------------------

static void window(const plain_node *n) {
  const uint32_t size = n->in[1].count;
  const int32_t shift = setting(n, "shift");
  for (uint32_t r = 0; r < n->in[0].count; r += size) {
    for (uint32_t i = 0; i < size; i++) {
      const int32_t product = n->in[0].s16[r + i] * n->in[1].s16[i];
      n->out[0].s16[r + i] = (int16_t)plain_s16(product >> shift);
    }
  }
}

static void scale_up(const plain_node *n) {
  int32_t most = 0, shift = 0;
  for (uint32_t i = 0; i < n->in[0].count; i++) {
    const int32_t size = abs(n->in[0].s16[i]);
    most = size > most ? size : most;
  }
  while (most << (shift + 1) < 32768 && shift < 15) shift++;
  for (uint32_t i = 0; i < n->in[0].count; i++) {
    n->out[0].s16[i] = (int16_t)(n->in[0].s16[i] * (1 << shift));
  }
  n->out[1].s32[0] = shift;
}

static void energy(const plain_node *n) {
  const uint32_t from = (uint32_t)setting(n, "start_index"), to = (uint32_t)setting(n, "end_index");
  for (uint32_t i = from; i < to; i++) {
    const int32_t re = n->in[0].s16[2 * i], im = n->in[0].s16[2 * i + 1];
    n->out[0].u32[i] = (uint32_t)(re * re) + (uint32_t)(im * im);
  }
}

static void delay(const plain_node *n) {  // by less than there are samples
  static int16_t kept[1000];
  const uint32_t length = (uint32_t)setting(n, "delay_length"), count = n->out[0].count;
  for (uint32_t i = 0; i < count; i++) {
    n->out[0].s16[i] = i < length ? kept[i] : n->in[0].s16[i - length];
  }
  for (uint32_t i = 0; i < length; i++) kept[i] = n->in[0].s16[count - length + i];
}

// What came before the first invocation is zero; later ones are timed alike.
static void frames(const plain_node *n) {
  const uint32_t size = (uint32_t)setting(n, "frame_size"), step = (uint32_t)setting(n,
      "frame_step");
  const uint32_t before = size - step;
  for (uint32_t f = 0; f < n->out[0].count / size; f++) {
    for (uint32_t i = 0; i < size; i++) {
      const uint32_t at = f * step + i;
      n->out[0].s16[f * size + i] = at < before ? 0 : n->in[0].s16[at - before];
    }
  }
  n->out[1].u8[0] = 1;
}

static void stack(const plain_node *n) {
  static int16_t kept[1 << 16];  // the output's memory is others' between invocations
  static bool started;
  const uint32_t channels = n->in[0].count, count = n->out[0].count;
  for (uint32_t i = channels; i < count && started; i++) kept[i - channels] = kept[i];
  for (uint32_t i = started ? count - channels : 0; i < count; i++) {
    kept[i] = n->in[0].s16[i % channels];
  }
  for (uint32_t i = 0; i < count; i++) n->out[0].s16[i] = kept[i];
  started = true;
  n->out[1].u8[0] = 1;
}

#define OVERLAP(type, bound)                                                                      \
  static void overlap_##type(const plain_node *n) {  /* by half, from a first frame of zeros */   \
    const uint32_t step = (uint32_t)setting(n, "frame_step");                                     \
    for (uint32_t f = 0; f < n->out[0].count / step; f++) {                                       \
      for (uint32_t i = 0; i < step; i++) {                                                       \
        const uint32_t at = f * 2 * step + i;                                                     \
        const __typeof__(n->in[0].type[0]) before = f == 0 ? 0 : n->in[0].type[at - step];        \
        n->out[0].type[f * step + i] = (__typeof__(before))bound(before + n->in[0].type[at]);     \
      }                                                                                           \
    }                                                                                             \
  }
OVERLAP(s16, plain_s16)
OVERLAP(f32, )

// ---- channels -----------------------------------------------------------------------------------

static void filter(const plain_node *n) {
  const int16_t *starts = n->in[3].s16, *weights = n->in[4].s16, *widths = n->in[5].s16;
  uint64_t rest = 0;
  for (uint32_t c = 0; c < n->in[3].count; c++) {
    uint64_t sum = rest;
    rest = 0;
    for (int32_t i = 0; i < widths[c]; i++) {
      const int64_t value = n->in[0].u32[starts[c] + i];
      sum += (uint64_t)(value * n->in[1].s16[weights[c] + i]);
      rest += (uint64_t)(value * n->in[2].s16[weights[c] + i]);
    }
    if (c > 0) n->out[0].u64[c - 1] = sum;
  }
}

static void roots(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    uint64_t x = n->in[0].u64[i], root = 0;
    for (uint64_t bit = UINT64_C(1) << 62; bit > 0; bit >>= 2) {
      const bool taken = x >= root + bit;
      if (taken) x -= root + bit;
      root = (root >> 1) + (taken ? bit : 0);
    }
    n->out[0].u32[i] = (uint32_t)(root + (x > root)) >> n->in[1].s32[0];
  }
}

static void denoise(const plain_node *n) {  // out[1] is the noise so far
  const int32_t bits = setting(n, "spectral_subtraction_bits");
  const int32_t smoothing_bits = setting(n, "smoothing_bits");
  const uint64_t smoothing[] = {(uint64_t)setting(n, "smoothing"),
                                (uint64_t)setting(n, "alternate_smoothing")};
  const uint64_t others[] = {(uint64_t)setting(n, "one_minus_smoothing"),
                             (uint64_t)setting(n, "alternate_one_minus_smoothing")};
  const uint64_t least_left = (uint64_t)setting(n, "min_signal_remaining");
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const uint32_t x = n->in[0].u32[i], scaled = x << smoothing_bits;
    const uint32_t estimate = (uint32_t)(
        (scaled * smoothing[i & 1] + n->out[1].u32[i] * others[i & 1]) >> bits);
    const uint32_t below = estimate > scaled ? scaled : estimate;
    const uint32_t least = (uint32_t)(x * least_left >> bits);
    const uint32_t left = (scaled - below) >> smoothing_bits;
    n->out[1].u32[i] = estimate;
    n->out[0].u32[i] = left > least ? left : least;
  }
}

static int32_t bits_of(uint32_t x) { return x ? 32 - __builtin_clz(x) : 0; }

static void gain(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const uint32_t noise = n->in[1].u32[i];
    const int16_t *table = n->in[2].s16;
    int16_t y = table[noise < 3 ? noise : 0];
    if (noise > 2) {
      const int32_t bits = bits_of(noise);
      const int16_t *piece = table + 4 * bits - 6;
      const uint32_t scaled = bits < 11 ? noise << (11 - bits) : noise >> (bits - 11);
      const int32_t x = (int32_t)(scaled & 0x3FF);
      y = (int16_t)((((((piece[2] * x) >> 5) + piece[1] * 32) * x + (1 << 14)) >> 15) + piece[0]);
    }
    const uint64_t product = (uint64_t)n->in[0].u32[i] * (uint64_t)(uint32_t)y;
    const uint32_t snr = (uint32_t)(product >> setting(n, "snr_shift"));
    n->out[0].u32[i] = snr < 8192 ? snr * snr >> 20 : (snr >> 6) - 64;
  }
}

// log2(1 + i / 128) - i / 128, times 2^16.
static int32_t log_entry(int32_t i) {
  return (int32_t)lround(65536.0 * (log2(1.0 + i / 128.0) - i / 128.0));
}

static void logarithm(const plain_node *n) {
  static int32_t table[129];  // made once
  const uint32_t shift = (uint32_t)setting(n, "input_correction_bits");
  for (int32_t i = 128; i >= 0 && table[1] == 0; i--) table[i] = log_entry(i);
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const uint32_t x = n->in[0].u32[i] << shift;
    uint32_t y = 0;
    if (x > 1) {
      const int32_t whole = bits_of(x) - 1;
      const uint32_t rest = x - (1u << whole);
      const int32_t part = (int32_t)(whole < 16 ? rest << (16 - whole) : rest >> (whole - 16));
      const int32_t low = table[part >> 9], high = table[(part >> 9) + 1];
      const uint32_t log = ((uint32_t)whole << 16) +
                           (uint32_t)(part + low + ((high - low) * (part & 511) >> 16));
      const uint32_t natural = (uint32_t)((UINT64_C(45426) * log + 32768) >> 16);
      y = ((uint32_t)setting(n, "output_scale") * natural + 32768) >> 16;
    }
    n->out[0].s16[i] = (int16_t)(y < 32767 ? y : 32767);
  }
}

#define SIGNAL(op, tensors, loop, hard, tolerance, ...)                                           \
  {&arn_op_signal_##op, "", tensors, loop, hard, tolerance, {0}, {__VA_ARGS__}}
#define POINTS(type) {"T", type, false}, {"fft_length", 512, false}
#define DENOISE                                                                                   \
  {"alternate_one_minus_smoothing", 15000, false}, {"alternate_smoothing", 1000, false},          \
  {"clamping", 0, false}, {"min_signal_remaining", 800, false}, {"num_channels", 9000, false},    \
  {"one_minus_smoothing", 15500, false}, {"smoothing", 400, false},                               \
  {"smoothing_bits", 10, false}, {"spectral_subtraction_bits", 14, false}
#define STACK                                                                                     \
  {"num_channels", 4096, false}, {"stacker_left_context", 11, false},                             \
  {"stacker_right_context", 0, false}, {"stacker_step", 1, false}

const plain_case plain_signal[] = {
    SIGNAL(rfft, "f32 1x64x512>f32 1x64x514", forward_f32, false, 1e-4, POINTS(ARN_FLOAT32)),
    SIGNAL(rfft, "s16 1x64x512>s16 1x64x514", forward_s16, false, 9, POINTS(ARN_INT16)),
    SIGNAL(rfft, "s32 1x64x512 ~-99999..99999>s32 1x64x514", forward_s32, false, 9,
           POINTS(ARN_INT32)),
    SIGNAL(irfft, "f32 1x64x514>f32 1x64x512", inverse_f32, false, 1e-4, POINTS(ARN_FLOAT32)),
    SIGNAL(irfft, "s16 1x64x514 ~-9999..9999>s16 1x64x512", inverse_s16, false, 20,
           POINTS(ARN_INT16)),
    {&arn_op_rfft2d, "", "f32 1x128x128;s32 2 =128,128>c64 1x128x65", image_f32, false, 1e-4, {0},
     {{0}}},
    SIGNAL(window, "s16 1x64x512;s16 512 =>s16 1x64x512", window, false, 0, {"shift", 12, false}),
    SIGNAL(fft_auto_scale, "s16 30000 ~-1000..1000>s16 30000;s32 .", scale_up, false, 0, {0}),
    SIGNAL(energy, "s16 30000>u32 15000", energy, false, 0, {"end_index", 14990, false},
           {"start_index", 5, false}),
    SIGNAL(filter_bank, "u32 30000;s16 24000 =0..4095;s16 24000 =0..4095;s16 1001 =0..29000;"
           "s16 1001 =0..23000;s16 1001 =24>u64 1000", filter, false, 0, {"num_channels", 1000,
           false}),
    SIGNAL(filter_bank_square_root, "u64 9000 ~0..1000000000000;s32 . =2>u32 9000", roots, false,
           0, {0}),
    SIGNAL(filter_bank_spectral_subtraction, "u32 9000>u32 9000;u32 9000", denoise, false, 0,
           DENOISE),
    SIGNAL(pcan, "u32 9000 ~0..9999;u32 9000 ~0..999999;s16 125 =0..9999>u32 9000", gain, false, 0,
           {"snr_shift", 6, false}),
    SIGNAL(filter_bank_log, "u32 20000 ~0..999999>s16 20000", logarithm, false, 0,
           {"input_correction_bits", 3, false}, {"output_scale", 1600, false}),
    SIGNAL(delay, "s16 1x30000>s16 1x30000", delay, false, 0, {"delay_length", 500, false}),
    SIGNAL(framer, "s16 1x25600>s16 1x160x480;bool .", frames, false, 0, {"frame_size", 480, false},
           {"frame_step", 160, false}, {"prefill", 1, false}),
    SIGNAL(stacker, "s16 4096>s16 49152;bool .", stack, false, 0, STACK),
    SIGNAL(overlap_add, "s16 1x100x512>s16 1x25600", overlap_s16, false, 0, {"T", ARN_INT16, false},
           {"frame_step", 256, false}),
    SIGNAL(overlap_add, "f32 1x100x512>f32 1x25600", overlap_f32, false, 0, {"T", ARN_FLOAT32,
           false},
           {"frame_step", 256, false}),
    {.op = NULL}};
