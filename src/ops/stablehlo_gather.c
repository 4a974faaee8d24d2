// STABLEHLO_GATHER: a slice of the operand for each vector of indices, which says where it begins.
// A slice that would reach out is pushed back inside: every index is allowed.
//
// Dimensions of the output are those of the index vectors ("batch") and those of a slice, mixed as
// the options say. The output may be cut into rows along either; any row of the operand is read.
#include "../graph/rows.h"
#include "stablehlo.h"

enum { OFFSET_DIMS = 0, COLLAPSED_DIMS = 1, INDEX_MAP = 2, VECTOR_DIM = 3, SLICE_SIZES = 4 };

// One dimension of the output: bytes in it, and in the operand or, of a batch dimension, elements
// of the index tensor, from one element to the next.
typedef struct gather_dim {
  uint32_t count, target, source;
} gather_dim;

// What one number of an index vector moves.
typedef struct gather_start {
  uint32_t stride;  // bytes of the operand
  uint32_t most;    // the last place to begin at
} gather_start;

typedef struct gather_state {
  uint32_t in_row_bytes, out_row_bytes, in_rows;
  uint32_t component_stride;
  uint8_t index_type, element;
  uint8_t rank, components;
  uint8_t batch;     // bit i: dimension i is of the batch
  uint8_t row_dim;   // that the rows run along; rank: none
  uint16_t spare;
  gather_dim dims[ARN_MAX_RANK];
  gather_start starts[ARN_MAX_RANK];
} gather_state;

// ---- prepare ------------------------------------------------------------------------------------

static arn_status read_starts(const arn_prepare *p, gather_state *s, const arn_tensor *in,
                              const int32_t *sizes) {
  int32_t map[ARN_MAX_RANK];
  uint32_t count;
  ARN__TRY(arn__shlo_axes(p, INDEX_MAP, in->rank, map, &count));
  if (count != s->components) return arn_refuse_model(p, ARN_WHAT_OPTION, in);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t axis = (uint32_t)map[i];
    s->starts[i].stride = arn__movement_product(in, axis + 1, in->rank) * s->element;
    s->starts[i].most = (uint32_t)(in->dims[axis] - sizes[axis]);
  }
  return ARN_OK;
}

// Makes dimension `axis` of the slice the next of the output; false where there is none for it.
static bool take_slice_dim(gather_state *s, const arn_tensor *in, uint32_t axis, int32_t size,
                           uint32_t *next) {
  while (*next < s->rank && ((uint32_t)s->batch >> *next & 1u)) ++*next;
  if (*next == s->rank || s->dims[*next].count != (uint32_t)size) return false;
  s->dims[(*next)++].source = arn__movement_product(in, axis + 1, in->rank) * s->element;
  return true;
}

static arn_status read_slice(const arn_prepare *p, gather_state *s, const arn_tensor *in,
                             int32_t *sizes) {
  int32_t collapsed[ARN_MAX_RANK], offsets[ARN_MAX_RANK];
  uint32_t count, offset_count, next = 0, dropped = 0;
  ARN__TRY(arn__shlo_numbers(p, SLICE_SIZES, in->rank, 0, -1, sizes));
  ARN__TRY(arn__shlo_axes(p, COLLAPSED_DIMS, in->rank, collapsed, &count));
  ARN__TRY(arn__shlo_axes(p, OFFSET_DIMS, s->rank, offsets, &offset_count));
  for (uint32_t i = 0; i < count; i++) dropped |= 1u << collapsed[i];
  s->batch = (uint8_t)((1u << s->rank) - 1);
  for (uint32_t i = 0; i < offset_count; i++) {
    if (i > 0 && offsets[i] < offsets[i - 1]) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
    s->batch = (uint8_t)(s->batch & ~(1u << offsets[i]));
  }
  if (offset_count + count != in->rank) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  for (uint32_t i = 0; i < in->rank; i++) {
    if (sizes[i] > in->dims[i]) return arn_refuse_model(p, ARN_WHAT_OPTION, in);
    const bool fits =
        dropped >> i & 1u ? sizes[i] == 1 : take_slice_dim(s, in, i, sizes[i], &next);
    if (!fits) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  }
  return ARN_OK;
}

// The other dimensions of the output are those of the batch.
static bool take_batch(gather_state *s, const arn__shlo_indices *indices) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < s->rank; i++) {
    if (!((uint32_t)s->batch >> i & 1u)) continue;
    if (next == indices->rank || s->dims[i].count != (uint32_t)indices->dims[next]) return false;
    s->dims[i].source = indices->strides[next++];
  }
  return next == indices->rank;
}

static void set_rows(arn_prepare *p, gather_state *s, const arn_tensor *in, const arn_tensor *out,
                     bool is_flat) {
  s->row_dim = s->rank;
  if (is_flat) arn__movement_by_rows(p, out);
  if (p->work == ARN_ROWS && p->rows > 1) s->row_dim = (uint8_t)arn__rows_of(out).axis;
  s->in_row_bytes = arn__rows_bytes(in);
  s->in_rows = arn__rows_of(in).rows;
  s->out_row_bytes = out->bytes / (p->rows > 0 ? p->rows : 1);
}

static arn_status gather_prepare(arn_prepare *p, void *state) {
  gather_state *s = state;
  arn_tensor in, out;
  arn__shlo_indices indices;
  int32_t sizes[ARN_MAX_RANK];
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__shlo_read_indices(p, arn__shlo_i64(p, VECTOR_DIM, 0), &indices));
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->rank = out.rank;
  s->index_type = indices.type;
  s->components = indices.components;
  s->component_stride = indices.component_stride;
  uint32_t target = s->element;
  for (uint32_t i = out.rank; i-- > 0; target *= s->dims[i].count) {
    s->dims[i] = (gather_dim){(uint32_t)out.dims[i], target, 0};
  }
  ARN__TRY(read_slice(p, s, &in, sizes));
  ARN__TRY(read_starts(p, s, &in, sizes));
  if (!take_batch(s, &indices)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  set_rows(p, s, &in, &out, indices.is_flat);
  p->state_bytes = (uint32_t)(offsetof(gather_state, starts) +
                              s->components * sizeof s->starts[0]);
  return ARN_OK;
}

static void gather_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)out;
  *in = (arn_span){0, input == 0 ? ((const gather_state *)state)->in_rows : 1};
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct job {
  const gather_state *s;
  const void *indices;
  arn_rows in;
  arn__block slice;  // of an output row
  uint32_t batches;  // index vectors for a row
} job;

// Lists the dimensions of a slice, of one output row, and counts the batch.
static void job_open(job *j) {
  const gather_state *s = j->s;
  arn__block *b = &j->slice;
  *b = (arn__block){.run = s->element};
  j->batches = 1;
  for (uint32_t i = s->rank; i-- > 0;) {
    const gather_dim d = s->dims[i];
    if (i == s->row_dim || d.count == 1) continue;
    if (s->batch >> i & 1u) {
      j->batches *= d.count;
    } else if (b->loops == 0 && d.source == b->run && d.target == b->run) {
      b->run *= d.count;
    } else {
      b->loop[b->loops++] = (arn__block_loop){d.count, (int32_t)d.source, (int32_t)d.target};
    }
  }
}

// Byte of the operand where the slice of an index vector begins.
static uint32_t find_start(const job *j, uint32_t vector) {
  const gather_state *s = j->s;
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->components; i++) {
    const uint32_t number = vector + i * s->component_stride;
    const int32_t given = arn__index_at(j->indices, s->index_type, number);
    const uint32_t start = given < 0 ? 0 : (uint32_t)given, most = s->starts[i].most;
    at += (start < most ? start : most) * s->starts[i].stride;
  }
  return at;
}

// Copies a slice, across the rows of the operand where these are scattered.
static void copy_slice(const job *j, uint8_t *target, uint32_t from) {
  const arn__block *b = &j->slice;
  if (j->in.table == NULL) {
    arn__move_block(target, j->in.base + from, b);
    return;
  }
  uint32_t turns = 1;
  for (uint32_t i = 0; i < b->loops; i++) turns *= b->loop[i].count;
  for (uint32_t turn = 0; turn < turns; turn++) {
    uint32_t rest = turn, source = from, to = 0;
    for (uint32_t i = 0; i < b->loops; rest /= b->loop[i++].count) {
      const uint32_t k = rest % b->loop[i].count;
      source += k * (uint32_t)b->loop[i].source;
      to += k * (uint32_t)b->loop[i].target;
    }
    const arn_rows run = {target + to, NULL, b->run};
    arn__movement_copy(&run, 0, &j->in, source, b->run);
  }
}

static void gather_row(const job *j, uint32_t row, uint8_t *target) {
  const gather_state *s = j->s;
  const bool batch_row = s->row_dim < s->rank && (s->batch >> s->row_dim & 1u);
  const uint32_t moved = s->row_dim < s->rank ? row * s->dims[s->row_dim].source : 0;
  for (uint32_t n = 0; n < j->batches; n++) {
    uint32_t rest = n, vector = batch_row ? moved : 0, to = 0;
    for (uint32_t i = s->rank; i-- > 0;) {
      const gather_dim d = s->dims[i];
      if (i == s->row_dim || !(s->batch >> i & 1u)) continue;
      const uint32_t k = rest % d.count;
      rest /= d.count;
      vector += k * d.source;
      to += k * d.target;
    }
    copy_slice(j, target + to, find_start(j, vector) + (batch_row ? 0 : moved));
  }
}

static arn_status gather_eval(const arn_eval *e, const void *state) {
  const gather_state *s = state;
  const arn_rows out = arn_eval_output(e, 0, s->out_row_bytes);
  job j = {.s = s, .indices = arn_eval_in(e, 1), .in = arn_eval_input(e, 0, s->in_row_bytes)};
  if (s->out_row_bytes == 0) return ARN_OK;
  job_open(&j);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    gather_row(&j, r, arn_row(&out, r));
  }
  return ARN_OK;
}

const arn_op arn_op_stablehlo_gather = {
    .name = "STABLEHLO_GATHER",
    .code = 201,
    .state_bytes = sizeof(gather_state),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = gather_prepare,
    .rows = gather_rows,
    .eval = gather_eval,
};
