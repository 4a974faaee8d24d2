#include "../arg.h"

// A long run is looked at in chunks: only one that holds a better value is searched.
#define CHUNK 32u

// Defines kernel `name`; `bits` is the unsigned type as wide as `type`. ORDER(x, box) maps values
// so that the best one is the largest.
#define ARG_FIND(name, type, bits, ORDER)                                                        \
  ARN__INLINE bool name##_any(const type *x, type best, const arn__arg_box *box) {               \
    bits any = 0;                                                                                \
    for (uint32_t i = 0; i < CHUNK; i++) {                                                       \
      any = (bits)(any | (ORDER(x[i], box) > best ? 1 : 0));                                     \
    }                                                                                            \
    return any != 0;                                                                             \
  }                                                                                              \
  ARN__INLINE void name##_run(type *best_at, int32_t *index_at, const type *x,                   \
                              const arn__arg_box *box) {                                         \
    const uint32_t stride = box->row_stride;                                                     \
    uint32_t r = box->first == 0 ? 1 : 0;                                                        \
    type best = r ? ORDER(x[0], box) : *best_at;                                                 \
    int32_t index = r ? 0 : *index_at;                                                           \
    while (r < box->rows) {                                                                      \
      uint32_t end = box->rows;                                                                  \
      if (stride == 1 && end - r >= CHUNK) {                                                     \
        end = r + CHUNK;                                                                         \
        if (!name##_any(x + r, best, box)) r = end;                                              \
      }                                                                                          \
      for (; r < end; r++) {                                                                     \
        const type value = ORDER(x[r * stride], box);                                            \
        if (value > best) {                                                                      \
          best = value;                                                                          \
          index = (int32_t)(box->first + r);                                                     \
        }                                                                                        \
      }                                                                                          \
    }                                                                                            \
    *best_at = best;                                                                             \
    *index_at = index;                                                                           \
  }                                                                                              \
  ARN__INLINE void name##_row(type *restrict best, int32_t *restrict index,                      \
                              const type *restrict x, int32_t at, const arn__arg_box *box) {     \
    for (uint32_t i = 0; i < box->inner; i++) {                                                  \
      const type value = ORDER(x[i], box);                                                       \
      const bool better = value > best[i] || at == 0;                                            \
      best[i] = better ? value : best[i];                                                        \
      index[i] = better ? at : index[i];                                                         \
    }                                                                                            \
  }                                                                                              \
  ARN__KERNEL void name(void *best_at, int32_t *index, const void *in_at,                        \
                        const arn__arg_box *box) {                                               \
    type *best = best_at;                                                                        \
    const type *in = in_at;                                                                      \
    for (uint32_t o = 0; o < box->outer; o++) {                                                  \
      const type *x = in + o * box->outer_stride;                                                \
      type *b = best + o * box->inner;                                                           \
      int32_t *at = index + o * box->inner;                                                      \
      if (box->inner == 1) {                                                                     \
        name##_run(b, at, x, box);                                                               \
      } else {                                                                                   \
        for (uint32_t r = 0; r < box->rows; r++) {                                               \
          name##_row(b, at, x + r * box->row_stride, (int32_t)(box->first + r), box);            \
        }                                                                                        \
      }                                                                                          \
    }                                                                                            \
  }

// The complement turns the order of integers round, and a change of sign that of floats.
#define ORDER_S8(x, box) ((int8_t)((x) ^ ((box)->smallest ? -1 : 0)))
#define ORDER_U8(x, box) ((uint8_t)((x) ^ ((box)->smallest ? 0xFF : 0)))
#define ORDER_S16(x, box) ((int16_t)((x) ^ ((box)->smallest ? -1 : 0)))
#define ORDER_S32(x, box) ((x) ^ ((box)->smallest ? -1 : 0))
#define ORDER_F32(x, box) ((box)->smallest ? -(x) : (x))

ARG_FIND(arn__arg_find_s8, int8_t, uint8_t, ORDER_S8)
ARG_FIND(arn__arg_find_u8, uint8_t, uint8_t, ORDER_U8)
ARG_FIND(arn__arg_find_s16, int16_t, uint16_t, ORDER_S16)
ARG_FIND(arn__arg_find_s32, int32_t, uint32_t, ORDER_S32)
ARG_FIND(arn__arg_find_f32, float, uint32_t, ORDER_F32)
