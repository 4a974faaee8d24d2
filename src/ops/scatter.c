// SCATTER_ND and SEGMENT_SUM: runs of the input, added up at the places that an index tensor says.
// What nothing is added to is 0.
#include "movement.h"

// Types that can be added. (bool: or.)
#define SUM_TYPES                                                                    \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_UINT8) |   \
   ARN_TYPE_BIT(ARN_INT64) | ARN_TYPE_BIT(ARN_BOOL) | ARN_TYPE_BIT(ARN_INT16) |      \
   ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT32))

// ---- adding -------------------------------------------------------------------------------------

static void add_f32(float *target, const float *source, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) target[i] += source[i];
}

// Integers wrap, signed ones too.
static void add_u8(uint8_t *target, const uint8_t *source, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) target[i] = (uint8_t)(target[i] + source[i]);
}

static void add_u16(uint16_t *target, const uint16_t *source, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) target[i] = (uint16_t)(target[i] + source[i]);
}

static void add_u32(uint32_t *target, const uint32_t *source, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) target[i] += source[i];
}

// An arena may be aligned to 4 bytes only.
static void add_u64(uint8_t *target, const uint8_t *source, uint32_t count) {
  for (uint32_t i = 0; i < 8 * count; i += 8) {
    uint64_t sum, more;
    memcpy(&sum, target + i, sizeof sum);
    memcpy(&more, source + i, sizeof more);
    sum += more;
    memcpy(target + i, &sum, sizeof sum);
  }
}

static void or_bool(uint8_t *target, const uint8_t *source, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) target[i] = target[i] || source[i];
}

// Adds `count` elements.
static void add_run(uint32_t type, void *target, const void *source, uint32_t count) {
  switch (type) {
    case ARN_FLOAT32: add_f32(target, source, count); break;
    case ARN_BOOL: or_bool(target, source, count); break;
    case ARN_INT8:
    case ARN_UINT8: add_u8(target, source, count); break;
    case ARN_INT16: add_u16(target, source, count); break;
    case ARN_INT64: add_u64(target, source, count); break;
    default: add_u32(target, source, count);
  }
}

// ---- SCATTER_ND ---------------------------------------------------------------------------------

// Inputs: indices [runs][tuple], updates [runs][count], shape.
typedef struct scatter_state {
  uint32_t runs, count;   // elements of a run
  uint32_t bytes;         // of the output
  uint8_t type, element;
  uint8_t index_type, shape_type;
  uint8_t tuple, rank;
  uint8_t late;           // the shape comes at run time
  uint8_t spare;
  int32_t dims[ARN_MAX_RANK];  // of the output
} scatter_state;

static bool has_shape(const scatter_state *s, const void *shape) {
  for (uint32_t i = 0; i < s->rank; i++) {
    if (arn__index_at(shape, s->shape_type, i) != s->dims[i]) return false;
  }
  return true;
}

// Updates must have the shape indices.dims[:-1] + output.dims[tuple:].
static bool updates_fit(const arn_tensor *indices, const arn_tensor *updates,
                        const arn_tensor *out, uint32_t tuple) {
  const uint32_t outer = indices->rank - 1u;
  if (updates->rank != outer + out->rank - tuple) return false;
  for (uint32_t i = 0; i < updates->rank; i++) {
    const int32_t want = i < outer ? indices->dims[i] : out->dims[i - outer + tuple];
    if (updates->dims[i] != want) return false;
  }
  return true;
}

static arn_status read_shape(const arn_prepare *p, scatter_state *s, const arn_tensor *out) {
  arn__index shape;
  ARN__TRY(arn__movement_index(p, 2, &shape));
  s->shape_type = shape.type;
  s->rank = out->rank;
  memcpy(s->dims, out->dims, sizeof s->dims);
  if (shape.count != out->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  s->late = shape.data == NULL && shape.count > 0;
  return s->late || has_shape(s, shape.data) ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, out);
}

static arn_status scatter_nd_prepare(arn_prepare *p, void *state) {
  scatter_state *s = state;
  arn_tensor indices, updates, out;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn_prepare_input(p, 0, &indices));
  ARN__TRY(arn_prepare_input(p, 1, &updates));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> indices.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &indices);
  if (!(SUM_TYPES >> updates.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &updates);
  if (updates.type != out.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &out);
  if (indices.rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, &indices);
  const int32_t tuple = indices.dims[indices.rank - 1];
  if (tuple > out.rank || !updates_fit(&indices, &updates, &out, (uint32_t)tuple)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &updates);
  }
  ARN__TRY(read_shape(p, s, &out));
  s->tuple = (uint8_t)tuple;
  s->runs = arn__movement_product(&indices, 0, indices.rank - 1u);
  s->count = arn__movement_product(&out, s->tuple, out.rank);
  s->bytes = out.bytes;
  s->type = out.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  s->index_type = indices.type;
  p->state_bytes = (uint32_t)offsetof(scatter_state, dims) + 4u * out.rank;
  return ARN_OK;
}

static arn_status scatter_nd_eval(const arn_eval *e, const void *state) {
  const scatter_state *s = state;
  const void *indices = arn_eval_in(e, 0);
  const uint8_t *updates = arn_eval_in(e, 1);
  uint8_t *out = arn_eval_out(e, 0);
  if (s->late && !has_shape(s, arn_eval_in(e, 2))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  if (s->bytes == 0) return ARN_OK;
  memset(out, 0, s->bytes);
  for (uint32_t k = 0; k < s->runs; k++) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->tuple; i++) {
      const int32_t index = arn__index_at(indices, s->index_type, k * s->tuple + i);
      if (index < 0 || index >= s->dims[i]) {
        return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, (uint32_t)s->dims[i], (uint32_t)index);
      }
      at = at * (uint32_t)s->dims[i] + (uint32_t)index;
    }
    const uint32_t run = s->count * s->element;
    add_run(s->type, out + at * run, updates + k * run, s->count);
  }
  return ARN_OK;
}

const arn_op arn_op_scatter_nd = {"SCATTER_ND", 122, sizeof(scatter_state),
                                  ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64), 0, NULL,
                                  scatter_nd_prepare, NULL, scatter_nd_eval};

// ---- SEGMENT_SUM --------------------------------------------------------------------------------

// Inputs: data [runs][count], segment of each run [runs], in ascending order.
typedef struct segment_state {
  uint32_t runs, count, segments;
  uint8_t type, element, index_type, spare;
} segment_state;

static arn_status segment_sum_prepare(arn_prepare *p, void *state) {
  segment_state *s = state;
  arn_tensor in, out;
  arn__index ids;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_index(p, 1, &ids));
  if (in.rank < 1 || out.rank != in.rank || (int64_t)ids.count != in.dims[0]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  for (uint32_t i = 1; i < in.rank; i++) {
    if (in.dims[i] != out.dims[i]) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  s->runs = (uint32_t)in.dims[0];
  s->count = arn__movement_product(&in, 1, in.rank);
  s->segments = (uint32_t)out.dims[0];
  s->type = in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->index_type = ids.type;
  return ARN_OK;
}

// The output has as many segments as the last run says.
static arn_status segment_sum_eval(const arn_eval *e, const void *state) {
  const segment_state *s = state;
  const void *ids = arn_eval_in(e, 1);
  const uint8_t *in = arn_eval_in(e, 0);
  uint8_t *out = arn_eval_out(e, 0);
  const uint32_t run = s->count * s->element;
  int32_t last = 0;
  if (s->segments * run > 0) memset(out, 0, s->segments * run);
  for (uint32_t k = 0; k < s->runs; k++) {
    const int32_t id = arn__index_at(ids, s->index_type, k);
    if (id < last || (uint32_t)id >= s->segments) {
      return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, s->segments, (uint32_t)id);
    }
    if (run > 0) add_run(s->type, out + (uint32_t)id * run, in + k * run, s->count);
    last = id;
  }
  const uint32_t segments = s->runs > 0 ? (uint32_t)last + 1 : 0;
  if (segments == s->segments) return ARN_OK;
  return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, segments, s->segments);
}

const arn_op arn_op_segment_sum = {"SEGMENT_SUM", 125, sizeof(segment_state), SUM_TYPES, 0, NULL,
                                   segment_sum_prepare, NULL, segment_sum_eval};
