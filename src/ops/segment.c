// UNSORTED_SEGMENT_SUM, _PROD, _MAX, _MIN: runs of the input are folded together by the segment
// that an index tensor names for each, in any order. Runs of negative segments are left out; a
// segment without runs has the value that changes nothing.
#include "movement.h"

enum { IN_DATA, IN_SEGMENTS, IN_COUNT };

// Data [runs][count], segments [runs], output [segments][count].
typedef struct segment_state {
  uint32_t runs, count, segments;
  uint8_t type, index_type, count_type;
  uint8_t late;  // the number of segments comes at run time
} segment_state;

// Folds a run into its segment, or (from NULL) sets the segment to what changes nothing.
typedef void fold(uint32_t type, void *into, const void *from, uint32_t count);

static arn_status read_count(const arn_prepare *p, segment_state *s, const arn_tensor *out) {
  arn__index count;
  ARN__TRY(arn__movement_index(p, IN_COUNT, &count));
  s->count_type = count.type;
  if (count.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  s->late = count.data == NULL;
  if (s->late || arn__index_at(count.data, count.type, 0) == out->dims[0]) return ARN_OK;
  return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
}

// The segments' shape is that of the data's first dimensions; the others follow the segment.
static bool shapes_fit(const arn_tensor *in, const arn_tensor *ids, const arn_tensor *out) {
  if (ids->rank < 1 || ids->rank > in->rank || out->rank != in->rank - ids->rank + 1) return false;
  for (uint32_t i = 0; i < ids->rank; i++) {
    if (ids->dims[i] != in->dims[i]) return false;
  }
  for (uint32_t i = 1; i < out->rank; i++) {
    if (out->dims[i] != in->dims[ids->rank + i - 1]) return false;
  }
  return true;
}

static arn_status prepare_segment(arn_prepare *p, void *state) {
  segment_state *s = state;
  arn_tensor in, ids, out;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn__movement_pair(p, IN_DATA, &in, &out));
  ARN__TRY(arn_prepare_input(p, IN_SEGMENTS, &ids));
  if (ids.type != ARN_INT32 && ids.type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, &ids);
  if (!shapes_fit(&in, &ids, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  ARN__TRY(read_count(p, s, &out));
  s->runs = ids.count;
  s->count = arn__movement_product(&out, 1, out.rank);
  s->segments = (uint32_t)out.dims[0];
  s->type = in.type;
  s->index_type = ids.type;
  p->work = ARN_WHOLE;
  return ARN_OK;
}

static arn_status eval_segment(const arn_eval *e, const segment_state *s, fold *run) {
  const void *ids = arn_eval_in(e, IN_SEGMENTS);
  const uint8_t *in = arn_eval_in(e, IN_DATA);
  uint8_t *out = arn_eval_out(e, 0);
  const uint32_t bytes = s->count * 4;
  if (s->late) {
    const int32_t count = arn__index_at(arn_eval_in(e, IN_COUNT), s->count_type, 0);
    if ((uint32_t)count != s->segments) {
      return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, s->segments, (uint32_t)count);
    }
  }
  run(s->type, out, NULL, s->segments * s->count);
  for (uint32_t i = 0; i < s->runs; i++) {
    const int32_t id = arn__index_at(ids, s->index_type, i);
    if (id < 0) continue;
    if ((uint32_t)id >= s->segments) {
      return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, s->segments, (uint32_t)id);
    }
    run(s->type, out + (uint32_t)id * bytes, in + i * bytes, s->count);
  }
  return ARN_OK;
}

// Defines `name`, a fold by FLOAT(a, b) and INT(a, b), starting at the values before them.
#define FOLD(name, float_start, FLOAT, int_start, INT)                                       \
  static void name##_f32(float *into, const float *from, uint32_t count) {                   \
    for (uint32_t i = 0; i < count; i++) into[i] = from ? FLOAT(into[i], from[i]) : (float_start); \
  }                                                                                          \
  static void name##_s32(int32_t *into, const int32_t *from, uint32_t count) {               \
    for (uint32_t i = 0; i < count; i++) into[i] = from ? INT(into[i], from[i]) : (int_start); \
  }                                                                                          \
  static void name(uint32_t type, void *into, const void *from, uint32_t count) {            \
    if (type == ARN_FLOAT32) {                                                               \
      name##_f32(into, from, count);                                                         \
    } else {                                                                                 \
      name##_s32(into, from, count);                                                         \
    }                                                                                        \
  }                                                                                          \
  static arn_status eval_##name(const arn_eval *e, const void *state) {                      \
    return eval_segment(e, state, name);                                                     \
  }

// Integers wrap.
#define ADD(a, b) ((a) + (b))
#define ADD_WRAPPING(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define MULTIPLY(a, b) ((a) * (b))
#define MULTIPLY_WRAPPING(a, b) ((int32_t)((uint32_t)(a) * (uint32_t)(b)))
#define LARGER(a, b) ((a) < (b) ? (b) : (a))
#define SMALLER(a, b) ((b) < (a) ? (b) : (a))

FOLD(sum, 0.0f, ADD, 0, ADD_WRAPPING)
FOLD(product, 1.0f, MULTIPLY, 1, MULTIPLY_WRAPPING)
FOLD(largest, -3.40282347e38f, LARGER, INT32_MIN, LARGER)
FOLD(smallest, 3.40282347e38f, SMALLER, INT32_MAX, SMALLER)

#define TYPES (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32))

const arn_op arn_op_unsorted_segment_sum = {"UNSORTED_SEGMENT_SUM", 155, sizeof(segment_state),
                                            TYPES, 0, NULL, prepare_segment, NULL, eval_sum};

const arn_op arn_op_unsorted_segment_prod = {"UNSORTED_SEGMENT_PROD", 153, sizeof(segment_state),
                                             TYPES, 0, NULL, prepare_segment, NULL, eval_product};

const arn_op arn_op_unsorted_segment_max = {"UNSORTED_SEGMENT_MAX", 154, sizeof(segment_state),
                                            TYPES, 0, NULL, prepare_segment, NULL, eval_largest};

const arn_op arn_op_unsorted_segment_min = {"UNSORTED_SEGMENT_MIN", 157, sizeof(segment_state),
                                            TYPES, 0, NULL, prepare_segment, NULL, eval_smallest};
