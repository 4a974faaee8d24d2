// EMBEDDING_LOOKUP: out[i] = table[ids[i]], raw where types agree, dequantised where the table is
// of integers or float16 and the output of floats. An id outside the table is a data error.
//
// Rows. A single embedding, [1,H,...], is copied row by row.
#include "../graph/rows.h"
#include "../kernels/widen.h"
#include "arenite/ops.h"
#include "quantised.h"

enum { IDS = 0, TABLE = 1 };

typedef struct embedding_lookup {
  uint32_t rows, row_count;  // of the table: embeddings, elements of one
  uint32_t pieces;           // of all outputs; a piece is a row of the output
  uint32_t piece;            // elements of one
  uint32_t scales_at;        // of the table; 0: none
  int16_t zero;
  uint8_t is_per_row;        // a scale a row of the table
  uint8_t whole;
  uint8_t table_type, out_type;
} embedding_lookup;

// ---- prepare -----------------------------------------------------------------------------------

typedef struct tensors {
  arn_tensor ids, table, out;
} tensors;

static arn_status check_shapes(const arn_prepare *p, const tensors *t, embedding_lookup *s) {
  if (t->ids.rank != 1) return arn_refuse(p, ARN_WHAT_RANK, &t->ids);
  if (t->table.rank < 2) return arn_refuse(p, ARN_WHAT_RANK, &t->table);
  if (t->out.rank != t->table.rank) return arn_refuse(p, ARN_WHAT_RANK, &t->out);
  if (t->table.dims[0] == 0) return arn_refuse(p, ARN_WHAT_SHAPE, &t->table);
  if (t->out.dims[0] != t->ids.dims[0]) return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  for (uint32_t i = 1; i < t->table.rank; i++) {
    if (t->out.dims[i] != t->table.dims[i]) return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  }
  s->rows = (uint32_t)t->table.dims[0];
  s->row_count = t->table.count / s->rows;
  return ARN_OK;
}

static bool can_dequantise(uint32_t type) {
  return type == ARN_INT8 || type == ARN_UINT8 || type == ARN_INT16 || type == ARN_INT4 ||
         type == ARN_FLOAT16;
}

static arn_status prepare_scales(const arn_prepare *p, const arn_tensor *table,
                                 embedding_lookup *s) {
  float scale;
  int32_t zero = 0;
  s->scales_at = table->scales_at;
  s->is_per_row = table->scale_count > 1;
  if (!s->is_per_row) {
    const arn_status status = arn__quantised_read(p, table, &scale, &zero);
    s->zero = (int16_t)zero;
    return status;
  }
  if (table->scale_count != s->rows || table->quantised_axis != 0) {
    return arn_refuse(p, ARN_WHAT_QUANTISATION, table);
  }
  for (uint32_t i = 0; i < table->zero_count; i++) {
    if (arn_tensor_zero(p->model, table, i) != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, table);
  }
  return ARN_OK;
}

static arn_status check_types(const arn_prepare *p, const tensors *t, embedding_lookup *s) {
  s->table_type = t->table.type;
  s->out_type = t->out.type;
  if (t->ids.type != ARN_INT32) return arn_refuse(p, ARN_WHAT_TYPE, &t->ids);
  if (t->table.flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, &t->table);
  if (s->table_type == s->out_type) {
    const bool has_size = arn_type_bytes((arn_type)s->out_type) > 0 && s->out_type != ARN_INT4;
    return has_size ? ARN_OK : arn_refuse(p, ARN_WHAT_TYPE, &t->table);
  }
  if (s->out_type != ARN_FLOAT32 || !can_dequantise(s->table_type)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  }
  return s->table_type == ARN_FLOAT16 ? ARN_OK : prepare_scales(p, &t->table, s);
}

static void set_rows(arn_prepare *p, const tensors *t, embedding_lookup *s) {
  const arn__rows_shape out = arn__rows_of(&t->out);
  if (out.rows > 1 && (t->table.flags & ARN_TENSOR_CONST)) {
    p->work = ARN_ROWS;
    p->rows = s->pieces = out.rows;
    s->piece = out.row_count;
    return;
  }
  s->whole = 1;
  s->pieces = (uint32_t)t->ids.dims[0];
  s->piece = s->row_count;
}

static arn_status prepare(arn_prepare *p, void *state) {
  embedding_lookup *s = state;
  tensors t;
  arn_status status = arn_prepare_counts(p, 2, 2, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, IDS, &t.ids);
  if (status == ARN_OK) status = arn_prepare_input(p, TABLE, &t.table);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t.out);
  if (status == ARN_OK) status = check_shapes(p, &t, s);
  if (status == ARN_OK) status = check_types(p, &t, s);
  if (status != ARN_OK) return status;
  set_rows(p, &t, s);
  return ARN_OK;
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  (void)out;
  *in = (arn_span){0, 1};
}

// ---- eval --------------------------------------------------------------------------------------

static void dequantise(const embedding_lookup *s, const void *table, uint32_t at, float *out) {
  const uint32_t n = s->piece;
  int8_t nibbles[64];
  switch (s->table_type) {
    case ARN_FLOAT16: arn__widen_f16_f32(out, (const uint16_t *)table + at, n); break;
    case ARN_INT8: arn__widen_s8_f32(out, (const int8_t *)table + at, n, s->zero); break;
    case ARN_UINT8: arn__widen_u8_f32(out, (const uint8_t *)table + at, n, s->zero); break;
    case ARN_INT16: arn__widen_s16_f32(out, (const int16_t *)table + at, n, s->zero); break;
    default:
      for (uint32_t i = 0; i < n; i += sizeof nibbles) {
        const uint32_t count = n - i < sizeof nibbles ? n - i : (uint32_t)sizeof nibbles;
        arn__widen_s4_s8(nibbles, table, at + i, count);
        arn__widen_s8_f32(out + i, nibbles, count, s->zero);
      }
      break;
  }
}

static void copy_piece(const arn_eval *e, const embedding_lookup *s, const uint8_t *table,
                       uint32_t row, uint32_t offset, uint8_t *out) {
  const uint32_t at = row * s->row_count + offset;
  const uint32_t es = arn_type_bytes((arn_type)s->out_type);
  float scale;
  if (s->table_type == s->out_type) {
    memcpy(out, table + (size_t)at * es, s->piece * es);
    return;
  }
  dequantise(s, table, at, (float *)(void *)out);
  if (s->scales_at == 0) return;
  memcpy(&scale, e->model->bytes + s->scales_at + (s->is_per_row ? 4 * row : 0), sizeof scale);
  arn__widen_scale_f32((float *)(void *)out, s->piece, scale);
}

static arn_status eval(const arn_eval *e, const void *state) {
  const embedding_lookup *s = state;
  const uint8_t *table = arn_eval_in(e, TABLE);
  const arn_rows ids = arn_eval_input(e, IDS, 0);
  const arn_rows out = arn_eval_output(e, 0, s->piece * arn_type_bytes((arn_type)s->out_type));
  const arn_span span = s->whole ? (arn_span){0, s->pieces} : e->span;
  for (uint32_t i = span.first; i < span.first + span.count; i++) {
    int32_t id;
    memcpy(&id, arn_row(&ids, 0) + (s->whole ? 4 * i : 0), sizeof id);
    if (id < 0 || (uint32_t)id >= s->rows) {
      return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, s->rows, (uint32_t)id);
    }
    copy_piece(e, s, table, (uint32_t)id, s->whole ? 0 : i * s->piece, arn_row(&out, i));
  }
  return ARN_OK;
}

const arn_op arn_op_embedding_lookup = {
    .name = "EMBEDDING_LOOKUP",
    .code = 7,
    .state_bytes = sizeof(embedding_lookup),
    .types = ARN_TYPE_BIT(ARN_INT32),
    .folds = 1u << TABLE,
    .prepare = prepare,
    .rows = rows,
    .eval = eval,
};
