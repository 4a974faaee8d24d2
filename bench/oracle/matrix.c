// Fully connected layers, products of matrices, and tables of embeddings.
#include "bench/oracle/plain.h"

static plain_multiplier one_scale(const plain_node *n) {
  const float product = n->in[0].scale * n->in[1].scale;
  return plain_split((double)product / (double)n->out[0].scale);
}

static int32_t nibble(const plain_tensor *t, uint32_t i) {
  const int32_t both = t->u8[i / 2], four = i % 2 ? both >> 4 : both & 15;
  return four - (four & 8) * 2;
}

// ---- FULLY_CONNECTED: [.., k] by [n, k] ---------------------------------------------------------

#define LAYER(name, sum_type, value, weight, result, finish)                                      \
  static void layer_##name(const plain_node *n) {                                                 \
    const uint32_t channels = (uint32_t)n->in[1].dims[0], depth = (uint32_t)n->in[1].dims[1];     \
    const int32_t in_zero = n->in[0].zero, w_zero = n->in[1].zero, zero = n->out[0].zero;         \
    const float w_scale = n->in[1].scale;                                                         \
    const plain_multiplier m = n->in[0].scale > 0 ? one_scale(n) : (plain_multiplier){0, 0};      \
    (void)in_zero, (void)w_zero, (void)zero, (void)w_scale, (void)m;                              \
    for (uint32_t v = 0; v < n->in[0].count / depth; v++) {                                       \
      for (uint32_t c = 0; c < channels; c++) {                                                   \
        sum_type sum = 0;                                                                         \
        for (uint32_t k = 0; k < depth; k++) {                                                    \
          const uint32_t i = v * depth + k, j = c * depth + k;                                    \
          sum += (value) * (weight);                                                              \
        }                                                                                         \
        n->out[0].result[v * channels + c] = (__typeof__(n->out[0].result[0]))(finish);           \
      }                                                                                           \
    }                                                                                             \
  }
#define FINISH_S8 plain_s8(plain_requantise(sum + n->in[2].s32[c], m) + zero)
#define FINISH_S16 plain_s16(plain_requantise_wide(sum + n->in[2].s64[c], m))
LAYER(s8, int32_t, n->in[0].s8[i] - in_zero, n->in[1].s8[j] - w_zero, s8, FINISH_S8)
LAYER(s4, int32_t, n->in[0].s8[i] - in_zero, nibble(&n->in[1], j), s8, FINISH_S8)
LAYER(u8, int32_t, n->in[0].u8[i] - in_zero, n->in[1].u8[j] - w_zero, u8,
      plain_clamp(plain_requantise(sum + n->in[2].s32[c], m) + zero, 0, 255))
LAYER(s16, int64_t, n->in[0].s16[i], n->in[1].s8[j], s16, FINISH_S16)
LAYER(f32, float, n->in[0].f32[i], n->in[1].f32[j], f32, sum + n->in[2].f32[c])
LAYER(f16, float, n->in[0].f32[i], plain_half(n->in[1].u16[j]), f32, sum + n->in[2].f32[c])
LAYER(hybrid, float, n->in[0].f32[i], w_scale * (float)n->in[1].s8[j], f32, sum + n->in[2].f32[c])

// ---- BATCH_MATMUL: [b, m, k] by [b, k, n], or [b, n, k] where adj_y -----------------------------

#define PRODUCT(name, sum_type, value, weight, result, finish)                                    \
  static void product_##name(const plain_node *n) {                                               \
    const int32_t *x = n->in[0].dims, *out = n->out[0].dims;                                      \
    const bool adjoint = n->options[1] > 0;                                                       \
    const int32_t in_zero = n->in[0].zero, w_zero = n->in[1].zero, zero = n->out[0].zero;         \
    const float w_scale = n->in[1].scale;                                                         \
    const plain_multiplier m = n->in[0].scale > 0 ? one_scale(n) : (plain_multiplier){0, 0};      \
    (void)in_zero, (void)w_zero, (void)zero, (void)w_scale, (void)m;                              \
    for (int32_t b = 0; b < x[0]; b++) {                                                          \
      for (int32_t r = 0; r < out[1]; r++) {                                                      \
        for (int32_t c = 0; c < out[2]; c++) {                                                    \
          sum_type sum = 0;                                                                       \
          for (int32_t k = 0; k < x[2]; k++) {                                                    \
            const int32_t i = (b * x[1] + r) * x[2] + k;                                          \
            const int32_t j = b * x[2] * out[2] + (adjoint ? c * x[2] + k : k * out[2] + c);      \
            sum += (value) * (weight);                                                            \
          }                                                                                       \
          n->out[0].result[(b * out[1] + r) * out[2] + c] =                                       \
              (__typeof__(n->out[0].result[0]))(finish);                                          \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
PRODUCT(s8, int32_t, n->in[0].s8[i] - in_zero, n->in[1].s8[j] - w_zero, s8,
        plain_s8(plain_requantise(sum, m) + zero))
PRODUCT(s16, int64_t, n->in[0].s16[i], n->in[1].s16[j], s16,
        plain_s16(plain_requantise_wide(sum, m)))
PRODUCT(f32, float, n->in[0].f32[i], n->in[1].f32[j], f32, sum)
PRODUCT(hybrid, float, n->in[0].f32[i], w_scale * (float)n->in[1].s8[j], f32, sum)

// ---- EMBEDDING_LOOKUP ---------------------------------------------------------------------------

#define LOOKUP(name, table, value)                                                                \
  static void lookup_##name(const plain_node *n) {                                                \
    const uint32_t width = (uint32_t)n->in[1].dims[1];                                            \
    for (uint32_t i = 0; i < n->in[0].count; i++) {                                               \
      for (uint32_t k = 0; k < width; k++) {                                                      \
        const float scale = n->in[1].scale;                                                       \
        const uint32_t from = (uint32_t)n->in[0].s32[i] * width + k;                              \
        (void)scale;                                                                              \
        n->out[0].table[i * width + k] = (value);                                                 \
      }                                                                                           \
    }                                                                                             \
  }
LOOKUP(s8, s8, n->in[1].s8[from])
LOOKUP(f32, f32, n->in[1].f32[from])
LOOKUP(hybrid, f32, scale * (float)n->in[1].s8[from])

#define LAYER_CASE(note, tensors, loop)                                                           \
  {&arn_op_fully_connected, note, tensors, loop, true, 1e-4,                                      \
   {ARN_OPTIONS_FULLY_CONNECTED, {0}, {{0}}, {0}}, {{0}}}
#define PRODUCT_CASE(note, tensors, loop, adj_y)                                                  \
  {&arn_op_batch_matmul, note, tensors, loop, true, 1e-4,                                         \
   {ARN_OPTIONS_BATCH_MATMUL, {0, adj_y}, {{0}}, {0}}, {{0}}}
#define LOOKUP_CASE(tensors, loop) \
  {&arn_op_embedding_lookup, "", tensors, loop, false, 0, {0}, {{0}}}

const plain_case plain_matrix[] = {
    LAYER_CASE("a vector", "s8 1x1024 @.05+3;s8 256x1024 @.01 =;s32 256 =>s8 1x256 @.9-5",
               layer_s8),
    LAYER_CASE("", "s8 96x256 @.05+3;s8 256x256 @.01 =;s32 256 =>s8 96x256 @.4-5", layer_s8),
    LAYER_CASE("a vector", "s8 1x1024 @.05+3;s4 256x1024 @.1 =;s32 256 =>s8 1x256 @.9-5", layer_s4),
    LAYER_CASE("", "u8 96x256 @.05+131;u8 256x256 @.01+120 =;s32 256 =>u8 96x256 @.4+100",
               layer_u8),
    LAYER_CASE("a vector", "s16 1x1024 @.0005;s8 256x1024 @.01 =;s64 256 =>s16 1x256 @.005",
               layer_s16),
    LAYER_CASE("", "s16 64x256 @.0005;s8 256x256 @.01 =;s64 256 =>s16 64x256 @.003", layer_s16),
    LAYER_CASE("a vector", "f32 1x512;f32 256x512 =;f32 256 =>f32 1x256", layer_f32),
    LAYER_CASE("", "f32 64x256;f32 256x256 =;f32 256 =>f32 64x256", layer_f32),
    LAYER_CASE("", "f32 64x256;f16 256x256 =;f32 256 =>f32 64x256", layer_f16),
    LAYER_CASE("a vector", "f32 1x512;s8 256x512 @.001 =;f32 256 =>f32 1x256", layer_hybrid),
    LAYER_CASE("", "f32 64x256;s8 256x256 @.001 =;f32 256 =>f32 64x256", layer_hybrid),
    PRODUCT_CASE("", "s8 4x96x96 @.05+3;s8 4x96x96 @.03-5>s8 4x96x96 @.5+2", product_s8, 0),
    PRODUCT_CASE("adjoint", "s8 4x96x96 @.05+3;s8 4x96x96 @.03-5>s8 4x96x96 @.5+2", product_s8, 1),
    PRODUCT_CASE("", "s16 4x96x96 @.0005;s16 4x96x96 @.0003>s16 4x96x96 @.005", product_s16, 0),
    PRODUCT_CASE("adjoint", "s16 4x96x96 @.0005;s16 4x96x96 @.0003>s16 4x96x96 @.005", product_s16,
                 1),
    PRODUCT_CASE("", "f32 4x96x96;f32 4x96x96>f32 4x96x96", product_f32, 0),
    PRODUCT_CASE("adjoint", "f32 4x96x96;f32 4x96x96>f32 4x96x96", product_f32, 1),
    PRODUCT_CASE("adjoint", "f32 4x96x96;s8 4x96x96 @.001 =>f32 4x96x96", product_hybrid, 1),
    LOOKUP_CASE("s32 512 ~0..999;s8 1000x128 =>s8 512x128", lookup_s8),
    LOOKUP_CASE("s32 512 ~0..999;f32 1000x128 =>f32 512x128", lookup_f32),
    LOOKUP_CASE("s32 512 ~0..999;s8 1000x128 @.01 =>f32 512x128", lookup_hybrid),
    {.op = NULL}};
