// Kernels of the signal operators: an audio front end in integers, from samples to features.
#ifndef ARENITE_SRC_KERNELS_SIGNAL_H
#define ARENITE_SRC_KERNELS_SIGNAL_H

#include "kernel.h"
#include "x86/x86.h"

// out[i] = x[i] * window[i] >> shift, clamped to int16. out may be x. Needs: shift <= 31.
typedef void arn__signal_window_kernel(int16_t *out, const int16_t *x, const int16_t *window,
                                       uint32_t count, uint32_t shift);

// Returns the largest magnitude: 0 to 32768.
typedef uint32_t arn__signal_magnitude_kernel(const int16_t *x, uint32_t count);

// out[i] = x[i] << shift. out may be x. Needs: nothing overflows.
typedef void arn__signal_shift_kernel(int16_t *out, const int16_t *x, uint32_t count,
                                      uint32_t shift);

// out[i] = re^2 + im^2, x: [count] complex. out may be x.
typedef void arn__signal_energy_kernel(uint32_t *out, const int16_t *x, uint32_t count);

// out[i] = floor or ceiling of sqrt(x[i]), whichever is nearer, then >> shift. x: [count] of 8
// bytes, at an address of any alignment. out may be x. Needs: shift <= 31.
typedef void arn__signal_sqrt_kernel(uint32_t *out, const void *x, uint32_t count, uint32_t shift);

// out[i] = ln(x[i] << shift) * scale, clamped to int16; 0 where x[i] << shift is 0 or 1. In fixed
// point, log2 from a table of 128 segments. out may be x. Needs: shift <= 31.
typedef struct arn__signal_log {
  uint32_t scale, shift;
} arn__signal_log;

typedef void arn__signal_log_kernel(int16_t *out, const uint32_t *x, uint32_t count,
                                    const arn__signal_log *how);

// Weights of a filter bank: channel c takes `width` energies from `energy` on with the weights from
// `weight` on, and what the weights leave of them goes to channel c + 1 (the "unweights").
typedef struct arn__signal_filters {
  const int16_t *weights, *unweights;
  const int16_t *energy_starts, *weight_starts, *widths;  // [channels + 1]
  uint32_t channels;
} arn__signal_filters;

// out: [channels] of 8 bytes, at an address of any alignment. Sums wrap.
// Needs: all indices inside their arrays (widths below 1 take nothing).
typedef void arn__signal_filter_kernel(void *out, const uint32_t *energy,
                                       const arn__signal_filters *filters);

// Noise that is followed by a smoothing filter, and subtracted. [0] is for even channels, [1] for
// odd.
typedef struct arn__signal_denoise {
  uint32_t smoothing[2], one_minus_smoothing[2];
  uint32_t least_left;      // what is left at least of a signal
  uint8_t bits;             // behind the point of the numbers above
  uint8_t smoothing_bits;   // behind the point of noise estimates
  bool clamp;               // the estimate follows at once where the signal falls below it
} arn__signal_denoise;

// out[i]: signal without noise; noise[i]: the estimate. out may be x.
// Needs: bits <= 31, smoothing_bits <= 31.
typedef void arn__signal_denoise_kernel(uint32_t *out, uint32_t *noise, const uint32_t *x,
                                        uint32_t count, const arn__signal_denoise *how);

// Gain by the noise estimate, from a table of pieces of a polynomial, then a square that becomes a
// line. out may be x or noise. Needs: shift <= 63, and the table long enough for the estimates (see
// arn__signal_gain_entries).
typedef struct arn__signal_gain {
  const int16_t *table;
  uint32_t shift;
} arn__signal_gain;

typedef void arn__signal_gain_kernel(uint32_t *out, const uint32_t *x, const uint32_t *noise,
                                     uint32_t count, const arn__signal_gain *how);

// Returns how many entries of the gain table an estimate makes the kernel read, 125 at most.
uint32_t arn__signal_gain_entries(uint32_t noise);

// Adds a frame to what earlier frames left over, which is `count - step` values and all zeros at
// first: out gets `step` values, and `over` what is left over now. int16 saturates. out may be
// frame. Needs: 1 <= step <= count.
typedef struct arn__signal_overlap {
  uint32_t count, step;
} arn__signal_overlap;

typedef void arn__signal_overlap_s16_kernel(int16_t *out, int16_t *over, const int16_t *frame,
                                            const arn__signal_overlap *how);
typedef void arn__signal_overlap_f32_kernel(float *out, float *over, const float *frame,
                                            const arn__signal_overlap *how);

arn__signal_window_kernel arn__signal_window_s16_portable;
arn__signal_magnitude_kernel arn__signal_magnitude_s16_portable;
arn__signal_shift_kernel arn__signal_shift_s16_portable;
arn__signal_energy_kernel arn__signal_energy_s16_portable;
arn__signal_sqrt_kernel arn__signal_sqrt_u64_portable;
arn__signal_log_kernel arn__signal_log_u32_portable;
arn__signal_filter_kernel arn__signal_filter_u32_portable;
arn__signal_denoise_kernel arn__signal_denoise_u32_portable;
arn__signal_gain_kernel arn__signal_gain_u32_portable;
arn__signal_overlap_s16_kernel arn__signal_overlap_s16_portable;
arn__signal_overlap_f32_kernel arn__signal_overlap_f32_portable;

#define arn__signal_window_s16 arn__signal_window_s16_portable
#define arn__signal_magnitude_s16 arn__signal_magnitude_s16_portable
#define arn__signal_shift_s16 arn__signal_shift_s16_portable
#define arn__signal_energy_s16 arn__signal_energy_s16_portable
#if defined(ARN__X86)
arn__signal_sqrt_kernel arn__signal_sqrt_u64_x86;
#define arn__signal_sqrt_u64 arn__signal_sqrt_u64_x86
#else
#define arn__signal_sqrt_u64 arn__signal_sqrt_u64_portable
#endif
#define arn__signal_log_u32 arn__signal_log_u32_portable
#define arn__signal_filter_u32 arn__signal_filter_u32_portable
#define arn__signal_denoise_u32 arn__signal_denoise_u32_portable
#define arn__signal_gain_u32 arn__signal_gain_u32_portable
#define arn__signal_overlap_s16 arn__signal_overlap_s16_portable
#define arn__signal_overlap_f32 arn__signal_overlap_f32_portable

#endif
