#include "dsp.h"

#if defined(ARN__DSP)

#include "output.h"
#include "products.h"

// From a sum to an output, as arn__dsp_quick() does it (see output.h), in place: where there is a
// shift to the right (which then is > 0), and where there is not.
#define SETTLE(sum, q, right, zero, t, u)        \
  ARN__DSP_HIGH(sum, q, t, u)                    \
  ARN__DSP_SHIFT(sum, right, zero, t, u)         \
  "ssat " sum ", #8, " sum "\n\t"
#define SETTLE_LARGE(sum, q, left, zero, t, u)   \
  "lsl " sum ", " sum ", " left "\n\t"           \
  ARN__DSP_HIGH(sum, q, t, u)                    \
  "qadd " sum ", " u ", " zero "\n\t"            \
  "ssat " sum ", #8, " sum "\n\t"

// Repeats `many` while x is before `most`, then `four` while it is before `last`, which is in
// memory: registers are few.
#define LOOP(many, four, u)            \
  "cmp %[x], %[most]\n\t"              \
  "bhs 12f\n"                          \
  "11:\n\t" many                       \
  "cmp %[x], %[most]\n\t"              \
  "blo 11b\n"                          \
  "12:\n\t"                            \
  "ldr " u ", %[last]\n\t"             \
  "cmp %[x], " u "\n\t"                \
  "bhs 14f\n"                          \
  "13:\n\t" four                       \
  "ldr " u ", %[last]\n\t"             \
  "cmp %[x], " u "\n\t"                \
  "blo 13b\n"                          \
  "14:\n\t"

// ---- four windows -------------------------------------------------------------------------------

// Four elements: 13 instructions for 16 products.
#define FOUR_OF_4                              \
  "ldr %[u], [%[w]], #4\n\t"                   \
  "ldmia %[x]!, {r4, r5, r6, r8}\n\t"          \
  "sxtb16 %[v], %[u]\n\t"                      \
  "sxtb16 %[u], %[u], ror #8\n\t"              \
  "smlad %[a], r4, %[v], %[a]\n\t"             \
  "smlad %[b], r5, %[v], %[b]\n\t"             \
  "smlad %[c], r6, %[v], %[c]\n\t"             \
  "smlad %[d], r8, %[v], %[d]\n\t"             \
  "ldmia %[x]!, {r4, r5, r6, r8}\n\t"          \
  "smlad %[a], r4, %[u], %[a]\n\t"             \
  "smlad %[b], r5, %[u], %[b]\n\t"             \
  "smlad %[c], r6, %[u], %[c]\n\t"             \
  "smlad %[d], r8, %[u], %[d]\n\t"

#define ALL_4(settle)                                        \
  settle("%[a]", "r4", "r5", "%[v]", "%[w]", "r6")           \
  settle("%[b]", "r4", "r5", "%[v]", "%[w]", "r6")           \
  settle("%[c]", "r4", "r5", "%[v]", "%[w]", "r6")           \
  settle("%[d]", "r4", "r5", "%[v]", "%[w]", "r6")

void arn__dsp_multiply_4(arn__dsp_rows *rows) {
  const uint32_t *const most = rows->most, *const last = rows->last;
  uint32_t a, b, c, d, u, v, w, x;
  __asm__ volatile(
      "ldr %[u], %[rows]\n\t"
      "ldr %[w], [%[u]]\n"
      "1:\n\t"
      "ldr %[v], [%[u], #8]\n\t"
      "add %[v], %[v], %[w]\n\t"
      "str %[v], [%[u]]\n\t"
      "ldrd %[v], %[x], [%[u], #12]\n\t"
      "cmp %[v], #0\n\t"
      "beq 2f\n\t"
      "ldr %[a], [%[v]], #4\n\t"
      "str %[v], [%[u], #12]\n\t"
      "mov %[b], %[a]\n\t"
      "mov %[c], %[a]\n\t"
      "mov %[d], %[a]\n"
      "3:\n\t"
      LOOP(FOUR_OF_4 FOUR_OF_4 FOUR_OF_4 FOUR_OF_4, FOUR_OF_4, "%[u]")
      "ldr %[u], %[rows]\n\t"
      "ldr %[x], [%[u], #32]\n\t"
      "cmp %[x], #0\n\t"
      "beq 4f\n\t"
      "ldrd %[w], %[v], [%[u], #24]\n\t"
      "ldrd r4, r5, [%[w]], #8\n\t"
      "str %[w], [%[u], #24]\n\t"
      "rsbs r5, r5, #0\n\t"
      "ble 7f\n\t"
      ALL_4(SETTLE)
      "8:\n\t"
      "ldrd r6, r8, [%[u], #36]\n\t"
      "strb %[d], [%[x], r8]\n\t"
      "strb %[c], [%[x], r6, lsl #1]\n\t"
      "strb %[b], [%[x], r6]\n\t"
      "strb %[a], [%[x]], #1\n\t"
      "str %[x], [%[u], #32]\n"
      "5:\n\t"
      "ldrd %[w], %[v], [%[u]]\n\t"
      "cmp %[w], %[v]\n\t"
      "bne 1b\n\t"
      "b 6f\n"
      "2:\n\t"
      "ldr %[v], [%[u], #20]\n\t"
      "ldrd %[a], %[b], [%[v]], #8\n\t"
      "ldrd %[c], %[d], [%[v]], #8\n\t"
      "str %[v], [%[u], #20]\n\t"
      "b 3b\n"
      "4:\n\t"
      "ldr %[v], [%[u], #44]\n\t"
      "strd %[a], %[b], [%[v]], #8\n\t"
      "strd %[c], %[d], [%[v]], #8\n\t"
      "str %[v], [%[u], #44]\n\t"
      "b 5b\n"
      "7:\n\t"
      "rsb r5, r5, #0\n\t"
      ALL_4(SETTLE_LARGE)
      "b 8b\n"
      "6:"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [x] "=&r"(x), [w] "=&r"(w),
        [u] "=&r"(u), [v] "=&r"(v)
      : [rows] "m"(rows), [most] "r"(most), [last] "m"(last)
      : "r4", "r5", "r6", "r8", "cc", "memory");
}

// ---- one window, two rows -----------------------------------------------------------------------

#define WORD(sum, even, odd, word)                   \
  "sxtb16 %[t], " word "\n\t"                        \
  "sxtb16 " word ", " word ", ror #8\n\t"            \
  "smlad " sum ", " even ", %[t], " sum "\n\t"       \
  "smlad " sum ", " odd ", " word ", " sum "\n\t"

// Two words of weights, which lie at a multiple of four, or anywhere.
#define LOAD_ALIGNED(w) "ldrd r6, r8, [" w "], #8\n\t"
#define LOAD_ANY(w) "ldr r8, [" w ", #4]\n\tldr r6, [" w "], #8\n\t"

// Eight elements: 19 or 21 instructions for 16 products.
#define EIGHT_OF_1(load)                                                              \
  "ldmia %[x]!, {r2, r3, r4, r5}\n\t"                                                 \
  load("%[v]") WORD("%[a]", "r2", "r3", "r6") WORD("%[a]", "r4", "r5", "r8")          \
  load("%[w]") WORD("%[b]", "r2", "r3", "r6") WORD("%[b]", "r4", "r5", "r8")

#define FOUR_OF_1                        \
  "ldmia %[x]!, {r2, r3}\n\t"            \
  "ldr r6, [%[v]], #4\n\t"               \
  WORD("%[a]", "r2", "r3", "r6")         \
  "ldr r6, [%[w]], #4\n\t"               \
  WORD("%[b]", "r2", "r3", "r6")

#define MULTIPLY_1(load)                                                                       \
  __asm__ volatile(                                                                            \
      "ldr %[t], %[rows]\n\t"                                                                  \
      "ldr %[v], [%[t]]\n"                                                                     \
      "1:\n\t"                                                                                 \
      "ldrd %[w], %[b], [%[t], #8]\n\t"                                                        \
      "add %[a], %[v], %[w], lsl #1\n\t"                                                       \
      "str %[a], [%[t]]\n\t"                                                                   \
      "add %[w], %[v], %[w]\n\t"                                                               \
      "ldrd %[x], r2, [%[t], #16]\n\t"                                                         \
      "cmp %[b], #0\n\t"                                                                       \
      "beq 2f\n\t"                                                                             \
      "mov r2, %[b]\n\t"                                                                       \
      "ldrd %[a], %[b], [r2], #8\n\t"                                                          \
      "str r2, [%[t], #12]\n"                                                                  \
      "3:\n\t"                                                                                 \
      LOOP(EIGHT_OF_1(load) EIGHT_OF_1(load) EIGHT_OF_1(load) EIGHT_OF_1(load), FOUR_OF_1,     \
           "%[t]")                                                                             \
      "ldr %[t], %[rows]\n\t"                                                                  \
      "ldr %[x], [%[t], #32]\n\t"                                                              \
      "cmp %[x], #0\n\t"                                                                       \
      "beq 4f\n\t"                                                                             \
      "ldrd %[w], %[v], [%[t], #24]\n\t"                                                       \
      "ldmia %[w]!, {r2, r3, r4, r5}\n\t"                                                      \
      "str %[w], [%[t], #24]\n\t"                                                              \
      "rsbs r3, r3, #0\n\t"                                                                    \
      "ble 7f\n\t"                                                                             \
      SETTLE("%[a]", "r2", "r3", "%[v]", "r6", "r8")                                           \
      "8:\n\t"                                                                                 \
      "rsbs r5, r5, #0\n\t"                                                                    \
      "ble 9f\n\t"                                                                             \
      SETTLE("%[b]", "r4", "r5", "%[v]", "r6", "r8")                                           \
      "10:\n\t"                                                                                \
      "strb %[a], [%[x]], #1\n\t"                                                              \
      "strb %[b], [%[x]], #1\n\t"                                                              \
      "str %[x], [%[t], #32]\n"                                                                \
      "5:\n\t"                                                                                 \
      "ldrd %[v], %[w], [%[t]]\n\t"                                                            \
      "cmp %[v], %[w]\n\t"                                                                     \
      "bne 1b\n\t"                                                                             \
      "b 6f\n"                                                                                 \
      "2:\n\t"                                                                                 \
      "ldrd %[a], %[b], [r2], #8\n\t"                                                          \
      "str r2, [%[t], #20]\n\t"                                                                \
      "b 3b\n"                                                                                 \
      "4:\n\t"                                                                                 \
      "ldr %[w], [%[t], #44]\n\t"                                                              \
      "strd %[a], %[b], [%[w]], #8\n\t"                                                        \
      "str %[w], [%[t], #44]\n\t"                                                              \
      "b 5b\n"                                                                                 \
      "7:\n\t"                                                                                 \
      "rsb r3, r3, #0\n\t"                                                                     \
      SETTLE_LARGE("%[a]", "r2", "r3", "%[v]", "r6", "r8")                                     \
      "b 8b\n"                                                                                 \
      "9:\n\t"                                                                                 \
      "rsb r5, r5, #0\n\t"                                                                     \
      SETTLE_LARGE("%[b]", "r4", "r5", "%[v]", "r6", "r8")                                     \
      "b 10b\n"                                                                                \
      "6:"                                                                                     \
      : [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x), [v] "=&r"(v), [w] "=&r"(w), [t] "=&r"(t)     \
      : [rows] "m"(rows), [most] "r"(most), [last] "m"(last)                                   \
      : "r2", "r3", "r4", "r5", "r6", "r8", "cc", "memory")

void arn__dsp_multiply_1(arn__dsp_rows *rows) {
  const uint32_t *const most = rows->most, *const last = rows->last;
  uint32_t a, b, t, v, w, x;
  if ((((uintptr_t)rows->w | rows->step) & 3) == 0) MULTIPLY_1(LOAD_ALIGNED);
  else MULTIPLY_1(LOAD_ANY);
}

#endif
