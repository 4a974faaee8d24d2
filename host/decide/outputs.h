// How far the outputs of two forms of one network (float32, int16x8, int8) are apart, on the same
// inputs.
#ifndef ARENITE_HOST_DECIDE_OUTPUTS_H
#define ARENITE_HOST_DECIDE_OUTPUTS_H

#include "host/check/engine.h"

typedef struct host_output_gap {
  const char *why;         // NULL: compared; else why it can't be
  double worst, mean;      // of |a - b|, in real numbers
  double spread;           // greatest minus least real value of a
  double signal_db;        // 10 log10(sum a^2 / sum (a - b)^2); 999 where all are equal
  uint32_t same_largest;   // invocations in which the same element of output 0 is the largest
  uint32_t invocations;
} host_output_gap;

// Runs both engines on `invocations` inputs: real numbers drawn from the range that all quantised
// inputs can represent (-1 to 1 where both are float), given to each in its own type. Needs: both
// just started. Stateful networks keep their state in both. `progress` (NULL: silent) is told what
// is done, and the share of it. Fails only by `why`.
host_output_gap host_compare_outputs(host_engine *a, host_engine *b, uint32_t invocations,
                                     void (*progress)(void *what, double share));

#endif
