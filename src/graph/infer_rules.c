// What the dimensions and the integers that operators compute follow from; see infer.h. Operators
// that are not here keep the shape that the file gives them; their own checks then judge it.
#include "../model/flatbuffer.h"
#include "infer.h"

// BuiltinOperator of the schema.
enum {
  ADD = 0, AVERAGE_POOL_2D = 1, CONCATENATION = 2, CONV_2D = 3, DEPTHWISE_CONV_2D = 4,
  L2_POOL_2D = 12, MAX_POOL_2D = 17, MUL = 18, RESHAPE = 22, RESIZE_BILINEAR = 23, PAD = 34,
  GATHER = 36, BATCH_TO_SPACE_ND = 37, SPACE_TO_BATCH_ND = 38, SUB = 41, DIV = 42, SQUEEZE = 43,
  STRIDED_SLICE = 45, CAST = 53, MAXIMUM = 55, MINIMUM = 57, PADV2 = 60, SLICE = 65,
  TRANSPOSE_CONV = 67, TILE = 69, EXPAND_DIMS = 70, SHAPE = 77, REDUCE_PROD = 81, PACK = 83,
  FLOOR_DIV = 90, FILL = 94, FLOOR_MOD = 95, RANGE = 96, RESIZE_NEAREST_NEIGHBOR = 97,
  MIRROR_PAD = 100, BROADCAST_TO = 130
};

static const arn__term end = {ARN__ASK_END, 0, 0, 0};
static const arn__term written = {ARN__ASK_WRITTEN, 0, 0, 0};
static const arn__term nobody = {ARN__ASK_NOBODY, 0, 0, 0};

static arn__term number(uint8_t join, int32_t value) {
  return (arn__term){ARN__ASK_NUMBER, join, 0, value};
}

// The tensor of input `i`; -1 where it is absent.
static int32_t input(const arn__asked *a, uint32_t i) {
  return i < a->node.input_count ? arn_model_index(a->model, a->node.inputs_at, i) : -1;
}

static arn__term dim_of(const arn__asked *a, uint8_t join, uint32_t i, int32_t axis) {
  return (arn__term){ARN__ASK_DIM, join, input(a, i), axis};
}

static arn__term value_of(const arn__asked *a, uint8_t join, uint32_t i, int32_t element) {
  return (arn__term){ARN__ASK_VALUE, join, input(a, i), element};
}

// Reads input `i` as written; false where it is absent.
static bool read(const arn__asked *a, uint32_t i, arn_tensor *t) {
  const int32_t tensor = input(a, i);
  if (tensor < 0) return false;
  arn__infer_written(a->model, a->subgraph, tensor, t);
  return true;
}

static bool constant(const arn__asked *a, uint32_t i, int32_t element, int32_t *value) {
  arn_tensor t;
  return read(a, i, &t) && arn__infer_constant(a->model, &t, element, value);
}

static int32_t option_u8(const arn__asked *a, uint32_t id) {
  return a->node.options_at ? arn__fb_field_u8(a->model, a->node.options_at, id, 0) : 0;
}

static int32_t option_i32(const arn__asked *a, uint32_t id, int32_t otherwise) {
  if (a->node.options_at == 0) return otherwise;
  return arn__fb_field_i32(a->model, a->node.options_at, id, otherwise);
}

// ---- dimensions ---------------------------------------------------------------------------------

// Where an operator keeps stride, dilation and size of its window, width first.
typedef struct window_fields {
  uint8_t stride, dilation, size;
} window_fields;

// Steps of a window that reaches over `reach` positions beyond its first: (in - reach) / stride of
// VALID windows, in / stride of SAME ones; both rounded up.
static arn__term window_steps(const arn__asked *a, int64_t reach, int32_t stride) {
  const bool same = option_u8(a, 0) != 1;
  if (stride < 1 || reach < 0 || reach > INT32_MAX) return nobody;
  if (stride == 1 && (same || reach == 0)) return dim_of(a, ARN__JOIN_ALONE, 0, a->index);
  switch (a->step) {
    case 0: return dim_of(a, ARN__JOIN_SET, 0, a->index);
    case 1: return number(ARN__JOIN_SUB, same ? 0 : (int32_t)reach);
    case 2: return number(ARN__JOIN_DIV_UP, stride);
    default: return end;
  }
}

static arn__term pooled(const arn__asked *a, window_fields at) {
  const uint32_t y = a->index == 1;
  if (a->index == 0 || a->index > 2) return dim_of(a, ARN__JOIN_ALONE, 0, a->index);
  const int32_t size = option_i32(a, at.size + y, 1);
  return window_steps(a, (int64_t)size - 1, option_i32(a, at.stride + y, 1));
}

// `channels`: the dimension of the filter that the output's channels are.
static arn__term convolved(const arn__asked *a, window_fields at, uint32_t channels) {
  arn_tensor filter;
  const uint32_t y = a->index == 1;
  if (!read(a, 1, &filter) || filter.rank != 4 || a->index > 3) return nobody;
  if (a->index == 0) return dim_of(a, ARN__JOIN_ALONE, 0, 0);
  if (a->index == 3) return dim_of(a, ARN__JOIN_ALONE, 1, (int32_t)channels);
  const int32_t dilation = option_i32(a, at.dilation + y, 1);
  const int64_t reach = (int64_t)dilation * ((int64_t)filter.dims[a->index] - 1);
  return window_steps(a, reach, option_i32(a, at.stride + y, 1));
}

// Block shape and paddings are inputs 1 and 2.
static arn__term to_batch(const arn__asked *a) {
  arn_tensor block;
  if (!read(a, 1, &block)) return nobody;
  const int32_t axis = a->index, spatial = (int32_t)block.count;
  if (axis > spatial) return dim_of(a, ARN__JOIN_ALONE, 0, axis);
  if (a->step == 0) return dim_of(a, ARN__JOIN_SET, 0, axis);
  if (axis == 0) {
    return (int32_t)a->step > spatial ? end
                                      : value_of(a, ARN__JOIN_MUL, 1, (int32_t)a->step - 1);
  }
  switch (a->step) {
    case 1: return value_of(a, ARN__JOIN_ADD, 2, 2 * (axis - 1));
    case 2: return value_of(a, ARN__JOIN_ADD, 2, 2 * (axis - 1) + 1);
    case 3: return value_of(a, ARN__JOIN_DIV_EXACT, 1, axis - 1);
    default: return end;
  }
}

static arn__term to_space(const arn__asked *a) {
  arn_tensor block;
  if (!read(a, 1, &block)) return nobody;
  const int32_t axis = a->index, spatial = (int32_t)block.count;
  if (axis > spatial) return dim_of(a, ARN__JOIN_ALONE, 0, axis);
  if (a->step == 0) return dim_of(a, ARN__JOIN_SET, 0, axis);
  if (axis == 0) {
    return (int32_t)a->step > spatial ? end
                                      : value_of(a, ARN__JOIN_DIV_EXACT, 1, (int32_t)a->step - 1);
  }
  switch (a->step) {
    case 1: return value_of(a, ARN__JOIN_MUL, 1, axis - 1);
    case 2: return value_of(a, ARN__JOIN_SUB, 2, 2 * (axis - 1));
    case 3: return value_of(a, ARN__JOIN_SUB, 2, 2 * (axis - 1) + 1);
    default: return end;
  }
}

static arn__term padded(const arn__asked *a) {
  switch (a->step) {
    case 0: return dim_of(a, ARN__JOIN_SET, 0, a->index);
    case 1: return value_of(a, ARN__JOIN_ADD, 1, 2 * a->index);
    case 2: return value_of(a, ARN__JOIN_ADD, 1, 2 * a->index + 1);
    default: return end;
  }
}

// The new shape is input 1. A dimension of -1 is all elements over all other dimensions.
static arn__term reshaped(const arn__asked *a) {
  arn_tensor in;
  const int32_t step = (int32_t)a->step - 1;
  if (input(a, 1) < 0) return written;
  if (step < 0) return value_of(a, ARN__JOIN_SET, 1, a->index);
  if (step == 0) return a->so_far == -1 ? number(ARN__JOIN_SET, 1) : end;
  if (!read(a, 0, &in)) return nobody;
  if (step <= in.rank) return dim_of(a, ARN__JOIN_MUL, 0, step - 1);
  const int32_t other = step - 1 - in.rank;
  if (other >= a->out.rank) return end;
  if (other == a->index) return number(ARN__JOIN_MUL, 1);
  return value_of(a, ARN__JOIN_DIV_EXACT, 1, other);
}

static arn__term concatenated(const arn__asked *a) {
  int32_t axis = option_i32(a, 0, 0);
  if (axis < 0) axis += a->out.rank;
  if (a->index != axis) return dim_of(a, ARN__JOIN_ALONE, 0, a->index);
  return a->step < a->node.input_count ? dim_of(a, ARN__JOIN_ADD, a->step, axis) : end;
}

// Says whether input `i` is a constant that has 1 where the output has dimension `index`.
static bool is_spread(const arn__asked *a, uint32_t i) {
  arn_tensor in;
  if (!read(a, i, &in) || !(in.flags & ARN_TENSOR_CONST)) return false;
  const int32_t axis = a->index - (a->out.rank - in.rank);
  return axis < 0 || in.dims[axis] == 1;
}

// Dimension `index` of inputs of at most the output's rank, aligned at the right. What one input
// alone decides needs no depth.
static arn__term broadcast(const arn__asked *a) {
  arn_tensor in;
  if (a->step >= a->node.input_count) return end;
  const bool alone = a->node.input_count == 1 || (a->node.input_count == 2 && is_spread(a, 1));
  if (alone && read(a, 0, &in) && in.rank == a->out.rank) {
    return dim_of(a, ARN__JOIN_ALONE, 0, a->index);
  }
  if (!read(a, a->step, &in)) return nobody;
  const uint8_t how = a->step == 0 ? ARN__JOIN_SET : ARN__JOIN_BROADCAST;
  const int32_t axis = a->index - (a->out.rank - in.rank);
  return axis < 0 ? number(how, 1) : dim_of(a, how, a->step, axis);
}

static arn__term sliced(const arn__asked *a) {
  switch (a->step) {
    case 0: return value_of(a, ARN__JOIN_SET, 2, a->index);
    case 1: return a->so_far >= 0 ? end : dim_of(a, ARN__JOIN_SET, 0, a->index);
    case 2: return value_of(a, ARN__JOIN_SUB, 1, a->index);
    default: return end;
  }
}

static arn__term tiled(const arn__asked *a) {
  if (a->step == 2) return end;
  return a->step == 0 ? dim_of(a, ARN__JOIN_SET, 0, a->index)
                      : value_of(a, ARN__JOIN_MUL, 1, a->index);
}

// start, limit, delta
static arn__term ranged(const arn__asked *a) {
  switch (a->step) {
    case 0: return value_of(a, ARN__JOIN_SET, 1, 0);
    case 1: return value_of(a, ARN__JOIN_SUB, 0, 0);
    case 2: return value_of(a, ARN__JOIN_DIV_UP, 2, 0);
    default: return end;
  }
}

static arn__term resized(const arn__asked *a) {
  const bool space = a->index == 1 || a->index == 2;
  return space ? value_of(a, ARN__JOIN_ALONE, 1, a->index - 1)
               : dim_of(a, ARN__JOIN_ALONE, 0, a->index);
}

static arn__term expanded(const arn__asked *a) {
  int32_t axis;
  if (!constant(a, 1, 0, &axis)) return written;
  if (axis < 0) axis += a->out.rank;
  if (a->index == axis) return number(ARN__JOIN_ALONE, 1);
  return dim_of(a, ARN__JOIN_ALONE, 0, a->index - (a->index > axis));
}

// Operators whose output has the shape of their inputs, broadcast where there are several of them.
static bool is_elementwise(int32_t code) {
  static const uint8_t codes[] = {
      0,  6,  8,  14, 18, 19, 20, 21, 25, 28, 41,  42,  47,  50,  53,  55,
      57, 58, 59, 61, 62, 63, 66, 71, 72, 73, 75,  76,  78,  84,  86,  87,
      90, 92, 93, 95, 98, 99, 101, 104, 108, 111, 114, 116, 117, 150, 152, 158};
  for (uint32_t i = 0; i < sizeof codes; i++) {
    if (codes[i] == code) return true;
  }
  return false;
}

arn__term arn__infer_dim(const arn__asked *a) {
  switch (a->node.code) {
    case CONV_2D: return convolved(a, (window_fields){1, 4, 0}, 0);
    case DEPTHWISE_CONV_2D: return convolved(a, (window_fields){1, 5, 0}, 3);
    case AVERAGE_POOL_2D:
    case MAX_POOL_2D:
    case L2_POOL_2D: return pooled(a, (window_fields){1, 0, 3});
    case SPACE_TO_BATCH_ND: return to_batch(a);
    case BATCH_TO_SPACE_ND: return to_space(a);
    case PAD:
    case PADV2:
    case MIRROR_PAD: return padded(a);
    case RESHAPE: return reshaped(a);
    case CONCATENATION: return concatenated(a);
    case SLICE: return sliced(a);
    case TILE: return tiled(a);
    case RANGE: return ranged(a);
    case EXPAND_DIMS: return expanded(a);
    case RESIZE_BILINEAR:
    case RESIZE_NEAREST_NEIGHBOR: return resized(a);
    case FILL:
    case TRANSPOSE_CONV: return value_of(a, ARN__JOIN_ALONE, 0, a->index);
    case BROADCAST_TO: return value_of(a, ARN__JOIN_ALONE, 1, a->index);
    default: return is_elementwise(a->node.code) ? broadcast(a) : written;
  }
}

bool arn__infer_depends(const arn_model *m, const arn_subgraph *g, const arn_node *node) {
  static const struct {
    uint8_t code, first, last;  // inputs that the shape is computed from
  } sources[] = {{RESHAPE, 1, 1}, {PAD, 1, 1}, {PADV2, 1, 1}, {MIRROR_PAD, 1, 1}, {TILE, 1, 1},
                 {SPACE_TO_BATCH_ND, 1, 2}, {BATCH_TO_SPACE_ND, 1, 2}, {FILL, 0, 0}, {RANGE, 0, 2},
                 {BROADCAST_TO, 1, 1}, {RESIZE_BILINEAR, 1, 1}, {RESIZE_NEAREST_NEIGHBOR, 1, 1},
                 {TRANSPOSE_CONV, 0, 0}, {SLICE, 1, 2}};
  for (uint32_t k = 0; k < sizeof sources / sizeof sources[0]; k++) {
    if (sources[k].code != node->code) continue;
    for (uint32_t i = sources[k].first; i <= sources[k].last && i < node->input_count; i++) {
      arn_tensor t;
      const int32_t tensor = arn_model_index(m, node->inputs_at, i);
      if (tensor < 0) continue;
      arn__infer_written(m, g, tensor, &t);
      if (!(t.flags & ARN_TENSOR_CONST)) return true;
    }
  }
  return false;
}

// ---- values -------------------------------------------------------------------------------------

// Element `index` of inputs laid one behind the other.
static arn__term laid_out(const arn__asked *a, int32_t axis) {
  int32_t element = a->index;
  if (axis != 0) return nobody;
  for (uint32_t i = 0; i < a->node.input_count; i++) {
    arn_tensor in;
    if (!read(a, i, &in) || in.unknown_dims > 0) return nobody;
    if (element < (int32_t)in.count) return value_of(a, ARN__JOIN_ALONE, i, element);
    element -= (int32_t)in.count;
  }
  return nobody;
}

// Operands have as many elements as the output, or one.
static arn__term combined(const arn__asked *a, uint8_t how) {
  arn_tensor in;
  if (a->step == 2) return end;
  if (!read(a, a->step, &in) || in.unknown_dims > 0) return nobody;
  if (in.count != 1 && in.count != a->out.count) return nobody;
  const int32_t element = in.count == 1 ? 0 : a->index;
  return value_of(a, a->step == 0 ? ARN__JOIN_SET : how, a->step, element);
}

static arn__term gathered(const arn__asked *a) {
  arn_tensor from;
  if (!read(a, 0, &from) || from.rank != 1) return nobody;
  return a->step == 0 ? value_of(a, ARN__JOIN_SET, 1, a->index)
                      : value_of(a, ARN__JOIN_ALONE, 0, a->so_far);
}

static arn__term slice_value(const arn__asked *a) {
  arn_tensor from;
  if (!read(a, 0, &from) || from.rank != 1) return nobody;
  if (a->step == 0) return value_of(a, ARN__JOIN_SET, 1, 0);
  return a->so_far < 0 || (uint32_t)a->so_far > from.count
             ? nobody
             : value_of(a, ARN__JOIN_ALONE, 0, a->so_far + a->index);
}

static arn__term product(const arn__asked *a) {
  arn_tensor in;
  if (!read(a, 0, &in) || in.rank != 1 || a->out.count != 1) return nobody;
  if (a->step > in.count) return end;
  return a->step == 0 ? number(ARN__JOIN_SET, 1)
                      : value_of(a, ARN__JOIN_MUL, 0, (int32_t)a->step - 1);
}

// StridedSliceOptions: masks of begin, end, ellipsis, new axes, and of axes that the output lacks.
enum { BEGIN_MASK = 0, ELLIPSIS_MASK = 2, NEW_AXIS_MASK = 3, SHRINK_MASK = 4 };

// Position on one axis of element `k` of a strided slice; -1 where it is not inside.
static int32_t slice_position(const arn__asked *a, const arn_tensor *in, uint32_t axis, int32_t k) {
  int32_t begin, stride;
  const int32_t dim = in->dims[axis];
  if (!constant(a, 1, (int32_t)axis, &begin) || !constant(a, 3, (int32_t)axis, &stride)) return -1;
  if (begin < 0) begin = begin < -dim ? 0 : begin + dim;
  if (option_i32(a, BEGIN_MASK, 0) >> axis & 1) begin = stride > 0 ? 0 : dim - 1;
  const int64_t at = begin + (int64_t)k * stride;
  return at >= 0 && at < dim ? (int32_t)at : -1;
}

static arn__term strided(const arn__asked *a) {
  arn_tensor in;
  if (!read(a, 0, &in) || in.unknown_dims > 0 || a->out.unknown_dims > 0) return nobody;
  if (option_i32(a, ELLIPSIS_MASK, 0) || option_i32(a, NEW_AXIS_MASK, 0)) return nobody;
  uint32_t element = 0, scale = 1, left = (uint32_t)a->index, out_axis = a->out.rank;
  for (uint32_t axis = in.rank; axis-- > 0;) {
    int32_t k = 0;
    if (!(option_i32(a, SHRINK_MASK, 0) >> axis & 1)) {
      if (out_axis == 0 || a->out.dims[--out_axis] == 0) return nobody;
      k = (int32_t)(left % (uint32_t)a->out.dims[out_axis]);
      left /= (uint32_t)a->out.dims[out_axis];
    }
    const int32_t at = slice_position(a, &in, axis, k);
    if (at < 0) return nobody;
    element += (uint32_t)at * scale;
    scale *= (uint32_t)in.dims[axis];
  }
  return value_of(a, ARN__JOIN_ALONE, 0, (int32_t)element);
}

// The fused activation of ADD, SUB, MUL and DIV.
static arn__term unless_fused(const arn__asked *a, uint8_t how) {
  return option_u8(a, 0) == 0 ? combined(a, how) : nobody;
}

arn__term arn__infer_value(const arn__asked *a) {
  switch (a->node.code) {
    case SHAPE: return dim_of(a, ARN__JOIN_ALONE, 0, a->index);
    case PACK: return laid_out(a, option_i32(a, 1, 0));
    case CONCATENATION: return laid_out(a, option_i32(a, 0, 0));
    case RESHAPE:
    case SQUEEZE:
    case EXPAND_DIMS:
    case CAST: return value_of(a, ARN__JOIN_ALONE, 0, a->index);
    case FILL: return value_of(a, ARN__JOIN_ALONE, 1, 0);
    case STRIDED_SLICE: return strided(a);
    case SLICE: return slice_value(a);
    case GATHER: return gathered(a);
    case REDUCE_PROD: return product(a);
    case ADD: return unless_fused(a, ARN__JOIN_ADD);
    case SUB: return unless_fused(a, ARN__JOIN_SUB);
    case MUL: return unless_fused(a, ARN__JOIN_MUL);
    case DIV: return unless_fused(a, ARN__JOIN_DIV);
    case FLOOR_DIV: return combined(a, ARN__JOIN_DIV_DOWN);
    case FLOOR_MOD: return combined(a, ARN__JOIN_MOD);
    case MAXIMUM: return combined(a, ARN__JOIN_MAX);
    case MINIMUM: return combined(a, ARN__JOIN_MIN);
    default: return nobody;
  }
}
