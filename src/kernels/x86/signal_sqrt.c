#include "../signal.h"

#if defined(ARN__X86)

#include <emmintrin.h>

// The whole part of a root, from that of a double, which is at most one off. Needs: x < 2^63.
ARN__INLINE uint64_t whole_root(uint64_t x) {
  const __m128d value = _mm_cvtsi64_sd(_mm_setzero_pd(), (int64_t)x);
  uint64_t root = (uint64_t)_mm_cvttsd_si64(_mm_sqrt_sd(value, value));
  root -= root * root > x;
  return root + ((root + 1) * (root + 1) <= x);
}

void arn__signal_sqrt_u64_x86(uint32_t *out, const void *x, uint32_t count, uint32_t shift) {
  const uint8_t *bytes = x;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t value;
    memcpy(&value, bytes + 8 * i, sizeof value);
    if (value >> 63) {
      arn__signal_sqrt_u64_portable(out + i, &value, 1, shift);
      continue;
    }
    const uint64_t root = whole_root(value), most = value >> 32 ? UINT32_MAX : UINT16_MAX;
    const bool up = value - root * root > root && root != most;
    out[i] = ((uint32_t)root + up) >> shift;
  }
}

#endif
