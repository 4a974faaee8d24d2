// mutate [--rounds N] [--seed S] FILE...: hostile models. Takes .tflite files and operator packs;
// mutates each model many times, and wants a status and a message every time: no crash, no hang, no
// write outside the arena, no giant allocation. To be run under the sanitizers.
//
// Small models get every byte flipped in three ways; all get words and half words set to extremes,
// bytes overwritten, and pieces copied about.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/check/engine.h"
#include "tests/fuzz/hostile.h"

#define SMALL 1200u
#define SECONDS_A_CASE 120u

struct fuzzer {
  uint64_t random;
  uint32_t rounds;
  hostile_counts counts;
  unsigned long broken;
  const char *name;
};

static uint32_t draw(struct fuzzer *f, uint32_t below) {
  f->random += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = f->random;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return below ? (uint32_t)((z ^ (z >> 31)) % below) : 0;
}

static void try_bytes(struct fuzzer *f, const uint8_t *bytes, size_t size) {
  f->counts.tried++;
  alarm(SECONDS_A_CASE);
  const char *wrong = hostile_try(&f->counts, bytes, size);
  if (wrong == NULL) return;
  printf("FAIL %s: %s (case %lu)\n", f->name, wrong, f->counts.tried);
  f->broken++;
}

static void mutate_word(struct fuzzer *f, uint8_t *bytes, size_t size) {
  static const uint32_t extremes[] = {0, 1, 2, 3, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE,
                                      0x10000, 0xFFFF, 255, 9999, 0x40000000, 64};
  const uint32_t at = draw(f, (uint32_t)(size / 4)) * 4;
  const uint32_t value = extremes[draw(f, sizeof extremes / sizeof extremes[0])];
  memcpy(bytes + at, &value, size - at < 4 ? size - at : 4);
}

static void mutate_once(struct fuzzer *f, uint8_t *bytes, size_t size) {
  const uint32_t at = draw(f, (uint32_t)size), other = draw(f, (uint32_t)size);
  uint32_t length;
  switch (draw(f, 5)) {
    case 0: bytes[at] = (uint8_t)draw(f, 256); break;
    case 1: bytes[at] ^= (uint8_t)(1u << draw(f, 8)); break;
    case 2:
      length = 1 + draw(f, 16);
      if (at + length <= size && other + length <= size) memmove(bytes + at, bytes + other, length);
      break;
    default: mutate_word(f, bytes, size); break;
  }
}

// A copy of exactly the file's size, so that a read beyond it is caught.
static uint8_t *copy_of(const uint8_t *bytes, size_t size) {
  void *block = NULL;
  if (posix_memalign(&block, 16, size ? size : 1) != 0) return NULL;
  if (size > 0) memcpy(block, bytes, size);
  return block;
}

static void flip_all(struct fuzzer *f, const uint8_t *bytes, size_t size) {
  static const uint8_t flips[] = {0xFF, 0x01, 0x80};
  for (size_t at = 0; at < size; at++) {
    uint8_t *copy = copy_of(bytes, size);
    if (copy == NULL) return;
    copy[at] ^= flips[at % 3];
    try_bytes(f, copy, size);
    free(copy);
  }
}

static void cut_short(struct fuzzer *f, const uint8_t *bytes, size_t size) {
  for (uint32_t i = 0; i < 8; i++) {
    const size_t shorter = draw(f, (uint32_t)size);
    uint8_t *copy = copy_of(bytes, shorter);
    if (copy) try_bytes(f, copy, shorter);
    free(copy);
  }
}

static void fuzz_model(struct fuzzer *f, const uint8_t *bytes, size_t size, bool flip) {
  if (size < 16) return;
  if (flip && size <= SMALL) flip_all(f, bytes, size);
  cut_short(f, bytes, size);
  for (uint32_t round = 0; round < f->rounds; round++) {
    uint8_t *copy = copy_of(bytes, size);
    if (copy == NULL) return;
    for (uint32_t k = 1 + draw(f, 4); k > 0; k--) mutate_once(f, copy, size);
    try_bytes(f, copy, size);
    free(copy);
  }
}

static uint32_t word(const uint8_t *p, uint32_t i) {
  uint32_t value;
  memcpy(&value, p + 4 * (size_t)i, sizeof value);
  return value;
}

// The first case of a pack gets every byte flipped, the others random mutations.
static void fuzz_pack(struct fuzzer *f, const uint8_t *pack, size_t size) {
  size_t at = 64;
  for (uint32_t i = 0; i < word(pack, 3) && at + 64 <= size; i++) {
    const uint8_t *record = pack + at;
    const uint32_t bytes = word(record, 0), model_at = word(record, 6), length = word(record, 7);
    if (bytes < 64 || bytes > size - at || model_at > bytes || length > bytes - model_at) return;
    fuzz_model(f, record + model_at, length, i == 0);
    at += bytes;
  }
}

int main(int argc, char **argv) {
  struct fuzzer f = {.random = 1, .rounds = 8};
  int files = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
      f.rounds = (uint32_t)strtoul(argv[++i], NULL, 10);
      continue;
    }
    if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      f.random = strtoull(argv[++i], NULL, 10);
      continue;
    }
    size_t size;
    uint8_t *file = host_read_file(argv[i], &size);
    if (file == NULL) {
      perror(argv[i]);
      return 6;
    }
    f.name = argv[i];
    if (size >= 64 && memcmp(file, "OPCORP01", 8) == 0) fuzz_pack(&f, file, size);
    else fuzz_model(&f, file, size, true);
    free(file);
    files++;
  }
  printf("%lu mutated models: %lu opened, %lu started, %lu invocations ran to the end\n",
         f.counts.tried, f.counts.opened, f.counts.started, f.counts.invoked);
  printf("%d passed, %lu failed\n", f.broken ? 0 : files, f.broken);
  return files == 0 || f.broken ? 1 : 0;
}
