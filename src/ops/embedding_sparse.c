// EMBEDDING_LOOKUP_SPARSE: weighted sums of a table's rows, each into the place of the output that
// its index names; the sum, or the mean, or the sum over the root of the weights' squares.
#include <math.h>

#include "movement.h"

enum { IDS = 0, INDICES = 1, SHAPE = 2, WEIGHTS = 3, TABLE = 4, INPUTS = 5 };
enum { COMBINER = 0, MEAN = 1, ROOT = 2 };

typedef struct sparse_lookup {
  uint32_t lookups, places;  // places: sums in the output
  uint32_t rows, columns;    // of the table
  uint8_t rank;              // of an index
  uint8_t combiner;
  uint8_t late;              // the shape comes at run time
  uint8_t spare;
  int32_t dims[ARN_MAX_RANK];  // of the places: the last dimension of an index tells entries apart
} sparse_lookup;

static arn_status check_type(const arn_prepare *p, uint32_t input, uint32_t type, arn_tensor *t) {
  ARN__TRY(arn_prepare_input(p, input, t));
  return t->type == type ? ARN_OK : arn_refuse(p, ARN_WHAT_TYPE, t);
}

// The output is the first dimensions of the sparse tensor, then those of a row.
static arn_status check_output(const arn_prepare *p, sparse_lookup *s, const arn_tensor *table,
                               const arn_tensor *out) {
  const uint32_t outer = s->rank - 1u;
  bool fits = out->type == ARN_FLOAT32 && out->rank == outer + table->rank - 1u;
  for (uint32_t i = 1; fits && i < table->rank; i++) {
    fits = out->dims[outer + i - 1] == table->dims[i];
  }
  if (!fits) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  memcpy(s->dims, out->dims, outer * sizeof s->dims[0]);
  s->places = arn__movement_product(out, 0, outer);
  s->columns = arn__movement_product(table, 1, table->rank);
  return ARN_OK;
}

static bool has_shape(const sparse_lookup *s, const void *shape) {
  for (uint32_t i = 0; i + 1 < s->rank; i++) {
    if (arn__index_at(shape, ARN_INT32, i) != s->dims[i]) return false;
  }
  return true;
}

static arn_status check_indices(const arn_prepare *p, sparse_lookup *s) {
  arn_tensor ids, indices, shape, weights;
  ARN__TRY(check_type(p, IDS, ARN_INT32, &ids));
  ARN__TRY(check_type(p, INDICES, ARN_INT32, &indices));
  ARN__TRY(check_type(p, SHAPE, ARN_INT32, &shape));
  ARN__TRY(check_type(p, WEIGHTS, ARN_FLOAT32, &weights));
  if (ids.rank != 1) return arn_refuse_model(p, ARN_WHAT_RANK, &ids);
  if (indices.rank != 2) return arn_refuse_model(p, ARN_WHAT_RANK, &indices);
  s->lookups = ids.count;
  const int32_t rank = indices.dims[1];
  if (rank < 1 || rank > ARN_MAX_RANK) return arn_refuse_model(p, ARN_WHAT_SHAPE, &indices);
  s->rank = (uint8_t)rank;
  if (shape.rank != 1 || shape.dims[0] != rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &shape);
  if ((uint32_t)indices.dims[0] != s->lookups) return arn_refuse_model(p, ARN_WHAT_SHAPE, &indices);
  if (weights.rank != 1 || weights.count != s->lookups) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &weights);
  }
  return ARN_OK;
}

static arn_status prepare(arn_prepare *p, void *state) {
  sparse_lookup *s = state;
  arn_tensor table, out, shape;
  const int32_t combiner = arn_option_i8(p, COMBINER, 0);
  ARN__TRY(arn_prepare_counts(p, INPUTS, INPUTS, 1));
  ARN__TRY(check_indices(p, s));
  ARN__TRY(check_type(p, TABLE, ARN_FLOAT32, &table));
  ARN__TRY(arn_prepare_input(p, SHAPE, &shape));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (combiner < 0 || combiner > ROOT) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  if (table.rank < 1 || table.dims[0] < 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &table);
  s->combiner = (uint8_t)combiner;
  s->rows = (uint32_t)table.dims[0];
  ARN__TRY(check_output(p, s, &table, &out));
  const void *data = arn_tensor_data(p->model, &shape);
  s->late = data == NULL;
  return s->late || has_shape(s, data) ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
}

// Returns the place that entry `k` is added to; `places` where its index is outside.
static uint32_t place_of(const sparse_lookup *s, const int32_t *indices, uint32_t k) {
  uint32_t place = 0;
  for (uint32_t i = 0; i + 1 < s->rank; i++) {
    const int32_t index = indices[k * s->rank + i];
    if (index < 0 || index >= s->dims[i]) return s->places;
    place = place * (uint32_t)s->dims[i] + (uint32_t)index;
  }
  return place;
}

// What the sum at a place is divided by; 1 where nothing is.
static float divisor_of(const arn_eval *e, const sparse_lookup *s, uint32_t place) {
  const int32_t *indices = arn_eval_in(e, INDICES);
  const float *weights = arn_eval_in(e, WEIGHTS);
  float sum = 0.0f, squares = 0.0f;
  for (uint32_t k = 0; k < s->lookups; k++) {
    if (place_of(s, indices, k) != place) continue;
    sum += weights[k];
    squares += weights[k] * weights[k];
  }
  const float divisor = s->combiner == MEAN ? sum : s->combiner == ROOT ? sqrtf(squares) : 1.0f;
  return divisor != 0.0f ? divisor : 1.0f;
}

static arn_status add_rows(const arn_eval *e, const sparse_lookup *s, float *out) {
  const int32_t *ids = arn_eval_in(e, IDS), *indices = arn_eval_in(e, INDICES);
  const float *weights = arn_eval_in(e, WEIGHTS), *table = arn_eval_in(e, TABLE);
  for (uint32_t k = 0; k < s->lookups; k++) {
    const uint32_t place = place_of(s, indices, k), id = (uint32_t)ids[k];
    if (place >= s->places) return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, s->places, place);
    if (id >= s->rows) return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, s->rows, id);
    const float *row = table + id * s->columns;
    float *to = out + place * s->columns;
    for (uint32_t i = 0; i < s->columns; i++) to[i] += weights[k] * row[i];
  }
  return ARN_OK;
}

static arn_status eval(const arn_eval *e, const void *state) {
  const sparse_lookup *s = state;
  float *out = arn_eval_out(e, 0);
  if (s->late && !has_shape(s, arn_eval_in(e, SHAPE))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  if (s->places * s->columns == 0) return ARN_OK;
  memset(out, 0, s->places * s->columns * sizeof *out);
  ARN__TRY(add_rows(e, s, out));
  for (uint32_t place = 0; place < s->places && s->combiner != 0; place++) {
    const float divisor = divisor_of(e, s, place);
    for (uint32_t i = 0; i < s->columns; i++) out[place * s->columns + i] /= divisor;
  }
  return ARN_OK;
}

const arn_op arn_op_embedding_lookup_sparse = {
    .name = "EMBEDDING_LOOKUP_SPARSE",
    .code = 33,
    .state_bytes = sizeof(sparse_lookup),
    .types = ARN_TYPE_BIT(ARN_INT32),
    .prepare = prepare,
    .eval = eval,
};
