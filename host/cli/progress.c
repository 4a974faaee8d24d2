#include "host/cli/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 0.5   // seconds without a word
#define PAUSE 0.1      // seconds between two

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_show(void *what, double share) {
  static const void *current;
  static double next;    // when something may be shown
  static bool shown;
  if (!isatty(STDERR_FILENO)) return;
  const double time = now();
  if (current != what || share <= 0.0) next = time + PATIENCE;
  current = share < 1.0 ? what : NULL;
  if (share < 1.0 && time >= next) {
    fprintf(stderr, "\r%-30s %3.0f %% ", (const char *)what, 100.0 * share);
    next = time + PAUSE;
    shown = true;
  } else if (share >= 1.0 && shown) {
    fprintf(stderr, "\r%-40s\r", "");
    shown = false;
  }
}
