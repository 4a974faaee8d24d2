// Operators that look values up, put them in places, or select them by what they are.
#include <math.h>

#include "bench/oracle/plain.h"

// ---- places from indices ------------------------------------------------------------------------

#define GATHER(type)                                                                              \
  static void gather_##type(const plain_node *n) {  /* rows */                                    \
    const uint32_t width = n->in[0].count / (uint32_t)n->in[0].dims[0];                           \
    for (uint32_t i = 0; i < n->in[1].count; i++) {                                               \
      for (uint32_t k = 0; k < width; k++) {                                                      \
        n->out[0].type[i * width + k] = n->in[0].type[(uint32_t)n->in[1].s32[i] * width + k];     \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void gather_last_##type(const plain_node *n) {  /* along the last axis */                \
    const uint32_t width = (uint32_t)n->in[0].dims[1], count = n->in[1].count;                    \
    for (uint32_t i = 0; i < (uint32_t)n->in[0].dims[0]; i++) {                                   \
      for (uint32_t k = 0; k < count; k++) {                                                      \
        n->out[0].type[i * count + k] = n->in[0].type[i * width + (uint32_t)n->in[1].s32[k]];     \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void gather_nd_##type(const plain_node *n) {  /* pairs of indices */                     \
    const uint32_t width = (uint32_t)n->in[0].dims[2], columns = (uint32_t)n->in[0].dims[1];      \
    for (uint32_t i = 0; i < n->in[1].count / 2; i++) {                                           \
      const uint32_t *at = n->in[1].u32 + 2 * i;                                                  \
      for (uint32_t k = 0; k < width; k++) {                                                      \
        n->out[0].type[i * width + k] = n->in[0].type[(at[0] * columns + at[1]) * width + k];     \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void scatter_##type(const plain_node *n) {                                               \
    const uint32_t width = n->in[1].count / n->in[0].count;                                       \
    for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].type[i] = 0;                         \
    for (uint32_t i = 0; i < n->in[0].count; i++) {                                               \
      for (uint32_t k = 0; k < width; k++) {                                                      \
        n->out[0].type[(uint32_t)n->in[0].s32[i] * width + k] += n->in[1].type[i * width + k];    \
      }                                                                                           \
    }                                                                                             \
  }
GATHER(s8)
GATHER(f32)

// Rows of the data are taken into the segment that each belongs to.
#define SEGMENTS(name, type, first, expression)                                                   \
  static void name##_##type(const plain_node *n) {                                                \
    const uint32_t width = n->in[0].count / n->in[1].count;                                       \
    for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].type[i] = first;                     \
    for (uint32_t i = 0; i < n->in[1].count; i++) {                                               \
      for (uint32_t k = 0; k < width; k++) {                                                      \
        __typeof__(n->out[0].type) y = n->out[0].type + (uint32_t)n->in[1].s32[i] * width + k;    \
        const __typeof__(*y) x = n->in[0].type[i * width + k];                                    \
        *y = expression;                                                                          \
      }                                                                                           \
    }                                                                                             \
  }
SEGMENTS(segment_sum, f32, 0, *y + x)
SEGMENTS(segment_sum, s32, 0, *y + x)
SEGMENTS(segment_prod, f32, 1, *y * x)
SEGMENTS(segment_max, f32, -3.402823466e38f, x > *y ? x : *y)
SEGMENTS(segment_min, f32, 3.402823466e38f, x < *y ? x : *y)

static void to_dense_f32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].f32[i] = n->in[3].f32[0];
  for (uint32_t i = 0; i < n->in[0].count; i++) {
    n->out[0].f32[n->in[0].s32[i]] = n->in[2].f32[i];
  }
}

static void by_key_f32(const plain_node *n) {  // a row for each key, and whether it was there
  const uint32_t width = (uint32_t)n->in[2].dims[1];
  for (uint32_t i = 0; i < n->in[0].count; i++) {
    uint32_t k = 0;
    while (k < n->in[1].count && n->in[1].s32[k] != n->in[0].s32[i]) k++;
    n->out[1].u8[i] = k < n->in[1].count;
    for (uint32_t c = 0; c < width; c++) {
      n->out[0].f32[i * width + c] = k < n->in[1].count ? n->in[2].f32[k * width + c] : 0.0f;
    }
  }
}

static void one_hot_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[1].s32[0];
  for (uint32_t i = 0, to = 0; i < n->in[0].count; i++) {
    for (uint32_t k = 0; k < depth; k++) {
      n->out[0].f32[to++] = n->in[0].s32[i] == (int32_t)k ? n->in[2].f32[0] : n->in[3].f32[0];
    }
  }
}

#define DIAGONAL(type)                                                                            \
  static void diagonal_##type(const plain_node *n) {  /* of each vector: a matrix */              \
    const uint32_t size = (uint32_t)n->out[0].dims[1];                                            \
    for (uint32_t b = 0, to = 0; b < (uint32_t)n->out[0].dims[0]; b++) {                          \
      for (uint32_t i = 0; i < size; i++) {                                                       \
        for (uint32_t k = 0; k < size; k++) {                                                     \
          n->out[0].type[to++] = i == k ? n->in[0].type[b * size + i] : 0;                        \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void set_diagonal_##type(const plain_node *n) {                                          \
    const uint32_t size = (uint32_t)n->out[0].dims[1];                                            \
    for (uint32_t b = 0, at = 0; b < (uint32_t)n->out[0].dims[0]; b++) {                          \
      for (uint32_t i = 0; i < size; i++) {                                                       \
        for (uint32_t k = 0; k < size; k++, at++) {                                               \
          n->out[0].type[at] = i == k ? n->in[1].type[b * size + i] : n->in[0].type[at];          \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
DIAGONAL(s8)
DIAGONAL(f32)

#define CUMSUM(type)                                                                              \
  static void cumsum_##type(const plain_node *n) {  /* along axis 1 of 3 */                       \
    const uint32_t rows = (uint32_t)n->in[0].dims[1], width = (uint32_t)n->in[0].dims[2];         \
    for (uint32_t b = 0; b < (uint32_t)n->in[0].dims[0]; b++) {                                   \
      for (uint32_t k = 0; k < width; k++) {                                                      \
        __typeof__(n->in[0].type[0]) sum = 0;                                                     \
        for (uint32_t i = 0; i < rows; i++) {                                                     \
          sum += n->in[0].type[(b * rows + i) * width + k];                                       \
          n->out[0].type[(b * rows + i) * width + k] = sum;                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
CUMSUM(f32)
CUMSUM(s32)

static void cumsum_s8(const plain_node *n) {  // zero points 0, scales equal
  const uint32_t width = (uint32_t)n->in[0].dims[2];
  const plain_multiplier half = {1 << 30, 0};
  const plain_multiplier m = plain_split(2.0 / (double)(1 << 20));
  for (uint32_t b = 0; b < n->in[0].count / width; b++) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < width; i++) {
      sum += plain_requantise(n->in[0].s8[b * width + i] * (1 << 20), half);
      n->out[0].s8[b * width + i] = (int8_t)plain_s8(plain_requantise(sum, m));
    }
  }
}

// ---- selecting by value -------------------------------------------------------------------------

static void bucketize_f32(const plain_node *n) {  // boundaries -3, -1, 0, 1, 3
  static const float bounds[] = {-3, -1, 0, 1, 3};
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    int32_t bucket = 0;
    for (uint32_t k = 0; k < 5; k++) bucket += n->in[0].f32[i] >= bounds[k];
    n->out[0].s32[i] = bucket;
  }
}

#define TOP(type)                                                                                 \
  static void top_##type(const plain_node *n) {  /* the largest, one after another */             \
    const uint32_t depth = (uint32_t)n->in[0].dims[1], k = (uint32_t)n->in[1].s32[0];             \
    for (uint32_t r = 0; r < (uint32_t)n->in[0].dims[0]; r++) {                                   \
      static bool taken[4096];                                                                    \
      const __typeof__(n->in[0].type) x = n->in[0].type + r * depth;                              \
      memset(taken, 0, sizeof taken);                                                             \
      for (uint32_t j = 0; j < k; j++) {                                                          \
        uint32_t best = depth;                                                                    \
        for (uint32_t i = 0; i < depth; i++) {                                                    \
          if (!taken[i] && (best == depth || x[i] > x[best])) best = i;                           \
        }                                                                                         \
        taken[best] = true;                                                                       \
        n->out[0].type[r * k + j] = x[best];                                                      \
        n->out[1].s32[r * k + j] = (int32_t)best;                                                 \
      }                                                                                           \
    }                                                                                             \
  }
TOP(f32)
TOP(s8)

static void where_bool(const plain_node *n) {  // places of rank 2
  uint32_t to = 0;
  for (int32_t y = 0; y < n->in[0].dims[0]; y++) {
    for (int32_t x = 0; x < n->in[0].dims[1]; x++) {
      if (!n->in[0].u8[y * n->in[0].dims[1] + x]) continue;
      n->out[0].s64[to++] = y;
      n->out[0].s64[to++] = x;
    }
  }
}

static void unique_s32(const plain_node *n) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < n->in[0].count; i++) {
    uint32_t k = 0;
    while (k < found && n->out[0].s32[k] != n->in[0].s32[i]) k++;
    if (k == found) n->out[0].s32[found++] = n->in[0].s32[i];
    n->out[1].s32[i] = (int32_t)k;
  }
}

static const int32_t boundaries[] = {(int32_t)0xC0400000, (int32_t)0xBF800000, 0, 0x3F800000,
                                     0x40400000};  // as floats: -3 -1 0 1 3

#define CASE(op, note, tensors, loop) {&arn_op_##op, note, tensors, loop, false, 0, {0}, {{0}}}
#define WITH(op, note, tensors, loop, options, ...)                                               \
  {&arn_op_##op, note, tensors, loop, false, 0, {ARN_OPTIONS_##options, __VA_ARGS__, {{0}}, {0}},\
   {{0}}}
#define BOTH(op, note, before, in, after, out, loop)                                              \
  CASE(op, note, before "s8 " in after ">s8 " out, loop##_s8),                                    \
  CASE(op, note, before "f32 " in after ">f32 " out, loop##_f32)
#define SEGMENT_CASE(op, loop) \
  CASE(op, "", "f32 2048x32;s32 2048 ~0..99;s32 . =100>f32 100x32", loop##_f32)

const plain_case plain_index[] = {
    BOTH(gather, "rows", "", "2000x64", ";s32 1000 ~0..1999", "1000x64", gather),
    WITH(gather, "last axis", "s8 512x256;s32 128 ~0..255>s8 512x128", gather_last_s8, GATHER, {1}),
    WITH(gather, "last axis", "f32 256x256;s32 128 ~0..255>f32 256x128", gather_last_f32, GATHER,
         {1}),
    BOTH(gather_nd, "", "", "64x64x32", ";s32 1000x2 ~0..63", "1000x32", gather_nd),
    CASE(scatter_nd, "", "s32 1000x1 ~0..1999;f32 1000x32;s32 2 =2000,32>f32 2000x32", scatter_f32),
    CASE(scatter_nd, "", "s32 1000x1 ~0..1999;s8 1000x64 ~-9..9;s32 2 =2000,64>s8 2000x64",
         scatter_s8),
    CASE(sparse_to_dense, "", "s32 1000x1 ~0..29999;s32 1 =30000;f32 1000;f32 . =.5>f32 30000",
         to_dense_f32),
    CASE(hashtable_lookup, "8 keys", "s32 512 ~0..70;s32 8 =1,4,9,16,25,36,49,64;f32 8x64 =>"
         "f32 512x64;u8 512", by_key_f32),
    CASE(segment_sum, "", "f32 2048x32;s32 2048 ~0..0>f32 1x32", segment_sum_f32),
    SEGMENT_CASE(unsorted_segment_sum, segment_sum), SEGMENT_CASE(unsorted_segment_prod,
                 segment_prod),
    SEGMENT_CASE(unsorted_segment_max, segment_max), SEGMENT_CASE(unsorted_segment_min,
                 segment_min),
    CASE(unsorted_segment_sum, "", "s32 2048x32;s32 2048 ~0..99;s32 . =100>s32 100x32",
         segment_sum_s32),
    WITH(one_hot, "", "s32 1000 ~0..99;s32 . =100;f32 . =1;f32 . =0>f32 1000x100", one_hot_f32,
         ONE_HOT, {-1}),
    BOTH(matrix_diag, "", "", "16x128", "", "16x128x128", diagonal),
    CASE(matrix_set_diag, "", "s8 16x128x128;s8 16x128>s8 16x128x128", set_diagonal_s8),
    CASE(matrix_set_diag, "", "f32 8x128x128;f32 8x128>f32 8x128x128", set_diagonal_f32),
    WITH(cumsum, "axis 1", "f32 8x64x64;s32 . =1>f32 8x64x64", cumsum_f32, CUMSUM, {0}),
    WITH(cumsum, "axis 1", "s32 8x64x64;s32 . =1>s32 8x64x64", cumsum_s32, CUMSUM, {0}),
    WITH(cumsum, "last axis", "s8 8x64x128 @.05;s32 . =2>s8 8x64x128 @.05", cumsum_s8, CUMSUM, {0}),
    {&arn_op_bucketize, "5 bounds", "f32 1x64x64x8 ~-5..5>s32 1x64x64x8", bucketize_f32, false, 0,
     {ARN_OPTIONS_BUCKETIZE, {0}, {{boundaries, 5}}, {0}}, {{0}}},
    CASE(topk_v2, "5", "f32 32x1024;s32 . =5>f32 32x5;s32 32x5", top_f32),
    CASE(topk_v2, "5", "s8 128x1024;s32 . =5>s8 128x5;s32 128x5", top_s8),
    CASE(where, "", "bool 256x128 =1>s64 32768x2", where_bool),
    CASE(where, "few", "bool 512x256 =1,1,0,0,0,0,0,1,0,1,1,1,1,1,1,1,1,1,0>s64 12x2", where_bool),
    WITH(unique, "", "s32 16384 =0..99>s32 100;s32 16384", unique_s32, UNIQUE, {2}),
    {.op = NULL}};
