// Kernels over samples and their spectrum.
#include "../signal.h"

ARN__KERNEL void arn__signal_window_s16_portable(int16_t *out, const int16_t *x,
                                                 const int16_t *window, uint32_t count,
                                                 uint32_t shift) {
  for (uint32_t i = 0; i < count; i++) {
    const arn__clamp range = {INT16_MIN, INT16_MAX};
    out[i] = (int16_t)arn__clamp_s32(x[i] * window[i] >> shift, range);
  }
}

// Largest and smallest, because neither has a magnitude to overflow.
ARN__KERNEL uint32_t arn__signal_magnitude_s16_portable(const int16_t *x, uint32_t count) {
  int16_t high = 0, low = 0;
  for (uint32_t i = 0; i < count; i++) {
    high = x[i] > high ? x[i] : high;
    low = x[i] < low ? x[i] : low;
  }
  return (uint32_t)(high > -low ? high : -low);
}

ARN__KERNEL void arn__signal_shift_s16_portable(int16_t *out, const int16_t *x, uint32_t count,
                                                uint32_t shift) {
  for (uint32_t i = 0; i < count; i++) out[i] = (int16_t)(uint16_t)((uint32_t)x[i] << shift);
}

ARN__INLINE void energies(uint32_t *out, const void *x, uint32_t count) {
  const uint8_t *bytes = x;
  for (size_t i = 0; i < count; i++) {
    uint32_t point;
    memcpy(&point, bytes + 4 * i, sizeof point);
    const int32_t re = (int16_t)point, im = (int32_t)point >> 16;
    out[i] = (uint32_t)(re * re) + (uint32_t)(im * im);
  }
}

// Twice the same, because compilers vectorise in place only where they see that it is.
ARN__KERNEL void arn__signal_energy_s16_portable(uint32_t *out, const int16_t *x, uint32_t count) {
  if ((const void *)out == (const void *)x) {
    energies(out, out, count);
  } else {
    energies(out, x, count);
  }
}

ARN__KERNEL void arn__signal_overlap_s16_portable(int16_t *out, int16_t *over, const int16_t *frame,
                                                  const arn__signal_overlap *how) {
  const arn__clamp range = {INT16_MIN, INT16_MAX};
  const uint32_t kept = how->count - how->step;
  const uint32_t summed = kept < how->step ? kept : how->step;
  for (uint32_t i = 0; i < summed; i++) out[i] = (int16_t)arn__clamp_s32(frame[i] + over[i], range);
  memmove(out + summed, frame + summed, (how->step - summed) * sizeof *out);
  frame += how->step;
  for (uint32_t i = 0; i + how->step < kept; i++) {
    over[i] = (int16_t)arn__clamp_s32(frame[i] + over[i + how->step], range);
  }
  if (summed > 0) memcpy(over + (kept - summed), frame + (kept - summed), summed * sizeof *over);
}

ARN__KERNEL void arn__signal_overlap_f32_portable(float *out, float *over, const float *frame,
                                                  const arn__signal_overlap *how) {
  const uint32_t kept = how->count - how->step;
  const uint32_t summed = kept < how->step ? kept : how->step;
  for (uint32_t i = 0; i < summed; i++) out[i] = frame[i] + over[i];
  memmove(out + summed, frame + summed, (how->step - summed) * sizeof *out);
  frame += how->step;
  for (uint32_t i = 0; i + how->step < kept; i++) over[i] = frame[i] + over[i + how->step];
  if (summed > 0) memcpy(over + (kept - summed), frame + (kept - summed), summed * sizeof *over);
}
