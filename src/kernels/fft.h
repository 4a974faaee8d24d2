// Fourier transforms of real signals, forward and back.
//
// The integer ones give the bits of kissfft's fixed-point build (what the reference links): every
// stage divides by its radix, and sums, products and roots of unity are rounded where it rounds
// them. They run in the output's own memory. Where the length divides ARN__FFT_TURN, roots of unity
// come from a quarter of a cosine in flash, and no RAM is needed; else from an array that the
// caller provides.
#ifndef ARENITE_SRC_KERNELS_FFT_H
#define ARENITE_SRC_KERNELS_FFT_H

#include "kernel.h"
#include "x86/x86.h"

#define ARN__FFT_TURN 2048u  // points of a whole turn of the table

// round((2^31 - 1) * cos(2 pi i / ARN__FFT_TURN)) for a quarter of a turn, both ends included.
extern const int32_t arn__fft_quarter[ARN__FFT_TURN / 4 + 1];

// 32767 / 2, / 4.
extern const int16_t arn__fft_shares_s16[2];

// A transform. `length`, that of the real signal, is even and at least 2.
typedef struct arn__fft {
  uint32_t length;
  uint32_t count;  // forward: values of the signal that are there, <= length; the rest are zero
  void *room;      // arn__fft_room() complex numbers, of arn__fft_roots_...; NULL for 0
} arn__fft;

// Returns how many complex numbers `room` must have; 0 where the table serves. Needs: length even,
// >= 2.
uint32_t arn__fft_room(uint32_t length);

// Fills the room with roots of unity, those of the way back where `inverse`. About 60
// multiplications of 32 bits, and some double arithmetic, a root.
void arn__fft_roots_s16(void *room, uint32_t length, bool inverse);
void arn__fft_roots_s32(void *room, uint32_t length, bool inverse);
void arn__fft_roots_f32(void *room, uint32_t length, bool inverse);

// Returns the radix of the outermost stage of a transform of n complex values: 4, 2, or the
// smallest odd one; 1 for 1.
static inline uint32_t arn__fft_radix(uint32_t n) {
  if (n % 4 == 0) return 4;
  if (n % 2 == 0) return 2;
  for (uint32_t p = 3; p * p <= n; p += 2) {
    if (n % p == 0) return p;
  }
  return n;
}

// Values enter the innermost stage in the order of reversed digits: the lowest digit of a value's
// number is the highest of its place. Returns the place of the value after the one at `place`.
static inline uint32_t arn__fft_next_place(uint32_t place, uint32_t n) {
  uint32_t bound = n;
  while (bound > 1) {
    const uint32_t step = bound % 4 == 0 ? bound / 4 : bound / arn__fft_radix(bound);
    place += step;
    if (place < bound) return place;
    place -= bound;
    bound = step;
  }
  return 0;
}

// Forward. in: [count] reals. out: [length / 2 + 1] complex numbers, real part first. Must not
// overlap.
typedef void arn__fft_forward_s16_kernel(int16_t *out, const int16_t *in, const arn__fft *fft);
typedef void arn__fft_forward_s32_kernel(int32_t *out, const int32_t *in, const arn__fft *fft);
typedef void arn__fft_forward_f32_kernel(float *out, const float *in, const arn__fft *fft);

arn__fft_forward_s16_kernel arn__fft_forward_s16_portable;
arn__fft_forward_s32_kernel arn__fft_forward_s32_portable;
arn__fft_forward_f32_kernel arn__fft_forward_f32_portable;

// Back. in: [length / 2 + 1] complex numbers. out: [length] reals, divided by the length (float) or
// by half of it for each division that the stages make (integers). Must not overlap.
typedef void arn__fft_inverse_s16_kernel(int16_t *out, const int16_t *in, const arn__fft *fft);
typedef void arn__fft_inverse_s32_kernel(int32_t *out, const int32_t *in, const arn__fft *fft);
typedef void arn__fft_inverse_f32_kernel(float *out, const float *in, const arn__fft *fft);

arn__fft_inverse_s16_kernel arn__fft_inverse_s16_portable;
arn__fft_inverse_s32_kernel arn__fft_inverse_s32_portable;
arn__fft_inverse_f32_kernel arn__fft_inverse_f32_portable;

// Forward, `width` complex transforms side by side, in place over x: [n][width] complex, whose rows
// are already at their places (arn__fft_next_place). Needs: n a power of two, up to ARN__FFT_TURN.
typedef void arn__fft_across_f32_kernel(float *x, uint32_t n, uint32_t width);

arn__fft_across_f32_kernel arn__fft_across_f32_portable;

#define arn__fft_across_f32 arn__fft_across_f32_portable
#if defined(ARN__X86)
arn__fft_forward_s16_kernel arn__fft_forward_s16_x86;
#define arn__fft_forward_s16 arn__fft_forward_s16_x86
#else
#define arn__fft_forward_s16 arn__fft_forward_s16_portable
#endif
#define arn__fft_forward_s32 arn__fft_forward_s32_portable
#define arn__fft_forward_f32 arn__fft_forward_f32_portable
#define arn__fft_inverse_s16 arn__fft_inverse_s16_portable
#define arn__fft_inverse_s32 arn__fft_inverse_s32_portable
#define arn__fft_inverse_f32 arn__fft_inverse_f32_portable

#endif
