// Blocks whose two inner loops are a matrix transposition: neighbours in the source are a line
// apart in the target, and the other way round. Tiles of 8x8 elements use what they load.
#include "../move.h"

// Swaps the upper `bits` of every 2 * `bits` of a with the lower ones of b.
ARN__INLINE void exchange(uint64_t *a, uint64_t *b, uint32_t bits, uint64_t low) {
  const uint64_t mixed = ((*a >> bits) ^ *b) & low;
  *b ^= mixed;
  *a ^= mixed << bits;
}

// Each of 8 words is a line of the source, and becomes a line of the target.
ARN__INLINE void transpose_words(uint64_t *w) {
  for (uint32_t i = 0; i < 4; i++) exchange(&w[i], &w[i + 4], 32, UINT64_C(0x00000000FFFFFFFF));
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t k = i < 2 ? i : i + 2;
    exchange(&w[k], &w[k + 2], 16, UINT64_C(0x0000FFFF0000FFFF));
  }
  for (uint32_t i = 0; i < 8; i += 2) exchange(&w[i], &w[i + 1], 8, UINT64_C(0x00FF00FF00FF00FF));
}

ARN__INLINE void transpose_tile_1(uint8_t *target, const uint8_t *source, int32_t target_step,
                                  int32_t source_step) {
  uint64_t words[8];
  for (int32_t i = 0; i < 8; i++) memcpy(&words[i], source + (ptrdiff_t)i * source_step, 8);
  transpose_words(words);
  for (int32_t i = 0; i < 8; i++) memcpy(target + (ptrdiff_t)i * target_step, &words[i], 8);
}

ARN__INLINE void transpose_tile(uint8_t *target, const uint8_t *source, int32_t target_step,
                                int32_t source_step, uint32_t size) {
  for (int32_t i = 0; i < 8; i++) {
    for (int32_t j = 0; j < 8; j++) {
      memcpy(target + (ptrdiff_t)i * target_step + (uint32_t)j * size,
             source + (ptrdiff_t)j * source_step + (uint32_t)i * size, size);
    }
  }
}

// What does not fill a tile.
ARN__INLINE void copy_edge(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                           arn__block_loop inner, uint32_t size) {
  for (uint32_t i = 0; i < outer.count; i++) {
    for (uint32_t j = 0; j < inner.count; j++) {
      memcpy(target + (ptrdiff_t)i * outer.target + j * size,
             source + i * size + (ptrdiff_t)j * inner.source, size);
    }
  }
}

// `size`, of an element, is constant.
ARN__INLINE void transpose_plane(uint8_t *target, const uint8_t *source, arn__block_loop outer,
                                 arn__block_loop inner, uint32_t size) {
  const uint32_t lines = outer.count & ~7u, columns = inner.count & ~7u;
  for (uint32_t i = 0; i < lines; i += 8) {
    uint8_t *to = target + (ptrdiff_t)i * outer.target;
    const uint8_t *from = source + i * size;
    for (uint32_t j = 0; j < columns; j += 8, to += 8 * size) {
      const uint8_t *tile = from + (ptrdiff_t)j * inner.source;
      if (size == 1) transpose_tile_1(to, tile, outer.target, inner.source);
      else transpose_tile(to, tile, outer.target, inner.source, size);
    }
  }
  const arn__block_loop top = {lines, outer.source, outer.target};
  const arn__block_loop below = {outer.count - lines, outer.source, outer.target};
  const arn__block_loop right = {inner.count - columns, inner.source, inner.target};
  copy_edge(target + columns * size, source + (ptrdiff_t)columns * inner.source, top, right, size);
  copy_edge(target + (ptrdiff_t)lines * outer.target, source + lines * size, below, inner, size);
}

void arn__move_transpose_portable(uint8_t *target, const uint8_t *source,
                                  const arn__block *block) {
  arn__block_walk walk = arn__block_begin(target, source);
  do {
    switch (block->run) {
      case 1: transpose_plane(walk.target, walk.source, block->loop[1], block->loop[0], 1); break;
      case 2: transpose_plane(walk.target, walk.source, block->loop[1], block->loop[0], 2); break;
      default: transpose_plane(walk.target, walk.source, block->loop[1], block->loop[0], 4);
    }
  } while (arn__block_next(&walk, block));
}
