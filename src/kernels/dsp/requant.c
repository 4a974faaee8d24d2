#include "dsp.h"

#if defined(ARN__DSP)

#include "../kernel.h"

// As multiply() of requant.c, whose comments say why. Half of a number, rounded up, is what is left
// of it without its half.
void arn__requant_regular_dsp(const arn__requant_source *s, const uint8_t *scales, uint32_t count,
                              arn__requant *out) {
  const arn__requant *const end = out + count;
  const int32_t base = s->ratio_exponent - 126;
  uint32_t m, e, t, low, high;
  if (count == 0) return;
  __asm__ volatile(
      "1:\n\t"
      "ldr %[m], [%[scales]], #4\n\t"
      "lsr %[e], %[m], #23\n\t"
      "lsl %[m], %[m], #8\n\t"
      "orr %[m], %[m], #0x80000000\n\t"
      "umull %[t], %[low], %[m], %[ratio_low]\n\t"
      "mov %[high], #0\n\t"
      "umaal %[low], %[high], %[m], %[ratio_high]\n\t"
      "cmp %[high], #0\n\t"
      "itte mi\n\t"
      "submi %[high], %[high], %[high], lsr #1\n\t"
      "addmi %[e], %[e], #1\n\t"
      "addpl %[high], %[high], %[low], lsr #31\n\t"
      "add %[e], %[e], %[base]\n\t"
      "cmn %[e], #31\n\t"
      "itt lt\n\t"
      "movlt %[high], #0\n\t"
      "movlt %[e], #0\n\t"
      "strd %[high], %[e], [%[out]], #8\n\t"
      "cmp %[out], %[end]\n\t"
      "bne 1b"
      : [scales] "+r"(scales), [out] "+r"(out), [m] "=&r"(m), [e] "=&r"(e), [t] "=&r"(t),
        [low] "=&r"(low), [high] "=&r"(high)
      : [ratio_low] "r"(s->ratio_low), [ratio_high] "r"(s->ratio_high), [base] "r"(base),
        [end] "r"(end)
      : "cc", "memory");
}

#endif
