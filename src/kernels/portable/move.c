#include "../move.h"

// How runs are copied: of 1, 2, 4, 8 bytes by single loads and stores, else SHORT or LONG.
enum { SHORT = 3, LONG = 16 };

ARN__INLINE void copy_run(uint8_t *target, const uint8_t *source, uint32_t run, uint32_t how) {
  switch (how) {
    case SHORT: arn__move_short(target, source, run); break;
    case LONG: arn__move_long(target, source, run); break;
    default: arn__move_fixed(target, source, how);
  }
}

// `how` is constant: each call of this becomes loops of its own. Loops are passed by value: a store
// of bytes might change what a pointer points to.
ARN__INLINE void copy_plane(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                            arn__block_loop inner, uint32_t run, uint32_t how) {
  for (uint32_t i = 0; i < outer.count; i++) {
    uint8_t *to = target + (ptrdiff_t)i * outer.target;
    const uint8_t *from = source + (ptrdiff_t)i * outer.source;
    for (uint32_t j = 0; j < inner.count; j++) {
      copy_run(to + (ptrdiff_t)j * inner.target, from + (ptrdiff_t)j * inner.source, run, how);
    }
  }
}

// The two innermost loops.
static void copy_runs(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                      arn__block_loop inner, uint32_t run) {
  switch (run) {
    case 1: copy_plane(target, source, outer, inner, run, 1); break;
    case 2: copy_plane(target, source, outer, inner, run, 2); break;
    case 4: copy_plane(target, source, outer, inner, run, 4); break;
    case 8: copy_plane(target, source, outer, inner, run, 8); break;
    default:
      if (run < LONG) copy_plane(target, source, outer, inner, run, SHORT);
      else copy_plane(target, source, outer, inner, run, LONG);
  }
}

static const arn__block_loop once = {1, 0, 0};

void arn__move_block_portable(uint8_t *target, const uint8_t *source, const arn__block *block) {
  arn__block_walk walk = arn__block_begin(target, source);
  const arn__block_loop inner = block->loops > 0 ? block->loop[0] : once;
  const arn__block_loop outer = block->loops > 1 ? block->loop[1] : once;
  do {
    copy_runs(walk.target, walk.source, outer, inner, block->run);
  } while (arn__block_next(&walk, block));
}

void arn__move_fill_portable(uint8_t *target, const void *value, uint32_t size, uint32_t count) {
  const uint8_t *bytes = value;
  const uint32_t total = size * count;
  if (count == 0) return;
  if (size == 1) {
    memset(target, bytes[0], total);
    return;
  }
  // What is filled doubles each time.
  uint32_t done = size;
  memcpy(target, bytes, size);
  while (done < total) {
    const uint32_t more = total - done < done ? total - done : done;
    memcpy(target + done, target, more);
    done += more;
  }
}

void arn__move_reverse_portable(uint8_t *target, const uint8_t *source, uint32_t size,
                                uint32_t count) {
  const arn__block_loop backwards = {count, -(int32_t)size, (int32_t)size};
  if (count == 0) return;
  copy_runs(target, source + (size_t)(count - 1) * size, once, backwards, size);
}

#if defined(__x86_64__)
void arn__move_many(void *target, const void *source, size_t bytes) {
  enum { PIECE = 2048 };
  for (size_t i = 0; i < bytes; i += PIECE) {
    size_t n = bytes - i < PIECE ? bytes - i : PIECE;
    __asm__("" : "+r"(n));  // where gcc knows a bound, it writes the string instruction itself
    memcpy((uint8_t *)target + i, (const uint8_t *)source + i, n);
  }
}
#endif
