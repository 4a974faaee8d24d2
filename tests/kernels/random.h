// Random numbers for kernel tests, and what they are told apart by.
#ifndef ARENITE_TESTS_KERNELS_RANDOM_H
#define ARENITE_TESTS_KERNELS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

// Returns 32 random bits; the same ones on every machine.
uint32_t random_bits(void);

// Returns a number in [low, high].
int32_t random_in(int32_t low, int32_t high);

// Returns true once in `n` times.
bool random_one_of(uint32_t n);

void random_fill(void *to, uint32_t bytes);

// A suite: runs `rounds` random cases, and returns how many were wrong.
typedef struct random_suite {
  const char *name;
  uint32_t (*run)(uint32_t rounds);
  uint32_t rounds;
} random_suite;

uint32_t random_arithmetic(uint32_t rounds);
uint32_t random_conv(uint32_t rounds);
uint32_t random_depthwise(uint32_t rounds);
uint32_t random_dense(uint32_t rounds);
uint32_t random_dot(uint32_t rounds);
uint32_t random_requant(uint32_t rounds);
uint32_t random_settle(uint32_t rounds);
uint32_t random_svdf(uint32_t rounds);

#endif
