// exp to the last bit of a float, in integers: for tables that a C library would fill differently
// on another machine.
#ifndef ARENITE_SRC_KERNELS_EXACT_H
#define ARENITE_SRC_KERNELS_EXACT_H

// Returns exp(x) rounded to the nearest float; computed to 2^-56, so that about one argument in
// 2^31 is too near a tie to be sure of. Results below 2^-126 are 0, and above the largest float
// infinity; NaN stays. About 40 multiplications of 32 bits.
float arn__exact_exp(float x);

#endif
