#include "../move.h"

// Copies of a constant size become single loads and stores.
ARN__INLINE void copy_line(uint8_t *target, const uint8_t *source, arn__block_loop loop,
                           uint32_t run) {
  for (uint32_t i = 0; i < loop.count; i++) {
    memcpy(target + (ptrdiff_t)i * loop.target, source + (ptrdiff_t)i * loop.source, run);
  }
}

ARN__INLINE void copy_plane(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                            arn__block_loop inner, uint32_t run) {
  for (uint32_t i = 0; i < outer.count; i++) {
    copy_line(target + (ptrdiff_t)i * outer.target, source + (ptrdiff_t)i * outer.source, inner,
              run);
  }
}

// Runs of up to 16 bytes that are no power of two: a call of memcpy costs more than the bytes.
static void copy_short(uint8_t *target, const uint8_t *source, uint32_t run) {
  for (uint32_t i = 0; i < run; i++) target[i] = source[i];
}

static void copy_plane_short(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                             arn__block_loop inner, uint32_t run) {
  for (uint32_t i = 0; i < outer.count; i++) {
    for (uint32_t j = 0; j < inner.count; j++) {
      copy_short(target + (ptrdiff_t)i * outer.target + (ptrdiff_t)j * inner.target,
                 source + (ptrdiff_t)i * outer.source + (ptrdiff_t)j * inner.source, run);
    }
  }
}

// The two innermost loops.
static void copy_runs(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                      arn__block_loop inner, uint32_t run) {
  switch (run) {
    case 1: copy_plane(target, source, outer, inner, 1); break;
    case 2: copy_plane(target, source, outer, inner, 2); break;
    case 4: copy_plane(target, source, outer, inner, 4); break;
    case 8: copy_plane(target, source, outer, inner, 8); break;
    default:
      if (run < 16) {
        copy_plane_short(target, source, outer, inner, run);
      } else {
        copy_plane(target, source, outer, inner, run);
      }
  }
}

void arn__move_block_portable(uint8_t *target, const uint8_t *source, const arn__block *block) {
  static const arn__block_loop once = {1, 0, 0};
  uint32_t index[ARN__BLOCK_LOOPS] = {0};
  const arn__block_loop inner = block->loops > 0 ? block->loop[0] : once;
  const arn__block_loop outer = block->loops > 1 ? block->loop[1] : once;
  uint32_t depth;
  do {
    copy_runs(target, source, outer, inner, block->run);
    // Steps the loops around those two like an odometer.
    for (depth = 2; depth < block->loops; depth++) {
      const arn__block_loop loop = block->loop[depth];
      if (++index[depth] < loop.count) {
        target += loop.target;
        source += loop.source;
        break;
      }
      index[depth] = 0;
      target -= (ptrdiff_t)(loop.count - 1) * loop.target;
      source -= (ptrdiff_t)(loop.count - 1) * loop.source;
    }
  } while (depth < block->loops);
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
  const arn__block_loop once = {1, 0, 0};
  if (count == 0) return;
  copy_runs(target, source + (size_t)(count - 1) * size, once,
            (arn__block_loop){count, -(int32_t)size, (int32_t)size}, size);
}
