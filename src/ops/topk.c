// TOPK_V2: the k largest elements along the last axis, largest first, and where they were; of equal
// ones, the first. No scratch: the output of indices is the heap.
#include "movement.h"

// Types that can be ordered.
#define TYPES                                                                                   \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_UINT8) |              \
   ARN_TYPE_BIT(ARN_INT64) | ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT8))

typedef struct topk_state {
  uint32_t lines;    // of a row
  uint32_t length, k;
  uint8_t type, element;
  uint8_t k_type;
  uint8_t late;      // k comes at run time
} topk_state;

// A line of the input being searched, and the heap of the best so far: the worst of them on top.
typedef struct search {
  const uint8_t *line;
  int32_t *heap;
  uint32_t count;
  uint32_t type;
} search;

static bool less_f32(const uint8_t *a, const uint8_t *b) {
  float x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x < y;
}

static int64_t integer_at(const uint8_t *at, uint32_t type) {
  int64_t wide;
  int32_t word;
  int16_t half;
  switch (type) {
    case ARN_INT8: return (int8_t)at[0];
    case ARN_UINT8: return at[0];
    case ARN_INT16: memcpy(&half, at, sizeof half); return half;
    case ARN_INT32: memcpy(&word, at, sizeof word); return word;
    default: memcpy(&wide, at, sizeof wide); return wide;
  }
}

static bool less(const search *s, int32_t a, int32_t b) {
  const uint32_t element = arn_type_bytes((arn_type)s->type);
  const uint8_t *x = s->line + (uint32_t)a * element, *y = s->line + (uint32_t)b * element;
  if (s->type == ARN_FLOAT32) return less_f32(x, y);
  return integer_at(x, s->type) < integer_at(y, s->type);
}

// Says whether element `a` is to be listed after element `b`.
static bool is_worse(const search *s, int32_t a, int32_t b) {
  if (less(s, a, b)) return true;
  return !less(s, b, a) && a > b;
}

// Puts `element` in at `at`, and moves it down to where nothing below is worse.
static void sift_down(const search *s, uint32_t at, int32_t element) {
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= s->count) break;
    if (child + 1 < s->count && is_worse(s, s->heap[child + 1], s->heap[child])) child++;
    if (!is_worse(s, s->heap[child], element)) break;
    s->heap[at] = s->heap[child];
    at = child;
  }
  s->heap[at] = element;
}

// Defines a search for the first element from `i` on that is better than the worst of the heap; it
// stands behind all of the heap, so that equal ones are not. Most elements are passed by here.
#define NEXT(name, value_type)                                                                  \
  static uint32_t next_##name(const search *s, uint32_t i, uint32_t length) {                   \
    const value_type *line = (const value_type *)(const void *)s->line;                         \
    const value_type worst = line[s->heap[0]];                                                  \
    while (i < length && !(worst < line[i])) i++;                                               \
    return i;                                                                                   \
  }
NEXT(f32, float)
NEXT(s8, int8_t)
NEXT(u8, uint8_t)
NEXT(s16, int16_t)
NEXT(s32, int32_t)
NEXT(s64, arn__s64)

static uint32_t next_better(const search *s, uint32_t i, uint32_t length) {
  switch (s->type) {
    case ARN_FLOAT32: return next_f32(s, i, length);
    case ARN_INT8: return next_s8(s, i, length);
    case ARN_UINT8: return next_u8(s, i, length);
    case ARN_INT16: return next_s16(s, i, length);
    case ARN_INT32: return next_s32(s, i, length);
    default: return next_s64(s, i, length);
  }
}

// Leaves the indices of the k best of a line in `heap`, best first.
static void search_line(search *s, uint32_t length, uint32_t k) {
  s->count = k;
  for (uint32_t i = 0; i < k; i++) s->heap[i] = (int32_t)i;
  for (uint32_t i = k / 2; i-- > 0;) sift_down(s, i, s->heap[i]);
  for (uint32_t i = next_better(s, k, length); i < length; i = next_better(s, i + 1, length)) {
    sift_down(s, 0, (int32_t)i);
  }
  while (s->count > 1) {
    const int32_t worst = s->heap[0], last = s->heap[--s->count];
    sift_down(s, 0, last);
    s->heap[s->count] = worst;
  }
}

// ---- prepare ------------------------------------------------------------------------------------

// Checks that `out` is `in` with a last dimension of k, and that it has as many rows.
static bool fits(const arn_tensor *in, const arn_tensor *out, int32_t k) {
  if (out->rank != in->rank || out->dims[out->rank - 1] != k) return false;
  return memcmp(in->dims, out->dims, (in->rank - 1u) * sizeof in->dims[0]) == 0;
}

static arn_status read_k(const arn_prepare *p, topk_state *s) {
  arn__index k;
  ARN__TRY(arn__movement_index(p, 1, &k));
  if (k.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
  s->k_type = k.type;
  s->late = k.data == NULL;
  if (s->late || arn__index_at(k.data, k.type, 0) == (int32_t)s->k) return ARN_OK;
  return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
}

static arn_status topk_prepare(arn_prepare *p, void *state) {
  topk_state *s = state;
  arn_tensor in, values, indices;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 2));
  ARN__TRY(arn__movement_pair(p, 0, &in, &values));
  ARN__TRY(arn_prepare_output(p, 1, &indices));
  if (indices.type != ARN_INT32) return arn_refuse(p, ARN_WHAT_TYPE, &indices);
  if (in.rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, &in);
  s->length = (uint32_t)in.dims[in.rank - 1];
  s->k = (uint32_t)(values.rank > 0 ? values.dims[values.rank - 1] : 0);
  if (s->k > s->length || !fits(&in, &values, (int32_t)s->k) ||
      !fits(&in, &indices, (int32_t)s->k)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &values);
  }
  ARN__TRY(read_k(p, s));
  s->type = in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  arn__movement_by_rows(p, &in);
  if (arn__rows_of(&values).rows != p->rows) {  // an empty output
    p->work = ARN_WHOLE;
    p->rows = 1;
  }
  s->lines = arn__movement_product(&in, 0, in.rank - 1u) / p->rows;
  return ARN_OK;
}

// ---- rows and eval ------------------------------------------------------------------------------

static void topk_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 0 ? out : (arn_span){0, 1};
}

static void search_row(const topk_state *s, const uint8_t *in, uint8_t *values,
                       int32_t *indices) {
  for (uint32_t line = 0; line < s->lines && s->k > 0; line++) {
    search found = {in + line * s->length * s->element, indices + line * s->k, 0, s->type};
    search_line(&found, s->length, s->k);
    for (uint32_t i = 0; i < s->k; i++) {
      arn__move_run(values + (line * s->k + i) * s->element,
                    found.line + (uint32_t)found.heap[i] * s->element, s->element);
    }
  }
}

static arn_status topk_eval(const arn_eval *e, const void *state) {
  const topk_state *s = state;
  const arn_rows in = arn_eval_input(e, 0, s->lines * s->length * s->element);
  const arn_rows values = arn_eval_output(e, 0, s->lines * s->k * s->element);
  const arn_rows indices = arn_eval_output(e, 1, s->lines * s->k * 4);
  const int32_t k = s->late ? arn__index_at(arn_eval_in(e, 1), s->k_type, 0) : (int32_t)s->k;
  if (k != (int32_t)s->k) return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, s->k, (uint32_t)k);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    search_row(s, arn_row(&in, r), arn_row(&values, r), (int32_t *)(void *)arn_row(&indices, r));
  }
  return ARN_OK;
}

const arn_op arn_op_topk_v2 = {"TOPK_V2", 48, sizeof(topk_state), TYPES, 0, NULL,
                               topk_prepare, topk_rows, topk_eval};
