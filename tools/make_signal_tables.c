// Prints the tables of the signal kernels: a quarter of a cosine for the Fourier transforms, and
// the distance of log2(1 + x) from x for the logarithm. Everything is computed in long double from
// the definition that stands beside it; tests/unit/test_op_signal.c checks what was committed.
//
//   cc -std=c11 -o make_signal_tables make_signal_tables.c -lm && ./make_signal_tables
#include <math.h>
#include <stdio.h>

#define TURN 2048    // ARN__FFT_TURN
#define SEGMENTS 128

static void print(const char *name, long value, int index, int columns) {
  if (index == 0) printf("%s:\n", name);
  printf("%s%ld,", index % columns == 0 ? "\n    " : " ", value);
}

int main(void) {
  const long double turn = 2.0L * acosl(-1.0L);
  for (int i = 0; i <= TURN / 4; i++) {
    print("cosine", lroundl(2147483647.0L * cosl(turn * i / TURN)), i, 8);
  }
  printf("\n\n");
  for (int i = 0; i <= SEGMENTS; i++) {
    const long double x = (long double)i / SEGMENTS;
    print("logarithm", lroundl(65536.0L * (log2l(1.0L + x) - x)), i, 12);
  }
  printf("\n");
  return 0;
}
