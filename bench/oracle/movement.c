// Operators that move values, of tensors of rank 4: a loop a dimension.
#include "bench/oracle/plain.h"

// Runs the statement for every output place o[0..3]; `to` is its index.
#define PLACES(out)                                                                               \
  int32_t o[4], to = 0;                                                                           \
  for (o[0] = 0; o[0] < (out)->dims[0]; o[0]++)                                                   \
    for (o[1] = 0; o[1] < (out)->dims[1]; o[1]++)                                                 \
      for (o[2] = 0; o[2] < (out)->dims[2]; o[2]++)                                               \
        for (o[3] = 0; o[3] < (out)->dims[3]; o[3]++, to++)

static int32_t index_of(const int32_t *d, int32_t a, int32_t b, int32_t c, int32_t e) {
  return ((a * d[1] + b) * d[2] + c) * d[3] + e;
}

// Where output (o) comes from in input 0 of shape (d): a loop for bytes and one for words.
#define MOVE_OF(name, type, where)                                                                \
  static void name##_##type(const plain_node *n) {                                                \
    const int32_t *d = n->in[0].dims, *p = n->inputs > 1 ? n->in[1].s32 : NULL;                   \
    const int32_t block = (int32_t)n->options[0];                                                 \
    (void)p, (void)block;                                                                         \
    PLACES(&n->out[0]) n->out[0].type[to] = n->in[0].type[where];                                 \
  }
#define MOVE(name, where) MOVE_OF(name, s8, where) MOVE_OF(name, f32, where)

MOVE(slice, index_of(d, o[0] + p[0], o[1] + p[1], o[2] + p[2], o[3] + p[3]))
MOVE(reverse, index_of(d, o[0], o[1], d[2] - 1 - o[2], o[3]))
MOVE(reverse_last, index_of(d, o[0], o[1], o[2], d[3] - 1 - o[3]))
MOVE(tile, index_of(d, o[0] % d[0], o[1] % d[1], o[2] % d[2], o[3] % d[3]))
MOVE(space_to_depth, index_of(d, o[0], o[1] * block + o[3] / d[3] / block,
                              o[2] * block + o[3] / d[3] % block, o[3] % d[3]))
MOVE(depth_to_space, index_of(d, o[0], o[1] / block, o[2] / block,
                              (o[1] % block * block + o[2] % block) * n->out[0].dims[3] + o[3]))

// Input 2 of STRIDED_SLICE is the end, 3 the strides.
#define STRIDE(type)                                                                              \
  static void stride_##type(const plain_node *n) {                                                \
    const int32_t *d = n->in[0].dims, *b = n->in[1].s32, *s = n->in[3].s32;                       \
    PLACES(&n->out[0]) {                                                                          \
      n->out[0].type[to] = n->in[0].type[index_of(d, b[0] + o[0] * s[0], b[1] + o[1] * s[1],      \
                                                  b[2] + o[2] * s[2], b[3] + o[3] * s[3])];       \
    }                                                                                             \
  }
STRIDE(s8)
STRIDE(f32)

// Goes through the input and puts each value where the permutation has it.
#define TRANSPOSE(type)                                                                           \
  static void transpose_##type(const plain_node *n) {                                             \
    const int32_t *d = n->in[0].dims, *out = n->out[0].dims, *p = n->in[1].s32;                   \
    int32_t step[4], of[4] = {out[1] * out[2] * out[3], out[2] * out[3], out[3], 1}, from = 0;    \
    for (int32_t i = 0; i < 4; i++) step[p[i]] = of[i];                                           \
    for (int32_t a = 0; a < d[0]; a++) {                                                          \
      for (int32_t b = 0; b < d[1]; b++) {                                                        \
        for (int32_t c = 0; c < d[2]; c++) {                                                      \
          for (int32_t e = 0; e < d[3]; e++) {                                                    \
            n->out[0].type[a * step[0] + b * step[1] + c * step[2] + e * step[3]] =               \
                n->in[0].type[from++];                                                            \
          }                                                                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
TRANSPOSE(s8)
TRANSPOSE(s16)
TRANSPOSE(f32)

// Input 1: paddings, 2 a dimension.
#define PAD(type, value)                                                                          \
  static void pad_##type(const plain_node *n) {                                                   \
    const int32_t *d = n->in[0].dims, *p = n->in[1].s32;                                          \
    PLACES(&n->out[0]) {                                                                          \
      const int32_t a = o[0] - p[0], b = o[1] - p[2], c = o[2] - p[4], e = o[3] - p[6];           \
      const bool inside = a >= 0 && a < d[0] && b >= 0 && b < d[1] && c >= 0 && c < d[2] &&       \
                          e >= 0 && e < d[3];                                                     \
      n->out[0].type[to] = inside ? n->in[0].type[index_of(d, a, b, c, e)] : (value);             \
    }                                                                                             \
  }
PAD(s8, (int8_t)(n->inputs > 2 ? n->in[2].s8[0] : n->in[0].zero))
PAD(f32, n->inputs > 2 ? n->in[2].f32[0] : 0.0f)

static int32_t mirror(int32_t at, int32_t size) {
  at = at < 0 ? -at : at;
  return at < size ? at : 2 * size - 2 - at;
}

MOVE(mirror_pad, index_of(d, o[0], mirror(o[1] - p[2], d[1]), mirror(o[2] - p[4], d[2]), o[3]))

// Inputs along axis 3; along axis 1; two of rank 4 as one of rank 5.
#define JOIN(type)                                                                                \
  static void join_last_##type(const plain_node *n) {                                             \
    PLACES(&n->out[0]) {                                                                          \
      int32_t at = o[3];                                                                          \
      const plain_tensor *in = n->in;                                                             \
      for (; at >= in->dims[3]; in++) at -= in->dims[3];                                          \
      n->out[0].type[to] = in->type[index_of(in->dims, o[0], o[1], o[2], at)];                    \
    }                                                                                             \
  }                                                                                               \
  static void join_rows_##type(const plain_node *n) {                                             \
    PLACES(&n->out[0]) {                                                                          \
      int32_t at = o[1];                                                                          \
      const plain_tensor *in = n->in;                                                             \
      for (; at >= in->dims[1]; in++) at -= in->dims[1];                                          \
      n->out[0].type[to] = in->type[index_of(in->dims, o[0], at, o[2], o[3])];                    \
    }                                                                                             \
  }                                                                                               \
  static void pack_##type(const plain_node *n) {                                                  \
    for (uint32_t i = 0, at = 0; i < n->in[0].count; i++) {                                       \
      for (uint32_t k = 0; k < n->inputs; k++) n->out[0].type[at++] = n->in[k].type[i];           \
    }                                                                                             \
  }                                                                                               \
  static void unpack_##type(const plain_node *n) {                                                \
    for (uint32_t i = 0, at = 0; i < n->out[0].count; i++) {                                      \
      for (uint32_t k = 0; k < n->outputs; k++) n->out[k].type[i] = n->in[0].type[at++];          \
    }                                                                                             \
  }                                                                                               \
  static void split_##type(const plain_node *n) {  /* along axis 3 */                             \
    const plain_tensor *in = &n->in[n->in[0].rank == 4 ? 0 : 1];                                  \
    int32_t first = 0;                                                                            \
    for (uint32_t k = 0; k < n->outputs; k++) {                                                   \
      PLACES(&n->out[k]) {                                                                        \
        n->out[k].type[to] = in->type[index_of(in->dims, o[0], o[1], o[2], first + o[3])];        \
      }                                                                                           \
      first += n->out[k].dims[3];                                                                 \
    }                                                                                             \
  }
JOIN(s8)
JOIN(f32)

// Inputs of other scales come to that of the output.
static void join_scaled_s8(const plain_node *n) {
  PLACES(&n->out[0]) {
    int32_t at = o[3];
    const plain_tensor *in = n->in;
    for (; at >= in->dims[3]; in++) at -= in->dims[3];
    const float value = (float)(in->s8[index_of(in->dims, o[0], o[1], o[2], at)] - in->zero);
    const float q = value * (in->scale / n->out[0].scale);
    const int32_t level = (int32_t)(q + (q < 0.0f ? -0.5f : 0.5f)) + n->out[0].zero;
    n->out[0].s8[to] = (int8_t)plain_s8(level);
  }
}

// ---- blocks of 2 by 2 between batch and image ---------------------------------------------------

#define BLOCKS(type)                                                                              \
  static void to_batch_##type(const plain_node *n) {                                              \
    PLACES(&n->out[0]) {                                                                          \
      const int32_t y = o[1] * 2 + o[0] / 2, x = o[2] * 2 + o[0] % 2;                             \
      n->out[0].type[to] = n->in[0].type[index_of(n->in[0].dims, 0, y, x, o[3])];                 \
    }                                                                                             \
  }                                                                                               \
  static void to_space_##type(const plain_node *n) {                                              \
    PLACES(&n->out[0]) {                                                                          \
      const int32_t batch = o[1] % 2 * 2 + o[2] % 2;                                              \
      n->out[0].type[to] =                                                                        \
          n->in[0].type[index_of(n->in[0].dims, batch, o[1] / 2, o[2] / 2, o[3])];                \
    }                                                                                             \
  }
BLOCKS(s8)
BLOCKS(f32)

// ---- others -------------------------------------------------------------------------------------

static void reverse_sequence_f32(const plain_node *n) {  // [batch, time, width], lengths
  const int32_t *d = n->in[0].dims;
  for (int32_t b = 0; b < d[0]; b++) {
    const int32_t length = n->in[1].s32[b];
    for (int32_t t = 0; t < d[1]; t++) {
      const int32_t from = t < length ? length - 1 - t : t;
      for (int32_t i = 0; i < d[2]; i++) {
        n->out[0].f32[(b * d[1] + t) * d[2] + i] = n->in[0].f32[(b * d[1] + from) * d[2] + i];
      }
    }
  }
}

#define UPDATE(type)                                                                              \
  static void update_##type(const plain_node *n) {                                                \
    const int32_t *u = n->in[1].dims, *at = n->in[2].s32;                                         \
    int32_t from = 0;                                                                             \
    for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].type[i] = n->in[0].type[i];          \
    for (int32_t a = 0; a < u[0]; a++) {                                                          \
      for (int32_t b = 0; b < u[1]; b++) {                                                        \
        for (int32_t c = 0; c < u[2]; c++) {                                                      \
          for (int32_t e = 0; e < u[3]; e++) {                                                    \
            n->out[0].type[index_of(n->out[0].dims, a + at[0], b + at[1], c + at[2], e + at[3])] = \
                n->in[1].type[from++];                                                            \
          }                                                                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
UPDATE(s8)
UPDATE(f32)

static void apart_f32(const plain_node *n) {  // rows and columns of [H,W,C], by 2
  const int32_t *d = n->in[0].dims, width = n->out[0].dims[1];
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].f32[i] = n->in[2].f32[0];
  for (int32_t y = 0; y < d[0]; y++) {
    for (int32_t x = 0; x < d[1]; x++) {
      for (int32_t c = 0; c < d[2]; c++) {
        n->out[0].f32[(2 * y * width + 2 * x) * d[2] + c] = n->in[0].f32[(y * d[1] + x) * d[2] + c];
      }
    }
  }
}

static void fill_f32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].f32[i] = n->in[1].f32[0];
}

static void fill_s8(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].s8[i] = n->in[1].s8[0];
}

static void range_f32(const plain_node *n) {  // rounding is part of the result
  float value = n->in[0].f32[0];
  for (uint32_t i = 0; i < n->out[0].count; i++, value += n->in[2].f32[0]) {
    n->out[0].f32[i] = value;
  }
}

static void range_s32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s32[i] = n->in[0].s32[0] + (int32_t)i * n->in[2].s32[0];
  }
}

#define CASE(op, note, tensors, loop) {&arn_op_##op, note, tensors, loop, false, 0, {0}, {{0}}}
#define WITH(op, note, tensors, loop, options, ...)                                               \
  {&arn_op_##op, note, tensors, loop, false, 0, {ARN_OPTIONS_##options, __VA_ARGS__, {{0}}, {0}},\
   {{0}}}
#define NOT_TIMED(op, why) {&arn_op_##op, why, "", NULL, false, 0, {0}, {{0}}}
// The same of bytes and of words.
#define BOTH(op, note, in, rest, out, loop)                                                       \
  CASE(op, note, "s8 " in ";" rest ">s8 " out, loop##_s8),                                        \
  CASE(op, note, "f32 " in ";" rest ">f32 " out, loop##_f32)
#define PADDED "s32 4x2 =0,0,2,1,1,2,0,0"
#define VIEW "a view: nothing is moved"

const plain_case plain_movement[] = {
    NOT_TIMED(reshape, VIEW), NOT_TIMED(squeeze, VIEW), NOT_TIMED(expand_dims, VIEW),
    NOT_TIMED(bitcast, VIEW), NOT_TIMED(shape, "a few values, known beforehand"),
    NOT_TIMED(rank, "one value, known beforehand"), NOT_TIMED(broadcast_args, "two shapes at most"),
    BOTH(slice, "", "1x96x96x16", "s32 4 =0,3,5,1;s32 4 =1,90,90,13", "1x90x90x13", slice),
    WITH(strided_slice, "steps of 2",
         "s8 1x128x128x16;s32 4 =0,0,0,0;s32 4 =1,128,128,16;s32 4 =1,2,2,1>"
         "s8 1x64x64x16", stride_s8, STRIDED_SLICE, {0}),
    WITH(strided_slice, "steps of 2",
         "f32 1x96x96x8;s32 4 =0,0,0,1;s32 4 =1,96,96,8;s32 4 =1,1,2,2>"
         "f32 1x96x48x4", stride_f32, STRIDED_SLICE, {0}),
    WITH(concatenation, "channels", "s8 1x64x64x16;s8 1x64x64x24>s8 1x64x64x40", join_last_s8,
         CONCATENATION, {3}),
    WITH(concatenation, "channels", "f32 1x64x64x8;f32 1x64x64x8>f32 1x64x64x16", join_last_f32,
         CONCATENATION, {3}),
    WITH(concatenation, "rows", "s8 1x64x64x16;s8 1x32x64x16>s8 1x96x64x16", join_rows_s8,
         CONCATENATION, {1}),
    WITH(concatenation, "rows", "f32 1x64x64x8;f32 1x32x64x8>f32 1x96x64x8", join_rows_f32,
         CONCATENATION, {1}),
    WITH(concatenation, "other scales",
         "s8 1x64x64x16 @.05+3;s8 1x64x64x24 @.03-5>s8 1x64x64x40 @.05+3",
         join_scaled_s8, CONCATENATION, {3}),
    WITH(pack, "last axis", "s8 1x64x64x8;s8 1x64x64x8;s8 1x64x64x8>s8 1x64x64x8x3", pack_s8, PACK,
         {3, 4}),
    WITH(pack, "last axis", "f32 1x64x64x4;f32 1x64x64x4>f32 1x64x64x4x2", pack_f32, PACK, {2, 4}),
    WITH(unpack, "last axis", "s8 1x64x64x8x3>s8 1x64x64x8;s8 1x64x64x8;s8 1x64x64x8", unpack_s8,
         UNPACK, {3, 4}),
    WITH(unpack, "last axis", "f32 1x64x64x4x2>f32 1x64x64x4;f32 1x64x64x4", unpack_f32, UNPACK,
         {2, 4}),
    WITH(split, "channels", "s32 1 =3;s8 1x64x64x16>s8 1x64x64x8;s8 1x64x64x8", split_s8, SPLIT,
         {2}),
    WITH(split, "channels", "s32 1 =3;f32 1x64x64x16>f32 1x64x64x8;f32 1x64x64x8", split_f32,
         SPLIT, {2}),
    WITH(split_v, "channels", "s8 1x64x64x16;s32 2 =6,10;s32 1 =3>s8 1x64x64x6;s8 1x64x64x10",
         split_s8,
         SPLIT_V, {2}),
    WITH(split_v, "channels", "f32 1x64x64x16;s32 2 =6,10;s32 1 =3>f32 1x64x64x6;f32 1x64x64x10",
         split_f32, SPLIT_V, {2}),
    BOTH(transpose, "NHWC to NCHW", "1x64x64x32", "s32 4 =0,3,1,2", "1x32x64x64", transpose),
    BOTH(transpose, "H and W", "1x64x64x32", "s32 4 =0,2,1,3", "1x64x64x32", transpose),
    BOTH(transpose, "NCHW to NHWC", "1x32x64x64", "s32 4 =0,2,3,1", "1x64x64x32", transpose),
    CASE(transpose, "NHWC to NCHW", "s16 1x64x64x32;s32 4 =0,3,1,2>s16 1x32x64x64", transpose_s16),
    BOTH(reverse_v2, "width", "1x64x64x16", "s32 1 =2", "1x64x64x16", reverse),
    BOTH(reverse_v2, "channels", "1x64x64x16", "s32 1 =3", "1x64x64x16", reverse_last),
    WITH(reverse_sequence, "", "f32 8x64x64;s32 8 ~1..64>f32 8x64x64", reverse_sequence_f32,
         REVERSE_SEQUENCE, {1, 0}),
    BOTH(tile, "width twice", "1x64x48x16", "s32 4 =1,1,2,1", "1x64x96x16", tile),
    BOTH(tile, "channels twice", "1x64x96x8", "s32 4 =1,1,1,2", "1x64x96x16", tile),
    WITH(space_to_depth, "2", "s8 1x128x128x8>s8 1x64x64x32", space_to_depth_s8, SPACE_TO_DEPTH,
         {2}),
    WITH(space_to_depth, "2", "f32 1x64x64x8>f32 1x32x32x32", space_to_depth_f32, SPACE_TO_DEPTH,
         {2}),
    WITH(depth_to_space, "2", "s8 1x64x64x32>s8 1x128x128x8", depth_to_space_s8, DEPTH_TO_SPACE,
         {2}),
    WITH(depth_to_space, "2", "f32 1x32x32x32>f32 1x64x64x8", depth_to_space_f32, DEPTH_TO_SPACE,
         {2}),
    BOTH(pad, "", "1x64x64x16", PADDED, "1x67x67x16", pad),
    CASE(padv2, "", "s8 1x64x64x16;" PADDED ";s8 1 =7>s8 1x67x67x16", pad_s8),
    CASE(padv2, "", "f32 1x64x64x16;" PADDED ";f32 1 =7>f32 1x67x67x16", pad_f32),
    WITH(mirror_pad, "", "s8 1x64x64x16;" PADDED ">s8 1x67x67x16", mirror_pad_s8, MIRROR_PAD, {0}),
    WITH(mirror_pad, "", "f32 1x64x64x16;" PADDED ">f32 1x67x67x16", mirror_pad_f32, MIRROR_PAD,
         {0}),
    BOTH(space_to_batch_nd, "", "1x64x64x16", "s32 2 =2,2;s32 2x2 =0,0,0,0", "4x32x32x16",
         to_batch),
    BOTH(batch_to_space_nd, "", "4x32x32x16", "s32 2 =2,2;s32 2x2 =0,0,0,0", "1x64x64x16",
         to_space),
    CASE(dynamic_update_slice, "", "s8 1x64x64x16;s8 1x32x32x16;s32 4 =0,5,9,0>s8 1x64x64x16",
         update_s8),
    CASE(dynamic_update_slice, "", "f32 1x64x64x8;f32 1x32x32x8;s32 4 =0,5,9,0>f32 1x64x64x8",
         update_f32),
    CASE(dilate, "by 2", "f32 64x64x8;s32 3 =2,2,1;f32 . =.5>f32 127x127x8", apart_f32),
    CASE(fill, "", "s32 4 =1,64,64,16;f32 . =3>f32 1x64x64x16", fill_f32),
    CASE(fill, "", "s32 4 =1,64,64,32;s8 . =3>s8 1x64x64x32", fill_s8),
    CASE(range, "", "f32 . =1;f32 . =65537;f32 . =2>f32 32768", range_f32),
    CASE(range, "", "s32 . =1;s32 . =65537;s32 . =2>s32 32768", range_s32),
    {.op = NULL}};
