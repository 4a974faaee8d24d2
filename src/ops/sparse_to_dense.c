// SPARSE_TO_DENSE: one value everywhere, and given values at given places; HASHTABLE_LOOKUP: rows
// of a table by sorted keys, and whether each was there.
#include "movement.h"

// ---- SPARSE_TO_DENSE ----------------------------------------------------------------------------

// Inputs: indices [places][tuple], shape, values [places] or a single one, the value elsewhere.
enum { INDICES = 0, SHAPE = 1, VALUES = 2, ELSEWHERE = 3, SPARSE_INPUTS = 4 };

typedef struct sparse {
  uint32_t places, count;  // count: elements of the output
  uint8_t element, index_type, shape_type;
  uint8_t rank;
  uint8_t late;            // the shape comes at run time
  uint8_t single;          // one value for all places
  uint8_t spare[2];
  int32_t dims[ARN_MAX_RANK];
} sparse;

static bool has_shape(const sparse *s, const void *shape) {
  for (uint32_t i = 0; i < s->rank; i++) {
    if (arn__index_at(shape, s->shape_type, i) != s->dims[i]) return false;
  }
  return true;
}

// Indices are one position, positions in a vector, or a matrix of positions.
static bool read_places(sparse *s, const arn_tensor *indices) {
  if (indices->rank > 2) return false;
  s->places = indices->rank == 0 ? 1 : (uint32_t)indices->dims[0];
  return s->rank == (indices->rank < 2 ? 1 : indices->dims[1]);
}

static arn_status check_values(const arn_prepare *p, sparse *s, const arn_tensor *out) {
  arn_tensor values, elsewhere;
  ARN__TRY(arn_prepare_input(p, VALUES, &values));
  ARN__TRY(arn_prepare_input(p, ELSEWHERE, &elsewhere));
  if (values.type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &values);
  if (elsewhere.type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &elsewhere);
  if (elsewhere.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &elsewhere);
  s->single = values.rank == 0;
  if (values.rank > 1 || (!s->single && values.count != s->places)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &values);
  }
  return ARN_OK;
}

static arn_status sparse_prepare(arn_prepare *p, void *state) {
  sparse *s = state;
  arn_tensor indices, out;
  arn__index shape;
  ARN__TRY(arn_prepare_counts(p, SPARSE_INPUTS, SPARSE_INPUTS, 1));
  ARN__TRY(arn_prepare_input(p, INDICES, &indices));
  ARN__TRY(arn__movement_index(p, SHAPE, &shape));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> indices.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &indices);
  if (!(ARN__MOVEMENT_TYPES >> out.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  s->index_type = indices.type;
  s->shape_type = shape.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  s->count = out.count;
  s->rank = out.rank;
  memcpy(s->dims, out.dims, sizeof s->dims);
  s->late = shape.data == NULL && shape.count > 0;
  if (shape.count != out.rank || (!s->late && !has_shape(s, shape.data))) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  if (!read_places(s, &indices)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &indices);
  p->state_bytes = (uint32_t)offsetof(sparse, dims) + 4u * out.rank;
  return check_values(p, s, &out);
}

static arn_status sparse_eval(const arn_eval *e, const void *state) {
  const sparse *s = state;
  const void *indices = arn_eval_in(e, INDICES);
  const uint8_t *values = arn_eval_in(e, VALUES);
  uint8_t *out = arn_eval_out(e, 0);
  if (s->late && !has_shape(s, arn_eval_in(e, SHAPE))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  if (s->count > 0) arn__move_fill(out, arn_eval_in(e, ELSEWHERE), s->element, s->count);
  for (uint32_t k = 0; k < s->places; k++) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->rank; i++) {
      const int32_t index = arn__index_at(indices, s->index_type, k * s->rank + i);
      if (index < 0 || index >= s->dims[i]) {
        return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, (uint32_t)s->dims[i], (uint32_t)index);
      }
      at = at * (uint32_t)s->dims[i] + (uint32_t)index;
    }
    memcpy(out + at * s->element, values + (s->single ? 0 : k) * s->element, s->element);
  }
  return ARN_OK;
}

// ---- HASHTABLE_LOOKUP ---------------------------------------------------------------------------

// Inputs: what is looked up [lookups], keys in ascending order [keys], their rows [keys, ...].
// Outputs: rows [lookups, ...], 0 where there is no such key, and whether there is [lookups].
typedef struct table {
  uint32_t lookups, keys, row_bytes;
} table;

static arn_status check_keys(const arn_prepare *p, uint32_t input, uint32_t *count) {
  arn_tensor t;
  ARN__TRY(arn_prepare_input(p, input, &t));
  if (t.type != ARN_INT32) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (t.rank != 1) return arn_refuse_model(p, ARN_WHAT_RANK, &t);
  *count = t.count;
  return ARN_OK;
}

static arn_status check_rows(const arn_prepare *p, const table *s, const arn_tensor *rows,
                             const arn_tensor *out) {
  bool fits = rows->rank >= 1 && rows->rank == out->rank && (uint32_t)rows->dims[0] == s->keys &&
              (uint32_t)out->dims[0] == s->lookups;
  for (uint32_t i = 1; fits && i < rows->rank; i++) fits = rows->dims[i] == out->dims[i];
  return fits ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, out);
}

static arn_status table_prepare(arn_prepare *p, void *state) {
  table *s = state;
  arn_tensor rows, out, hits;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 2));
  ARN__TRY(check_keys(p, 0, &s->lookups));
  ARN__TRY(check_keys(p, 1, &s->keys));
  ARN__TRY(arn_prepare_input(p, 2, &rows));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  ARN__TRY(arn_prepare_output(p, 1, &hits));
  if (!(ARN__MOVEMENT_TYPES >> rows.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &rows);
  if (rows.type != out.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &out);
  if (hits.type != ARN_UINT8) return arn_refuse(p, ARN_WHAT_TYPE, &hits);
  if (hits.rank != 1 || hits.count != s->lookups) return arn_refuse_model(p, ARN_WHAT_SHAPE, &hits);
  ARN__TRY(check_rows(p, s, &rows, &out));
  s->row_bytes = arn__movement_product(&rows, 1, rows.rank) * arn_type_bytes((arn_type)rows.type);
  return ARN_OK;
}

// Returns the position of a key, or `count`.
static uint32_t find_key(const int32_t *keys, uint32_t count, int32_t key) {
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low < count && keys[low] == key ? low : count;
}

static arn_status table_eval(const arn_eval *e, const void *state) {
  const table *s = state;
  const int32_t *lookups = arn_eval_in(e, 0), *keys = arn_eval_in(e, 1);
  const uint8_t *rows = arn_eval_in(e, 2);
  uint8_t *out = arn_eval_out(e, 0), *hits = arn_eval_out(e, 1);
  for (uint32_t i = 0; i < s->lookups; i++) {
    const uint32_t at = find_key(keys, s->keys, lookups[i]);
    if (hits) hits[i] = at < s->keys;
    if (out == NULL || s->row_bytes == 0) continue;
    if (at < s->keys) {
      memcpy(out + i * s->row_bytes, rows + at * s->row_bytes, s->row_bytes);
    } else {
      memset(out + i * s->row_bytes, 0, s->row_bytes);
    }
  }
  return ARN_OK;
}

// ---- records ------------------------------------------------------------------------------------

const arn_op arn_op_sparse_to_dense = {
    .name = "SPARSE_TO_DENSE",
    .code = 68,
    .state_bytes = sizeof(sparse),
    .types = ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64),
    .prepare = sparse_prepare,
    .eval = sparse_eval,
};

const arn_op arn_op_hashtable_lookup = {
    .name = "HASHTABLE_LOOKUP",
    .code = 10,
    .state_bytes = sizeof(table),
    .types = ARN_TYPE_BIT(ARN_INT32),
    .prepare = table_prepare,
    .eval = table_eval,
};
