// WHERE and UNIQUE: outputs whose length depends on the data. Here it is fixed: a model runs where
// its file gives the output's shape, and fails at run time where the data do not come to it.
#include "../kernels/lanes.h"
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

// A line along the last axis. `rank` and `element` are the state's.
typedef struct search {
  const uint8_t *in;
  int64_t place[ARN_MAX_RANK];  // of the line's first element
  uint32_t rank, element;
} search;

ARN__INLINE void write_place(const search *l, uint32_t i, arn__s64 *to) {
  for (uint32_t d = 0; d + 1 < l->rank; d++) to[d] = l->place[d];
  to[l->rank - 1] = i;
}

// Writes the places of elements [at, at + count) without branches: none could be foreseen. Needs
// room at `to` for one place more than there are. Returns where the next place goes.
ARN__INLINE arn__s64 *write_places(const where_state *s, const search *l, uint32_t at,
                                   uint32_t count, arn__s64 *to) {
  for (uint32_t i = at; i < at + count; i++) {
    write_place(l, i, to);
    to += is_zero(s, l->in + i * l->element, l->element) ? 0 : l->rank;
  }
  return to;
}

// The same for eight elements of a byte, of which often none or all count.
ARN__INLINE arn__s64 *write_eight(const where_state *s, const search *l, uint32_t at,
                                  arn__s64 *to) {
  uint64_t eight;
  memcpy(&eight, l->in + at, sizeof eight);
  if (eight == 0) return to;
  const uint64_t zeros = (eight - UINT64_C(0x0101010101010101)) & ~eight;
  if ((zeros & UINT64_C(0x8080808080808080)) != 0) return write_places(s, l, at, 8, to);
  for (uint32_t i = 0; i < 8; i++) write_place(l, at + i, to + i * l->rank);
  return to + 8 * l->rank;
}

// Writes the places of a line; returns the number of places so far.
ARN__INLINE uint32_t search_line(const where_state *s, search line, arn__s64 *out, uint32_t found) {
  const search *l = &line;
  const uint32_t length = (uint32_t)s->dims[l->rank - 1], most = s->found;
  arn__s64 *to = out + (size_t)found * l->rank;
  if (most > found && most - found > length) {
    uint32_t i = 0;
    for (; i + 8 <= length && l->element == 1; i += 8) to = write_eight(s, l, i, to);
    to = write_places(s, l, i, length - i, to);
    return (uint32_t)((size_t)(to - out) / l->rank);
  }
  for (uint32_t i = 0; i < length; i++) {
    if (is_zero(s, l->in + i * l->element, l->element) || found++ >= most) continue;
    write_place(l, i, to);
    to += l->rank;
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
  search line = {.in = arn_eval_in(e, 0), .rank = s->rank, .element = s->element};
  search pair = {.rank = 2, .element = 1};  // known to the compiler: a loop of its own, on hosts
  arn__s64 *out = arn_eval_out(e, 0);
  const bool is_pair = ARN__LANES > 1 && s->rank == 2 && s->element == 1;
  const uint32_t length = (uint32_t)s->dims[s->rank - 1];
  uint32_t found = 0;
  for (uint32_t i = 0; i < s->count; i += length, line.in += length * s->element) {
    pair.in = line.in;
    pair.place[0] = line.place[0];
    found = is_pair ? search_line(s, pair, out, found) : search_line(s, line, out, found);
    advance(s, line.place);
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

#define TOGETHER (ARN__LANES_INT > 1 ? 64u : 1u)  // values that a search compares side by side

// Defines a search for one of `count` values that equals `one`; `count` where there is none. Goes
// by groups without a branch inside, also over what lies behind the values, up to `room`; the last
// group overlaps the one before.
#define FIND(name, value_type)                                                                  \
  ARN__KERNEL static uint32_t find_##name(const uint8_t *values, uint32_t count, uint32_t room, \
                                          const uint8_t *one) {                                 \
    const value_type *all = (const value_type *)(const void *)values;                           \
    const value_type value = *(const value_type *)(const void *)one;                            \
    uint32_t k = room < TOGETHER ? 0 : count;                                                   \
    for (uint32_t i = 0; i < count && room >= TOGETHER; i += TOGETHER) {                        \
      const uint32_t from = room - i < TOGETHER ? room - TOGETHER : i;                          \
      const value_type *group = all + from;                                                     \
      uint32_t at = TOGETHER;                                                                   \
      ARN__LANES_LOOP for (uint32_t j = 0; j < TOGETHER; j++) {                                 \
        const uint32_t here = group[j] == value ? j : TOGETHER;                                 \
        at = here < at ? here : at;                                                             \
      }                                                                                         \
      if (at < TOGETHER) return from + at < count ? from + at : count;                          \
    }                                                                                           \
    while (k < count && all[k] != value) k++;                                                   \
    return k;                                                                                   \
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

static uint32_t find(const unique_state *s, const uint8_t *values, uint32_t count,
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
