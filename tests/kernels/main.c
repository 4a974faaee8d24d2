// Runs random cases through the kernels of the machine that it is built for and through the
// portable ones, which must give the same bytes. Closes with a line of counts.
#include "random.h"

// The machine's.
void console_put(const char *text);
int main(void);

static const random_suite suites[] = {
    {"arithmetic", random_arithmetic, 3000},
    {"conv", random_conv, 1500},
    {"depthwise", random_depthwise, 3000},
    {"dense", random_dense, 1500},
    {"dot", random_dot, 1500},
    {"requant", random_requant, 300},
    {"settle", random_settle, 3000},
    {"svdf", random_svdf, 1500},
};

uint32_t random_bits(void) {
  static uint64_t state = 2026;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 32);
}

int32_t random_in(int32_t low, int32_t high) {
  const uint32_t span = (uint32_t)high - (uint32_t)low;
  return (int32_t)((uint32_t)low + random_bits() % (span + 1));
}

bool random_one_of(uint32_t n) { return random_bits() % n == 0; }

void random_fill(void *to, uint32_t bytes) {
  uint8_t *at = to;
  for (uint32_t i = 0; i < bytes; i++) at[i] = (uint8_t)random_bits();
}

static void put_number(uint32_t value) {
  char text[11];
  char *at = text + 10;
  *at = 0;
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  console_put(at);
}

int main(void) {
  uint32_t passed = 0, failed = 0;
  for (uint32_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
    const uint32_t wrong = suites[i].run(suites[i].rounds);
    console_put(suites[i].name);
    console_put(": ");
    put_number(wrong);
    console_put(" of ");
    put_number(suites[i].rounds);
    console_put(" are wrong\n");
    failed += wrong;
    passed += suites[i].rounds - wrong;
  }
  put_number(passed);
  console_put(" passed, ");
  put_number(failed);
  console_put(" failed\n");
  return failed > 0;
}
