// What CONV_2D and DEPTHWISE_CONV_2D share: all but the kernels.
//
//   input    filter                                  bias                       kernel
//   int8     int8                                    int32                      S8
//   int8     int4                                    int32                      S8_S4
//   uint8    uint8, any zero point                   int32                      U8
//   int16    int8                                    int64, int32               S16
//   float32  float32                                 float32, float16, int8/16/32   F32
//   float32  float16, int8, uint8, int16, int4       the same                   F32_ANY
//
// The output has the input's type. Filters of int8 and narrower are scaled by tensor or by channel.
// Filter and bias may be constants behind DEQUANTIZE (float16 and integers) or DENSIFY (sparse):
// they are never expanded as a whole.
//
// Rows. A step computes output rows, which lie along the image's height, from the input rows below
// the kernel. An image one row high has pixels for rows (graph/rows.h); if the kernel is one row
// high, too, the axes are swapped when the node is prepared, and nothing else is different. If only
// the output is one row high, its rows are pixels, each of which needs all input rows. Batches,
// filters that are not constant, and kernels higher than an image of one row are computed whole.
#ifndef ARENITE_SRC_OPS_CONV_COMMON_H
#define ARENITE_SRC_OPS_CONV_COMMON_H

#include "../kernels/conv.h"
#include "quantised.h"

typedef enum arn__conv_kind {
  ARN__CONV_S8,
  ARN__CONV_S8_S4,
  ARN__CONV_U8,
  ARN__CONV_S16,
  ARN__CONV_F32,
  ARN__CONV_F32_ANY,
  ARN__CONV_KINDS,
} arn__conv_kind;

// Channels of a sparse filter that CONV_2D decodes at a time.
#define ARN__CONV_SPARSE_CHANNELS 4u

enum {
  ARN__CONV_BY_PIXELS = 1,   // an output row is a pixel of the only row; else a row of the image
  ARN__CONV_WHOLE = 2,       // the node is computed in one step
  ARN__CONV_BY_CHANNEL = 4,  // the filter has a scale for each channel
  ARN__CONV_SPARSE = 8,      // the filter is sparse
  ARN__CONV_REGULAR = 16,    // see ARN__REQUANT_REGULAR
};

// How integers are requantised; as in arn__requant_source, without what can be told otherwise.
typedef union arn__conv_scale {
  arn__requant one;          // by tensor
  struct {                   // by channel
    uint32_t scales_at;
    float in_scale, out_scale;
    uint32_t ratio_high, ratio_low;
    int32_t ratio_exponent;
  } channels;
} arn__conv_scale;

// A node's state. Members from `with` on are kept only as far as the node's types need them: see
// arn__conv_prepare().
typedef struct arn__conv_state {
  uint16_t in_height, in_width, in_channels;
  uint16_t out_height, out_width, out_channels;
  uint16_t kernel_height, kernel_width;
  uint16_t pad_top, pad_left;
  uint16_t group;            // CONV_2D: input channels that an output channel reads
                             // DEPTHWISE_CONV_2D: output channels an input channel makes
  uint16_t batch;
  uint8_t stride_down, stride_along, dilation_down, dilation_along;
  uint8_t kind;              // arn__conv_kind
  uint8_t filter_type;       // arn_type
  uint8_t bias_type;         // arn_type; of a bias that there might be, where there is none
  uint8_t flags;             // ARN__CONV_...
  union {
    struct {
      int16_t low, high;     // of the output, relative to its zero point
      int16_t in_zero, out_zero, filter_zero;
      uint16_t unused;
      arn__conv_scale scale;
    } integer;
    struct {
      float low, high;
      float bias_scale;      // from here on: only where filter or bias are integers
      uint32_t scales_at;    // of the filter
      int32_t filter_zero;
    } real;
  } with;
  uint32_t sparse_at;        // see arn__sparse_at()
} arn__conv_state;

typedef struct arn__conv_real arn__conv_real;
typedef struct arn__conv_sparse arn__conv_sparse;

// What a record links (arn_op.kinds). A kind without a kernel is refused.
typedef struct arn__conv_kinds {
  bool depthwise;
  arn__conv_kernel *rows[ARN__CONV_KINDS];
  const arn__conv_real *real;      // where there are kernels of floats
  const arn__conv_sparse *sparse;  // NULL: sparse filters are refused
} arn__conv_kinds;

extern const arn__conv_real arn__conv_real_nodes;
extern const arn__conv_sparse arn__conv_sparse_filters;

// For records, whose `kinds` is an arn__conv_kinds. Scratch: none, but for sparse filters: four
// channels of the filter for CONV_2D, all of it for DEPTHWISE_CONV_2D. Stack of eval: 400 bytes and
// the kernel's.
ARN_MUST_CHECK arn_status arn__conv_prepare(arn_prepare *p, void *state);
void arn__conv_rows(const void *state, uint32_t input, arn_span out, arn_span *in);
arn_status arn__conv_eval(const arn_eval *e, const void *state);

// Says whether a filter or bias type has a scale.
static inline bool arn__conv_is_integer(uint32_t type) {
  return type != ARN_FLOAT32 && type != ARN_FLOAT16;
}

// Says whether a node has float output, and filter or bias are integers.
static inline bool arn__conv_is_mixed(const arn__conv_state *s) {
  return s->kind >= ARN__CONV_F32 &&
         (arn__conv_is_integer(s->filter_type) || arn__conv_is_integer(s->bias_type));
}

#endif
