// STABLEHLO_SCATTER: the operand, with a window of updates put into it, or combined with it, for
// each vector of indices, which says where the window begins. Of a window that reaches out, what
// lies outside is passed over, so every index is allowed.
//
// Dimensions of the updates are those of the index vectors ("batch") and those of a window, mixed
// as the options say. Runs whole, in place of the operand.
#include "../graph/rows.h"
#include "stablehlo.h"

enum { WINDOW_DIMS = 1, INSERTED_DIMS = 2, INDEX_MAP = 3, VECTOR_DIM = 4, BODY = 6 };

// A dimension of the operand, and of the window in it; strides in elements.
typedef struct scatter_dim {
  uint32_t dim, size;
  uint32_t update_stride;
} scatter_dim;

// A dimension of the updates that is of the batch; strides in elements.
typedef struct batch_dim {
  uint32_t count, update_stride, index_stride;
} batch_dim;

typedef struct scatter_state {
  uint32_t bytes;    // of the operand
  uint32_t component_stride;
  uint8_t index_type, type, element, body;
  uint8_t rank, batch_rank, components, spare;
  uint8_t map[ARN_MAX_RANK];  // dimension of the operand that a number of an index vector is for
  scatter_dim dims[ARN_MAX_RANK];
  batch_dim batch[ARN_MAX_RANK];
} scatter_state;

// ---- prepare ------------------------------------------------------------------------------------

// Sorts the dimensions of the updates: those in `window` are the next of the operand that is not
// inserted, the others are those of the batch.
static bool sort_dims(scatter_state *s, const arn_tensor *updates, uint32_t window,
                      uint32_t inserted, const arn__shlo_indices *indices) {
  uint32_t next = 0, strides[ARN_MAX_RANK], stride = 1;
  for (uint32_t i = updates->rank; i-- > 0; stride *= (uint32_t)updates->dims[i]) {
    strides[i] = stride;
  }
  for (uint32_t i = 0; i < updates->rank; i++) {
    const uint32_t count = (uint32_t)updates->dims[i];
    if (window >> i & 1u) {
      while (next < s->rank && (inserted >> next & 1u)) next++;
      if (next == s->rank || count > s->dims[next].dim) return false;
      s->dims[next].size = count;
      s->dims[next++].update_stride = strides[i];
    } else {
      const uint32_t k = s->batch_rank;
      if (k == indices->rank || count != (uint32_t)indices->dims[k]) return false;
      s->batch[s->batch_rank++] = (batch_dim){count, strides[i], indices->strides[k]};
    }
  }
  while (next < s->rank && (inserted >> next & 1u)) next++;
  return next == s->rank && s->batch_rank == indices->rank;
}

// Reads a list of dimensions as bits, in ascending order. Fails: OPTION, AXIS.
static arn_status read_dims(const arn_prepare *p, uint32_t id, uint32_t rank, uint32_t *bits) {
  int32_t dims[ARN_MAX_RANK];
  uint32_t count;
  *bits = 0;
  ARN__TRY(arn__shlo_axes(p, id, rank, dims, &count));
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && dims[i] < dims[i - 1]) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
    *bits |= 1u << dims[i];
  }
  return ARN_OK;
}

static arn_status read_map(const arn_prepare *p, scatter_state *s) {
  int32_t map[ARN_MAX_RANK];
  uint32_t count;
  ARN__TRY(arn__shlo_axes(p, INDEX_MAP, s->rank, map, &count));
  if (count != s->components) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  for (uint32_t i = 0; i < count; i++) s->map[i] = (uint8_t)map[i];
  return ARN_OK;
}

static arn_status read_shapes(const arn_prepare *p, scatter_state *s, const arn_tensor *in,
                              const arn_tensor *updates) {
  arn__shlo_indices indices;
  uint32_t window, inserted;
  ARN__TRY(arn__shlo_read_indices(p, arn__shlo_i64(p, VECTOR_DIM, 0), &indices));
  s->rank = in->rank;
  s->index_type = indices.type;
  s->components = indices.components;
  s->component_stride = indices.component_stride;
  for (uint32_t i = 0; i < in->rank; i++) s->dims[i] = (scatter_dim){(uint32_t)in->dims[i], 1, 0};
  ARN__TRY(read_dims(p, WINDOW_DIMS, updates->rank, &window));
  ARN__TRY(read_dims(p, INSERTED_DIMS, in->rank, &inserted));
  ARN__TRY(read_map(p, s));
  return sort_dims(s, updates, window, inserted, &indices)
             ? ARN_OK
             : arn_refuse_model(p, ARN_WHAT_SHAPE, updates);
}

static arn_status read_body(const arn_prepare *p, scatter_state *s, const arn_tensor *in,
                            const arn_tensor *updates, const arn_tensor *out) {
  arn__shlo_body body;
  arn__reducer how;
  ARN__TRY(arn__shlo_read_body(p, arn__shlo_i32(p, BODY, 0), in->type, &body));
  if (body != ARN__SHLO_UPDATE && !arn__shlo_reducer(body, in->type, &how)) {
    return arn_refuse(p, ARN_WHAT_TYPE, in);
  }
  s->body = (uint8_t)body;
  ARN__TRY(arn__shlo_check_scales(p, body, in, updates));
  return arn__shlo_check_scales(p, body, in, out);
}

static arn_status scatter_prepare(arn_prepare *p, void *state) {
  scatter_state *s = state;
  arn_tensor in, updates, out;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn_prepare_input(p, 2, &updates));
  if (updates.type != in.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &updates);
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  ARN__TRY(read_shapes(p, s, &in, &updates));
  ARN__TRY(read_body(p, s, &in, &updates, &out));
  s->type = in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->bytes = updates.bytes > 0 || in.bytes > 0 ? in.bytes : 0;
  p->in_place = 1;
  p->state_bytes = (uint32_t)(offsetof(scatter_state, batch) +
                              s->batch_rank * sizeof s->batch[0]);
  return ARN_OK;
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct job {
  const scatter_state *s;
  arn__reducer how;
  const void *indices;
  const uint8_t *updates;
  uint8_t *out;
} job;

// The part of a window that lies inside: `count` places on each dimension, from element `to` of the
// operand and `from` of the updates on.
typedef struct inside {
  uint32_t count[ARN_MAX_RANK], stride[ARN_MAX_RANK];
  uint32_t to, from;
} inside;

// Puts `count` elements into the operand.
static void put_run(const job *j, uint32_t to, uint32_t from, uint32_t count) {
  const uint32_t element = j->s->element;
  uint8_t *target = j->out + to * element;
  const uint8_t *source = j->updates + from * element;
  if (j->s->body == ARN__SHLO_UPDATE) {
    arn__move_run(target, source, count * element);
  } else {
    const arn__reduce_box box = {.outer = 1, .rows = 1, .inner = count, .run = 1};
    j->how.fold(target, source, &box);
  }
}

// Cuts a window off where it reaches out of the operand; false where nothing is left.
static bool cut_window(const job *j, uint32_t vector, inside *w) {
  const scatter_state *s = j->s;
  int32_t starts[ARN_MAX_RANK] = {0};
  uint32_t stride = 1;
  for (uint32_t i = 0; i < s->components; i++) {
    starts[s->map[i]] =
        arn__index_at(j->indices, s->index_type, vector + i * s->component_stride);
  }
  w->to = 0;
  for (uint32_t i = s->rank; i-- > 0; stride *= s->dims[i].dim) {
    const scatter_dim d = s->dims[i];
    const int64_t first = starts[i] < 0 ? 0 : starts[i], end = (int64_t)starts[i] + d.size;
    const int64_t count = (end < d.dim ? end : d.dim) - first;
    if (count <= 0) return false;
    w->count[i] = (uint32_t)count;
    w->stride[i] = stride;
    w->to += (uint32_t)first * stride;
    w->from += (uint32_t)(first - starts[i]) * d.update_stride;
  }
  return true;
}

static void put_window(const job *j, const inside *w) {
  const scatter_state *s = j->s;
  const uint32_t last = s->rank > 0 ? s->rank - 1u : 0;
  const bool runs = s->rank > 0 && s->dims[last].update_stride == 1;
  const uint32_t run = runs ? w->count[last] : 1, outer = runs ? last : s->rank;
  uint32_t turns = 1;
  for (uint32_t i = 0; i < outer; i++) turns *= w->count[i];
  for (uint32_t turn = 0; turn < turns; turn++) {
    uint32_t rest = turn, to = w->to, from = w->from;
    for (uint32_t i = outer; i-- > 0; rest /= w->count[i]) {
      const uint32_t k = rest % w->count[i];
      to += k * w->stride[i];
      from += k * s->dims[i].update_stride;
    }
    put_run(j, to, from, run);
  }
}

static arn_status scatter_eval(const arn_eval *e, const void *state) {
  const scatter_state *s = state;
  const void *operand = arn_eval_in(e, 0);
  job j = {.s = s,
           .indices = arn_eval_in(e, 1),
           .updates = arn_eval_in(e, 2),
           .out = arn_eval_out(e, 0)};
  uint32_t vectors = 1;
  if (s->bytes == 0) return ARN_OK;
  (void)arn__shlo_reducer((arn__shlo_body)s->body, s->type, &j.how);
  if (operand != j.out) memcpy(j.out, operand, s->bytes);
  for (uint32_t i = 0; i < s->batch_rank; i++) vectors *= s->batch[i].count;
  for (uint32_t n = 0; n < vectors; n++) {
    inside w = {.from = 0};
    uint32_t rest = n, vector = 0;
    for (uint32_t i = s->batch_rank; i-- > 0; rest /= s->batch[i].count) {
      const uint32_t k = rest % s->batch[i].count;
      vector += k * s->batch[i].index_stride;
      w.from += k * s->batch[i].update_stride;
    }
    if (cut_window(&j, vector, &w)) put_window(&j, &w);
  }
  return ARN_OK;
}

const arn_op arn_op_stablehlo_scatter = {
    .name = "STABLEHLO_SCATTER",
    .code = 190,
    .state_bytes = sizeof(scatter_state),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = scatter_prepare,
    .eval = scatter_eval,
};
