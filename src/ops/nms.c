// NON_MAX_SUPPRESSION_V4, NON_MAX_SUPPRESSION_V5: the indices of the best boxes of which none
// overlaps a better one too much.
//
//   inputs   boxes [N,4] (two corners: y, x, y, x), scores [N], and scalars: most boxes to select,
//            least overlap to be suppressed, score that must be exceeded; V5: sigma
//   outputs  indices; V5: scores; number selected. What is beyond the number selected is zero.
//
// With a sigma above 0 (V5) an overlap below the limit lowers the score by exp(-overlap^2 / 2
// sigma) instead, and the box goes back among the candidates.
#include <math.h>
#include <string.h>

#include "../kernels/nms.h"
#include "arenite/op.h"

enum { IN_BOXES = 0, IN_SCORES, IN_MOST, IN_OVERLAP, IN_SCORE, IN_SIGMA };

typedef struct nms_state {
  uint32_t boxes;
  uint32_t capacity;  // of the outputs
  uint32_t soft;      // V5
} nms_state;

// ---- prepare ------------------------------------------------------------------------------------

static arn_status check_input(const arn_prepare *p, uint32_t i, uint32_t count) {
  arn_tensor t;
  const arn_status status = arn_prepare_input(p, i, &t);
  if (status != ARN_OK) return status;
  if (t.type != (i == IN_MOST ? ARN_INT32 : ARN_FLOAT32)) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  return t.count == count ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
}

static arn_status check_output(const arn_prepare *p, uint32_t i, uint32_t type, uint32_t count) {
  arn_tensor t;
  const arn_status status = arn_prepare_output(p, i, &t);
  if (status != ARN_OK) return status;
  if (t.type != type) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  return t.count == count ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
}

static arn_status prepare_nms(arn_prepare *p, nms_state *s) {
  arn_tensor boxes, indices;
  arn_status status = arn_prepare_counts(p, 5 + s->soft, 5 + s->soft, 2 + s->soft);
  if (status == ARN_OK) status = arn_prepare_input(p, IN_BOXES, &boxes);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &indices);
  if (status != ARN_OK) return status;
  if (boxes.rank != 2 || boxes.dims[1] != 4) return arn_refuse_model(p, ARN_WHAT_SHAPE, &boxes);
  s->boxes = (uint32_t)boxes.dims[0];
  s->capacity = indices.count;
  for (uint32_t i = 0; i < 5 + s->soft && status == ARN_OK; i++) {
    status = check_input(p, i, i == IN_BOXES ? 4 * s->boxes : i == IN_SCORES ? s->boxes : 1);
  }
  for (uint32_t i = 0; i < 2 + s->soft && status == ARN_OK; i++) {
    const bool is_scores = s->soft && i == 1, is_count = i == 1 + s->soft;
    status = check_output(p, i, is_scores ? ARN_FLOAT32 : ARN_INT32, is_count ? 1 : s->capacity);
  }
  p->work = ARN_WHOLE;
  const uint32_t boxes_least = s->boxes > 0 ? s->boxes : 1;
  p->scratch_bytes = boxes_least * ((uint32_t)sizeof(arn__nms_candidate) + (s->soft ? 4 : 0));
  return status;
}

static arn_status prepare_v4(arn_prepare *p, void *state) {
  *(nms_state *)state = (nms_state){0};
  return prepare_nms(p, state);
}

static arn_status prepare_v5(arn_prepare *p, void *state) {
  *(nms_state *)state = (nms_state){.soft = 1};
  return prepare_nms(p, state);
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct job {
  const float *boxes;
  int32_t *indices;            // selected
  float *scores;               // V5
  arn__nms_candidate *heap;
  uint32_t *seen;              // V5: selected boxes that a candidate was compared with
  uint32_t left, count;        // candidates, selected
  float overlap_limit, score_limit;
  float decay;                 // 0: boxes are suppressed or not
} job;

static arn__nms_box read_box(const job *j, uint32_t i) {
  const float *b = j->boxes + 4 * i;
  const bool up = b[0] > b[2], left = b[1] > b[3];
  return (arn__nms_box){b[up ? 2 : 0], b[left ? 3 : 1], b[up ? 0 : 2], b[left ? 1 : 3]};
}

// Compares a candidate with the boxes that were selected since it was last looked at. Returns its
// score then: lower where it overlaps some of them, below any limit where it overlaps one too much.
static float weaken(const job *j, const arn__nms_candidate *c) {
  const arn__nms_box box = read_box(j, c->index);
  const uint32_t seen = j->seen ? j->seen[c->index] : 0;
  float score = c->score;
  for (uint32_t i = j->count; i-- > seen && score > j->score_limit;) {
    const arn__nms_box other = read_box(j, (uint32_t)j->indices[i]);
    const float overlap = arn__nms_overlap(&box, &other);
    if (overlap >= j->overlap_limit) return -INFINITY;
    if (j->decay < 0.0f) score *= expf(j->decay * overlap * overlap);
  }
  return score;
}

static void take(job *j, const arn__nms_candidate *c) {
  j->indices[j->count] = (int32_t)c->index;
  if (j->scores) j->scores[j->count] = c->score;
  j->count++;
}

static void select_boxes(job *j, uint32_t most) {
  while (j->left > 0 && j->count < most) {
    arn__nms_candidate *top = &j->heap[0];
    const float score = weaken(j, top);
    if (j->seen) j->seen[top->index] = j->count;
    if (score < top->score && score > j->score_limit) {
      top->score = score;
    } else {
      if (!(score < top->score)) take(j, top);
      *top = j->heap[--j->left];
    }
    arn__nms_heap_sink(j->heap, j->left);
  }
}

static void find_candidates(job *j, const float *scores, uint32_t boxes) {
  for (uint32_t i = 0; i < boxes; i++) {
    if (j->seen) j->seen[i] = 0;
    if (scores[i] > j->score_limit) j->heap[j->left++] = (arn__nms_candidate){scores[i], i};
  }
  arn__nms_heap_make(j->heap, j->left);
}

static void write_outputs(const arn_eval *e, const job *j, const nms_state *s) {
  int32_t *count = arn_eval_out(e, 1 + s->soft);
  const uint32_t unused = s->capacity - j->count;
  memset(j->indices + j->count, 0, 4 * (size_t)unused);
  if (j->scores) memset(j->scores + j->count, 0, 4 * (size_t)unused);
  *count = (int32_t)j->count;
}

static arn_status eval_nms(const arn_eval *e, const void *state) {
  const nms_state *s = state;
  const int32_t most = *(const int32_t *)arn_eval_in(e, IN_MOST);
  const float sigma = s->soft ? *(const float *)arn_eval_in(e, IN_SIGMA) : 0.0f;
  job j = {.boxes = arn_eval_in(e, IN_BOXES), .indices = arn_eval_out(e, 0), .heap = e->scratch};
  j.overlap_limit = *(const float *)arn_eval_in(e, IN_OVERLAP);
  j.score_limit = *(const float *)arn_eval_in(e, IN_SCORE);
  if (s->soft) j.scores = arn_eval_out(e, 1);
  if (s->soft && sigma > 0.0f) {
    j.seen = (uint32_t *)(j.heap + s->boxes);
    j.decay = -0.5f / sigma;
  }
  if (most < 0 || (uint32_t)most > s->capacity) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, s->capacity, (uint32_t)most);
  }
  find_candidates(&j, arn_eval_in(e, IN_SCORES), s->boxes);
  select_boxes(&j, (uint32_t)most);
  write_outputs(e, &j, s);
  return ARN_OK;
}

const arn_op arn_op_non_max_suppression_v4 = {
    .name = "NON_MAX_SUPPRESSION_V4",
    .code = 120,
    .state_bytes = sizeof(nms_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_v4,
    .eval = eval_nms,
};

const arn_op arn_op_non_max_suppression_v5 = {
    .name = "NON_MAX_SUPPRESSION_V5",
    .code = 121,
    .state_bytes = sizeof(nms_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_v5,
    .eval = eval_nms,
};
