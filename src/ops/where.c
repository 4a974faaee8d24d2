// WHERE and UNIQUE: outputs whose length depends on the data. Here it is fixed: a model runs where
// its file gives the output's shape, and fails at run time where the data do not come to it.
#include "movement.h"

// ---- WHERE --------------------------------------------------------------------------------------

// The places, as int64 coordinates, of the input's elements that are not zero.
typedef struct where_state {
  uint32_t count;      // elements of the input
  uint32_t found;      // that the output has room for
  uint8_t type, element, rank, spare;
  int32_t dims[ARN_MAX_RANK];
} where_state;

static arn_status where_prepare(arn_prepare *p, void *state) {
  where_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> in.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &in);
  if (out.type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  if (out.rank != 2 || in.rank < 1 || out.dims[1] != in.rank) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  s->count = in.count;
  s->found = (uint32_t)out.dims[0];
  s->type = in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->rank = in.rank;
  memcpy(s->dims, in.dims, sizeof s->dims);
  p->state_bytes = (uint32_t)offsetof(where_state, dims) + 4u * in.rank;
  return ARN_OK;
}

static bool is_zero(const where_state *s, const uint8_t *at) {
  static const uint8_t zeros[8] = {0};
  float value;
  if (s->type != ARN_FLOAT32) return memcmp(at, zeros, s->element) == 0;
  memcpy(&value, at, sizeof value);
  return value == 0;
}

static void write_place(const where_state *s, uint32_t i, uint8_t *out) {
  for (uint32_t d = s->rank; d-- > 0;) {
    const int64_t index = i % (uint32_t)s->dims[d];
    i /= (uint32_t)s->dims[d];
    memcpy(out + 8 * d, &index, sizeof index);
  }
}

static arn_status where_eval(const arn_eval *e, const void *state) {
  const where_state *s = state;
  const uint8_t *in = arn_eval_in(e, 0);
  uint8_t *out = arn_eval_out(e, 0);
  uint32_t found = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    if (is_zero(s, in + i * s->element)) continue;
    if (found < s->found) write_place(s, i, out + 8 * found * s->rank);
    found++;
  }
  if (found == s->found) return ARN_OK;
  return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, found, s->found);
}

const arn_op arn_op_where = {"WHERE", 109, sizeof(where_state),
                             ARN_TYPE_BIT(ARN_BOOL) | ARN_TYPE_BIT(ARN_FLOAT32) |
                                 ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64) |
                                 ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |
                                 ARN_TYPE_BIT(ARN_UINT32),
                             0, where_prepare, NULL, where_eval};

// ---- UNIQUE -------------------------------------------------------------------------------------

// The different values of a vector, in order of appearance; and for each element, which of them it
// is.
typedef struct unique_state {
  uint32_t count, different;
  uint8_t type, element, index_bytes, spare;
} unique_state;

static arn_status unique_prepare(arn_prepare *p, void *state) {
  unique_state *s = state;
  arn_tensor in, values, places;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 2));
  ARN__TRY(arn__movement_pair(p, 0, &in, &values));
  ARN__TRY(arn_prepare_output(p, 1, &places));
  if (places.type != ARN_INT32 && places.type != ARN_INT64) {
    return arn_refuse(p, ARN_WHAT_TYPE, &places);
  }
  if (in.rank != 1 || values.rank != 1 || places.count != in.count) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &places);
  }
  s->count = in.count;
  s->different = values.count;
  s->type = in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->index_bytes = (uint8_t)arn_type_bytes((arn_type)places.type);
  return ARN_OK;
}

static bool are_equal(const unique_state *s, const uint8_t *a, const uint8_t *b) {
  float x, y;
  if (s->type != ARN_FLOAT32) return memcmp(a, b, s->element) == 0;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x == y;
}

static arn_status unique_eval(const arn_eval *e, const void *state) {
  const unique_state *s = state;
  const uint8_t *in = arn_eval_in(e, 0);
  uint8_t *values = arn_eval_out(e, 0), *places = arn_eval_out(e, 1);
  uint32_t different = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint8_t *value = in + i * s->element;
    uint64_t k = 0;
    while (k < different && !are_equal(s, value, values + k * s->element)) k++;
    if (k == s->different) return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, different + 1, different);
    if (k == different) {
      memcpy(values + k * s->element, value, s->element);
      different++;
    }
    memcpy(places + i * s->index_bytes, &k, s->index_bytes);
  }
  if (different == s->different) return ARN_OK;
  return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, different, s->different);
}

const arn_op arn_op_unique = {"UNIQUE", 103, sizeof(unique_state), ARN__MOVEMENT_TYPES, 0,
                              unique_prepare, NULL, unique_eval};
