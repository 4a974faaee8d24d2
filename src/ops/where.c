// WHERE and UNIQUE: outputs whose length depends on the data. Here it is fixed: a model runs where
// its file gives the output's shape, and fails at run time where the data do not come to it.
#include "../kernels/kernel.h"
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

// Of a float, all bits but the sign.
ARN__INLINE bool is_zero(const where_state *s, const uint8_t *at, uint32_t element) {
  uint32_t word;
  uint64_t wide;
  switch (element) {
    case 1: return *at == 0;
    case 4:
      memcpy(&word, at, sizeof word);
      return (s->type == ARN_FLOAT32 ? word << 1 : word) == 0;
    default: memcpy(&wide, at, sizeof wide); return wide == 0;
  }
}

// Writes the places of a line along the last axis, which begins at `place`; returns the number of
// places so far. `rank` and `element` are the state's.
ARN__INLINE uint32_t search_line(const where_state *s, const uint8_t *in, const int64_t *place,
                                 arn__s64 *out, uint32_t found, uint32_t rank, uint32_t element) {
  const int64_t length = s->dims[rank - 1];
  const uint32_t most = s->found;
  const bool has_room = most > found && most - found > length;  // for one more than may come
  arn__s64 *to = out + (size_t)found * rank;
  for (int64_t i = 0; i < length && has_room; i++) {  // without branches: none could be foreseen
    for (uint32_t d = 0; d + 1 < rank; d++) to[d] = place[d];
    to[rank - 1] = i;
    const uint32_t counts = !is_zero(s, in + i * element, element);
    to += counts * rank;
    found += counts;
  }
  for (int64_t i = 0; i < length && !has_room; i++) {
    if (is_zero(s, in + i * element, element) || found++ >= most) continue;
    for (uint32_t d = 0; d + 1 < rank; d++) to[d] = place[d];
    to[rank - 1] = i;
    to += rank;
  }
  return found;
}

// Goes to the next line.
static void advance(const where_state *s, int64_t *place) {
  for (uint32_t d = s->rank - 1u; d-- > 0;) {
    if (++place[d] < s->dims[d]) return;
    place[d] = 0;
  }
}

static arn_status where_eval(const arn_eval *e, const void *state) {
  const where_state *s = state;
  const uint8_t *in = arn_eval_in(e, 0);
  arn__s64 *out = arn_eval_out(e, 0);
  const uint32_t line = (uint32_t)s->dims[s->rank - 1];
  int64_t place[ARN_MAX_RANK] = {0};
  uint32_t found = 0;
  for (uint32_t i = 0; i < s->count; i += line, in += line * s->element) {
    found = s->rank == 2 && s->element == 1
                ? search_line(s, in, place, out, found, 2, 1)
                : search_line(s, in, place, out, found, s->rank, s->element);
    advance(s, place);
  }
  if (found == s->found) return ARN_OK;
  return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, found, s->found);
}

const arn_op arn_op_where = {"WHERE", 109, sizeof(where_state),
                             ARN_TYPE_BIT(ARN_BOOL) | ARN_TYPE_BIT(ARN_FLOAT32) |
                                 ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64) |
                                 ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |
                                 ARN_TYPE_BIT(ARN_UINT32),
                             0, NULL, where_prepare, NULL, where_eval};

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

// Defines a search for one of `count` values that equals `one`. Where there is room behind them,
// it is put there, so that the search needs no other end.
#define FIND(name, value_type)                                                                  \
  static uint32_t find_##name(uint8_t *values, uint32_t count, uint32_t room,                   \
                              const uint8_t *one) {                                             \
    value_type *all = (value_type *)(void *)values;                                             \
    const value_type value = *(const value_type *)(const void *)one;                            \
    uint32_t k = 0;                                                                             \
    if (count >= room || value != value) {                                                      \
      while (k < count && all[k] != value) k++;                                                 \
      return k;                                                                                 \
    }                                                                                           \
    all[count] = value;                                                                         \
    for (;; k += 4) {                                                                           \
      if (all[k] == value) return k;                                                            \
      if (all[k + 1] == value) return k + 1;                                                    \
      if (all[k + 2] == value) return k + 2;                                                    \
      if (all[k + 3] == value) return k + 3;                                                    \
    }                                                                                           \
  }
FIND(f32, float)
FIND(8, uint8_t)
FIND(16, uint16_t)
FIND(32, uint32_t)
FIND(64, arn__u64)

static uint32_t find_bytes(const uint8_t *values, uint32_t count, const uint8_t *one,
                           uint32_t element) {
  uint32_t k = 0;
  while (k < count && memcmp(values + k * element, one, element) != 0) k++;
  return k;
}

static uint32_t find(const unique_state *s, uint8_t *values, uint32_t count,
                     const uint8_t *one) {
  if (s->type == ARN_FLOAT32) return find_f32(values, count, s->different, one);
  switch (s->element) {
    case 1: return find_8(values, count, s->different, one);
    case 2: return find_16(values, count, s->different, one);
    case 4: return find_32(values, count, s->different, one);
    case 8: return find_64(values, count, s->different, one);
    default: return find_bytes(values, count, one, s->element);
  }
}

static arn_status unique_eval(const arn_eval *e, const void *state) {
  const unique_state *s = state;
  const uint8_t *in = arn_eval_in(e, 0);
  uint8_t *values = arn_eval_out(e, 0), *places = arn_eval_out(e, 1);
  uint32_t different = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint8_t *value = in + i * s->element;
    const uint64_t k = find(s, values, different, value);
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

const arn_op arn_op_unique = {"UNIQUE", 103, sizeof(unique_state), ARN__MOVEMENT_TYPES, 0, NULL,
                              unique_prepare, NULL, unique_eval};
