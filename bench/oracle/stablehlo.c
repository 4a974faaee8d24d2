// Operators of StableHLO. Those that move values are of rank 4: a loop a dimension.
#include <math.h>

#include "bench/oracle/plain.h"

// Runs the statement for every place o[0..3] of a tensor; `at` is its index.
#define PLACES(t)                                                                                 \
  int32_t o[4], at = 0;                                                                           \
  for (o[0] = 0; o[0] < (t)->dims[0]; o[0]++)                                                     \
    for (o[1] = 0; o[1] < (t)->dims[1]; o[1]++)                                                   \
      for (o[2] = 0; o[2] < (t)->dims[2]; o[2]++)                                                 \
        for (o[3] = 0; o[3] < (t)->dims[3]; o[3]++, at++)

static int32_t index_of(const plain_tensor *t, int32_t a, int32_t b, int32_t c, int32_t e) {
  const int32_t *d = t->dims;
  return ((a * d[1] + b) * d[2] + c) * d[3] + e;
}

// ---- moving -------------------------------------------------------------------------------------

#define MOVES(type)                                                                               \
  static void transpose_##type(const plain_node *n) {  /* 0, 2, 3, 1 */                           \
    PLACES(&n->out[0]) {                                                                          \
      n->out[0].type[at] = n->in[0].type[index_of(&n->in[0], o[0], o[3], o[1], o[2])];            \
    }                                                                                             \
  }                                                                                               \
  static void repeat_##type(const plain_node *n) {  /* [64,16] along dimensions 1 and 3 */        \
    PLACES(&n->out[0]) n->out[0].type[at] = n->in[0].type[o[1] * n->in[0].dims[1] + o[3]];        \
  }                                                                                               \
  static void slice_##type(const plain_node *n) {  /* from 0,3,5,1, every second row */           \
    PLACES(&n->out[0]) {                                                                          \
      n->out[0].type[at] =                                                                        \
          n->in[0].type[index_of(&n->in[0], o[0], 3 + 2 * o[1], 5 + o[2], 1 + o[3])];             \
    }                                                                                             \
  }                                                                                               \
  static void cut_##type(const plain_node *n) {                                                   \
    const int32_t y = n->in[2].s32[0], x = n->in[3].s32[0];                                       \
    PLACES(&n->out[0]) {                                                                          \
      n->out[0].type[at] = n->in[0].type[index_of(&n->in[0], o[0], y + o[1], x + o[2], o[3])];    \
    }                                                                                             \
  }                                                                                               \
  static void replace_##type(const plain_node *n) {                                               \
    const int32_t y = n->in[3].s32[0], x = n->in[4].s32[0];                                       \
    for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].type[i] = n->in[0].type[i];          \
    PLACES(&n->in[1]) {                                                                           \
      n->out[0].type[index_of(&n->out[0], o[0], y + o[1], x + o[2], o[3])] = n->in[1].type[at];   \
    }                                                                                             \
  }                                                                                               \
  static void join_##type(const plain_node *n) {  /* channels */                                  \
    const int32_t first = n->in[0].dims[3];                                                       \
    PLACES(&n->out[0]) {                                                                          \
      const plain_tensor *in = &n->in[o[3] >= first];                                             \
      const int32_t c = o[3] >= first ? o[3] - first : o[3];                                      \
      n->out[0].type[at] = in->type[index_of(in, o[0], o[1], o[2], c)];                           \
    }                                                                                             \
  }                                                                                               \
  static void pad_##type(const plain_node *n) {  /* 2 rows, 1 column; columns apart */            \
    for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].type[i] = n->in[1].type[0];          \
    PLACES(&n->in[0]) {                                                                           \
      n->out[0].type[index_of(&n->out[0], o[0], 2 + o[1], 1 + 2 * o[2], o[3])] =                  \
          n->in[0].type[at];                                                                      \
    }                                                                                             \
  }
MOVES(s8)
MOVES(f32)

static void count_f32(const plain_node *n) {  // along dimension 2
  PLACES(&n->out[0]) n->out[0].f32[at] = (float)o[2];
}

static void count_last_f32(const plain_node *n) {
  PLACES(&n->out[0]) n->out[0].f32[at] = (float)o[3];
}

// ---- numbers ------------------------------------------------------------------------------------

#define NUMBERS(type)                                                                             \
  static void clamp_##type(const plain_node *n) {                                                 \
    for (uint32_t i = 0; i < n->out[0].count; i++) {                                              \
      n->out[0].type[i] = n->in[1].type[i] < n->in[0].type[0]   ? n->in[0].type[0]                \
                          : n->in[1].type[i] > n->in[2].type[0] ? n->in[2].type[0]                \
                                                                : n->in[1].type[i];               \
    }                                                                                             \
  }                                                                                               \
  static void less_##type(const plain_node *n) {                                                  \
    for (uint32_t i = 0; i < n->out[0].count; i++) {                                              \
      n->out[0].u8[i] = n->in[0].type[i] < n->in[1].type[i];                                      \
    }                                                                                             \
  }
NUMBERS(s8)
NUMBERS(s32)
NUMBERS(f32)

static void remainder_s32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s32[i] = n->in[0].s32[i] % n->in[1].s32[i];
  }
}

static void remainder_f32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].f32[i] = fmodf(n->in[0].f32[i], n->in[1].f32[i]);
  }
}

// ---- reductions ---------------------------------------------------------------------------------

// Windows of 3 by 3 over rows and columns; of the builtin operator, the largest.
#define WINDOWS(type)                                                                             \
  static void window_sum_##type(const plain_node *n) {  /* padded by 1 */                         \
    const int32_t *d = n->in[0].dims;                                                             \
    PLACES(&n->out[0]) {                                                                          \
      n->out[0].type[at] = n->in[1].type[0];                                                      \
      for (int32_t y = o[1] - 1; y <= o[1] + 1; y++) {                                            \
        for (int32_t x = o[2] - 1; x <= o[2] + 1; x++) {                                          \
          if (y < 0 || y >= d[1] || x < 0 || x >= d[2]) continue;                                 \
          n->out[0].type[at] += n->in[0].type[index_of(&n->in[0], 0, y, x, o[3])];                \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void window_last_##type(const plain_node *n) {  /* 4 channels, every third one */        \
    const int32_t channels = n->in[0].dims[3];                                                    \
    PLACES(&n->out[0]) {                                                                          \
      const int32_t from = ((o[1] * n->in[0].dims[2]) + o[2]) * channels + 3 * o[3];              \
      n->out[0].type[at] = n->in[1].type[0];                                                      \
      for (int32_t k = 0; k < 4; k++) n->out[0].type[at] += n->in[0].type[from + k];              \
    }                                                                                             \
  }                                                                                               \
  static void sum_##type(const plain_node *n) {  /* rows and columns */                           \
    const uint32_t channels = n->out[0].count;                                                    \
    for (uint32_t c = 0; c < channels; c++) {                                                     \
      n->out[0].type[c] = n->in[1].type[0];                                                       \
      for (uint32_t i = c; i < n->in[0].count; i += channels) {                                   \
        n->out[0].type[c] += n->in[0].type[i];                                                    \
      }                                                                                           \
    }                                                                                             \
  }

#define MOST(type)                                                                                \
  static void window_most_##type(const plain_node *n) {  /* every second one */                   \
    PLACES(&n->out[0]) {                                                                          \
      n->out[0].type[at] = n->in[1].type[0];                                                      \
      for (int32_t k = 0; k < 9; k++) {                                                           \
        const int32_t y = 2 * o[1] + k / 3, x = 2 * o[2] + k % 3;                                 \
        const int32_t from = index_of(&n->in[0], 0, y, x, o[3]);                                  \
        if (n->in[0].type[from] > n->out[0].type[at]) n->out[0].type[at] = n->in[0].type[from];   \
      }                                                                                           \
    }                                                                                             \
  }
MOST(s8)
MOST(f32)
WINDOWS(s32)
WINDOWS(f32)

// ---- slices by index ----------------------------------------------------------------------------

#define PICKS(type)                                                                               \
  static void gather_##type(const plain_node *n) {  /* rows */                                    \
    const int32_t width = n->in[0].dims[1], most = n->in[0].dims[0] - 1;                          \
    for (uint32_t k = 0; k < n->in[1].count; k++) {                                               \
      const int32_t given = n->in[1].s32[k], row = given < 0 ? 0 : given > most ? most : given;   \
      for (int32_t i = 0; i < width; i++) {                                                       \
        n->out[0].type[(int32_t)k * width + i] = n->in[0].type[row * width + i];                  \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void scatter_##type(const plain_node *n) {  /* sums of rows */                           \
    const int32_t width = n->in[0].dims[1], rows = n->in[0].dims[0];                              \
    for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].type[i] = n->in[0].type[i];          \
    for (uint32_t k = 0; k < n->in[1].count; k++) {                                               \
      const int32_t row = n->in[1].s32[k];                                                        \
      if (row < 0 || row >= rows) continue;                                                       \
      for (int32_t i = 0; i < width; i++) {                                                       \
        n->out[0].type[row * width + i] += n->in[2].type[(int32_t)k * width + i];                 \
      }                                                                                           \
    }                                                                                             \
  }
PICKS(s32)
PICKS(f32)

static void product_f32(const plain_node *n) {  // [B,M,K] by [B,K,N]
  const int32_t *l = n->in[0].dims, *r = n->in[1].dims;
  for (int32_t b = 0; b < l[0]; b++) {
    for (int32_t i = 0; i < l[1]; i++) {
      for (int32_t j = 0; j < r[2]; j++) {
        float sum = 0;
        for (int32_t k = 0; k < l[2]; k++) {
          sum += n->in[0].f32[(b * l[1] + i) * l[2] + k] * n->in[1].f32[(b * r[1] + k) * r[2] + j];
        }
        n->out[0].f32[(b * l[1] + i) * r[2] + j] = sum;
      }
    }
  }
}

#define LIST(...) {(const int32_t[]){__VA_ARGS__}, (uint32_t)(sizeof((int32_t[]){__VA_ARGS__}) / 4)}
#define CASE(op, note, tensors, loop)                                                             \
  {&arn_op_stablehlo_##op, note, tensors, loop, false, 0, {0}, {{0}}}
// `numbers`: the scalar options.
#define WITH(op, note, tensors, loop, options, numbers, ...)                                      \
  {&arn_op_stablehlo_##op, note, tensors, loop, false, 0,                                         \
   {ARN_OPTIONS2_STABLEHLO_##options, {numbers}, {__VA_ARGS__}, {0}}, {{0}}}
#define SUMS_3X3                                                                                  \
  LIST(1, 3, 3, 1), LIST(1, 1, 1, 1), LIST(1, 1, 1, 1), LIST(1, 1, 1, 1),                         \
      LIST(0, 0, 1, 1, 1, 1, 0, 0)
#define SUMS_OF_4                                                                                 \
  LIST(1, 1, 1, 4), LIST(1, 1, 1, 3), LIST(1, 1, 1, 1), LIST(1, 1, 1, 1),                         \
      LIST(0, 0, 0, 0, 0, 0, 0, 0)
#define WINDOW_3X3 "s64 4 =1,3,3,1;s64 4 =1,2,2,1;s64 4 =1,1,1,1"
#define BUILTIN_WINDOW(tensors, loop)                                                             \
  {&arn_op_reduce_window, "largest, 3x3, stride 2", tensors, loop, false, 0,                      \
   {ARN_OPTIONS2_REDUCE_WINDOW, {4}, {{0}}, {0}}, {{0}}}
#define ROWS(tensors, loop)                                                                       \
  {&arn_op_stablehlo_gather, "rows", tensors, loop, false, 0,                                     \
   {ARN_OPTIONS2_STABLEHLO_GATHER, {1}, {LIST(1), LIST(0), LIST(0), LIST(1, 64)}, {0}}, {{0}}}
#define ROW_SUMS(tensors, loop)                                                                   \
  {&arn_op_stablehlo_scatter, "sums of rows", tensors, loop, false, 0,                            \
   {ARN_OPTIONS2_STABLEHLO_SCATTER, {0, 1, 0, 1}, {LIST(1), LIST(0), LIST(0)}, {0}}, {{0}}}

const plain_case plain_stablehlo[] = {
    WITH(transpose, "NCHW to NHWC", "s8 1x32x64x64>s8 1x64x64x32", transpose_s8, TRANSPOSE, 0,
         LIST(0, 2, 3, 1)),
    WITH(transpose, "NCHW to NHWC", "f32 1x32x64x64>f32 1x64x64x32", transpose_f32, TRANSPOSE, 0,
         LIST(0, 2, 3, 1)),
    WITH(broadcast_in_dim, "", "s8 64x32>s8 1x64x64x32", repeat_s8, BROADCAST_IN_DIM, 0,
         LIST(1, 3)),
    WITH(broadcast_in_dim, "", "f32 64x16>f32 1x64x64x16", repeat_f32, BROADCAST_IN_DIM, 0,
         LIST(1, 3)),
    WITH(slice, "", "s8 1x96x96x16>s8 1x45x90x13", slice_s8, SLICE, 0, LIST(0, 3, 5, 1),
         LIST(1, 93, 95, 14), LIST(1, 2, 1, 1)),
    WITH(slice, "", "f32 1x96x96x16>f32 1x45x90x13", slice_f32, SLICE, 0, LIST(0, 3, 5, 1),
         LIST(1, 93, 95, 14), LIST(1, 2, 1, 1)),
    WITH(dynamic_slice, "", "s8 1x96x96x16;s32 . =0;s32 . =7;s32 . =9;s32 . =0>s8 1x64x64x16",
         cut_s8, DYNAMIC_SLICE, 0, LIST(1, 64, 64, 16)),
    WITH(dynamic_slice, "", "f32 1x64x64x16;s32 . =0;s32 . =7;s32 . =9;s32 . =0>f32 1x48x48x16",
         cut_f32, DYNAMIC_SLICE, 0, LIST(1, 48, 48, 16)),
    CASE(dynamic_update_slice, "",
         "s8 1x64x64x16;s8 1x32x32x16;s32 . =0;s32 . =5;s32 . =9;s32 . =0>s8 1x64x64x16",
         replace_s8),
    CASE(dynamic_update_slice, "",
         "f32 1x64x64x8;f32 1x32x32x8;s32 . =0;s32 . =5;s32 . =9;s32 . =0>f32 1x64x64x8",
         replace_f32),
    WITH(concatenate, "channels", "s8 1x64x64x16;s8 1x64x64x24>s8 1x64x64x40", join_s8,
         CONCATENATE, 3, {NULL, 0}),
    WITH(concatenate, "channels", "f32 1x64x64x8;f32 1x64x64x8>f32 1x64x64x16", join_f32,
         CONCATENATE, 3, {NULL, 0}),
    WITH(pad, "", "s8 1x64x64x16;s8 . =7>s8 1x68x129x16", pad_s8, PAD, 0, LIST(0, 2, 1, 0),
         LIST(0, 2, 1, 0), LIST(0, 0, 1, 0)),
    WITH(pad, "", "f32 1x64x64x8;f32 . =7>f32 1x68x129x8", pad_f32, PAD, 0, LIST(0, 2, 1, 0),
         LIST(0, 2, 1, 0), LIST(0, 0, 1, 0)),
    WITH(iota, "", ">f32 1x64x64x8", count_f32, IOTA, 2, {NULL, 0}),
    WITH(iota, "last axis", ">f32 1x1x128x256", count_last_f32, IOTA, 3, {NULL, 0}),
    CASE(clamp, "", "s8 . =-50;s8 1x64x64x32;s8 . =70>s8 1x64x64x32", clamp_s8),
    CASE(clamp, "", "s32 . =-50;s32 1x64x64x8;s32 . =70>s32 1x64x64x8", clamp_s32),
    CASE(clamp, "", "f32 . =-.5;f32 1x64x64x8;f32 . =.7>f32 1x64x64x8", clamp_f32),
    CASE(remainder, "", "s32 1x64x64x8;s32 1x64x64x8 ~1..99>s32 1x64x64x8", remainder_s32),
    CASE(remainder, "", "f32 1x64x64x8;f32 1x64x64x8 ~.1..1>f32 1x64x64x8", remainder_f32),
    WITH(compare, "less", "s8 1x64x64x16;s8 1x64x64x16>bool 1x64x64x16", less_s8, COMPARE, 5,
         {NULL, 0}),
    WITH(compare, "less", "s32 1x64x64x8;s32 1x64x64x8>bool 1x64x64x8", less_s32, COMPARE, 5,
         {NULL, 0}),
    WITH(compare, "less", "f32 1x64x64x8;f32 1x64x64x8>bool 1x64x64x8", less_f32, COMPARE, 5,
         {NULL, 0}),
    WITH(reduce_window, "sums, 3x3", "s32 1x64x64x8;s32 . =0>s32 1x64x64x8", window_sum_s32,
         REDUCE_WINDOW, 1, SUMS_3X3),
    WITH(reduce_window, "sums, 3x3", "f32 1x64x64x8;f32 . =0>f32 1x64x64x8", window_sum_f32,
         REDUCE_WINDOW, 1, SUMS_3X3),
    WITH(reduce_window, "sums of 4 channels", "s32 1x64x1x512;s32 . =1>s32 1x64x1x170",
         window_last_s32, REDUCE_WINDOW, 1, SUMS_OF_4),
    WITH(reduce_window, "sums of 4 channels", "f32 1x64x1x512;f32 . =1>f32 1x64x1x170",
         window_last_f32, REDUCE_WINDOW, 1, SUMS_OF_4),
    BUILTIN_WINDOW("s8 1x129x129x16;s8 . =-128;" WINDOW_3X3 ">s8 1x64x64x16", window_most_s8),
    BUILTIN_WINDOW("f32 1x129x129x8;f32 . =-9;" WINDOW_3X3 ">f32 1x64x64x8", window_most_f32),
    WITH(reduce, "rows and columns", "s32 1x64x64x32;s32 . =3>s32 1x32", sum_s32, REDUCE, 1,
         LIST(1, 2)),
    {&arn_op_stablehlo_reduce, "rows and columns", "f32 1x64x64x32;f32 . =3>f32 1x32", sum_f32,
     false, 1e-4, {ARN_OPTIONS2_STABLEHLO_REDUCE, {1}, {LIST(1, 2)}, {0}}, {{0}}},
    ROWS("s32 512x64;s32 512x1 ~-9..600>s32 512x64", gather_s32),
    ROWS("f32 512x64;s32 512x1 ~-9..600>f32 512x64", gather_f32),
    ROW_SUMS("s32 512x64;s32 256x1 ~-9..600;s32 256x64>s32 512x64", scatter_s32),
    ROW_SUMS("f32 512x64;s32 256x1 ~-9..600;f32 256x64>f32 512x64", scatter_f32),
    {&arn_op_stablehlo_dot_general, "", "f32 4x64x96;f32 4x96x80>f32 4x64x80", product_f32, true,
     1e-4, {ARN_OPTIONS2_STABLEHLO_DOT_GENERAL, {0}, {LIST(0), LIST(0), LIST(2), LIST(1)}, {0}},
     {{0}}},
    {.op = NULL}};
