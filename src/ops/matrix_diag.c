// MATRIX_DIAG: vectors become the diagonals of matrices of zeros. MATRIX_SET_DIAG: the diagonals of
// matrices are replaced.
#include "movement.h"

typedef struct diagonal_state {
  uint32_t matrices, height, width;
  uint32_t element;
} diagonal_state;

// Reads the matrix tensor, checks that vector tensor `v` holds its diagonals.
static arn_status read_matrices(const arn_prepare *p, diagonal_state *s, const arn_tensor *v,
                                const arn_tensor *m) {
  if (m->rank < 2 || v->rank + 1 != m->rank) return arn_refuse_model(p, ARN_WHAT_RANK, m);
  s->matrices = arn__movement_product(m, 0, m->rank - 2u);
  s->height = (uint32_t)m->dims[m->rank - 2];
  s->width = (uint32_t)m->dims[m->rank - 1];
  s->element = arn_type_bytes((arn_type)m->type);
  const uint32_t length = s->height < s->width ? s->height : s->width;
  const bool same = memcmp(v->dims, m->dims, (m->rank - 2u) * sizeof m->dims[0]) == 0;
  if (!same || (uint32_t)v->dims[v->rank - 1] != length) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, v);
  }
  return ARN_OK;
}

static void set_diagonals(const diagonal_state *s, uint8_t *matrices, const uint8_t *vectors) {
  const uint32_t length = s->height < s->width ? s->height : s->width;
  const uint32_t row = s->width * s->element, step = row + s->element;
  for (uint32_t i = 0; i < s->matrices; i++) {
    const arn__block diagonal = {
        s->element, 1, {{length, (int32_t)s->element, (int32_t)step}}};
    if (length == 0) return;
    arn__move_block(matrices, vectors, &diagonal);
    matrices += s->height * row;
    vectors += length * s->element;
  }
}

static uint32_t bytes_of(const diagonal_state *s) {
  return s->matrices * s->height * s->width * s->element;
}

static arn_status matrix_diag_prepare(arn_prepare *p, void *state) {
  diagonal_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(read_matrices(p, s, &in, &out));
  return s->height == s->width ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
}

static arn_status matrix_diag_eval(const arn_eval *e, const void *state) {
  const diagonal_state *s = state;
  if (bytes_of(s) == 0) return ARN_OK;
  memset(arn_eval_out(e, 0), 0, bytes_of(s));
  set_diagonals(s, arn_eval_out(e, 0), arn_eval_in(e, 0));
  return ARN_OK;
}

static arn_status matrix_set_diag_prepare(arn_prepare *p, void *state) {
  arn_tensor in, diagonal, out;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_pair(p, 1, &diagonal, &out));
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  p->in_place = 1;
  return read_matrices(p, state, &diagonal, &out);
}

static arn_status matrix_set_diag_eval(const arn_eval *e, const void *state) {
  const diagonal_state *s = state;
  const void *in = arn_eval_in(e, 0);
  void *out = arn_eval_out(e, 0);
  if (bytes_of(s) == 0) return ARN_OK;
  if (in != out) memcpy(out, in, bytes_of(s));
  set_diagonals(s, out, arn_eval_in(e, 1));
  return ARN_OK;
}

const arn_op arn_op_matrix_diag = {"MATRIX_DIAG", 113, sizeof(diagonal_state),
                                   ARN__MOVEMENT_TYPES, 0, NULL, matrix_diag_prepare, NULL,
                                   matrix_diag_eval};
const arn_op arn_op_matrix_set_diag = {"MATRIX_SET_DIAG", 115, sizeof(diagonal_state),
                                       ARN__MOVEMENT_TYPES, 0, NULL, matrix_set_diag_prepare, NULL,
                                       matrix_set_diag_eval};
