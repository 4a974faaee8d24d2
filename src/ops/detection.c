// TFLite_Detection_PostProcess (custom): from the raw outputs of a single-shot detector to a list
// of boxes.
//
// An input box is a centre and a size, relative to an anchor. Boxes are taken in the order of their
// scores; one that overlaps a better one too much is left out. There are two ways to go about it:
//   fast     once, each box having the score of its best class,
//   regular  for each class alone; the best of all classes are listed.
//
// Candidates are kept as a heap, and boxes are decoded when they come to its top; so nothing of the
// size of the input is needed but 8 bytes a box.
#include <math.h>
#include <string.h>

#include "../kernels/nms.h"
#include "../model/flexbuffer.h"
#include "arenite/op.h"
#include "quantised.h"

enum { IN_BOXES = 0, IN_SCORES = 1, IN_ANCHORS = 2 };
enum { OUT_BOXES = 0, OUT_CLASSES = 1, OUT_SCORES = 2, OUT_COUNT = 3 };

// How values of an input are stored.
typedef struct encoding {
  float scale;
  int16_t zero;
  uint8_t type;
  uint8_t spare;
} encoding;

typedef struct detection_state {
  uint32_t boxes;
  uint32_t box_values;       // of an encoded box: 4, and more that are not looked at
  uint32_t classes;          // without the background
  uint32_t score_values;     // of a box: the classes, and the background before them or not
  uint32_t max_detections;
  uint32_t per_class;        // regular: most boxes of a class
  uint32_t per_box;          // fast: most classes of a box
  uint32_t capacity;         // boxes that the outputs have room for
  float score_limit, overlap_limit;
  float scale_y, scale_x, scale_h, scale_w;
  encoding in[3];
  uint32_t regular;
} detection_state;

// ---- prepare ------------------------------------------------------------------------------------

static arn_status read_input(const arn_prepare *p, detection_state *s, uint32_t i, arn_tensor *t) {
  int32_t zero;
  const arn_status status = arn_prepare_input(p, i, t);
  if (status != ARN_OK) return status;
  if (t->rank != (i == IN_ANCHORS ? 2 : 3)) return arn_refuse_model(p, ARN_WHAT_RANK, t);
  s->in[i].type = t->type;
  if (t->type == ARN_FLOAT32) return ARN_OK;
  if (t->type != ARN_UINT8 && t->type != ARN_INT8) return arn_refuse(p, ARN_WHAT_TYPE, t);
  const arn_status read = arn__quantised_read(p, t, &s->in[i].scale, &zero);
  s->in[i].zero = (int16_t)zero;
  return read;
}

static arn_status read_inputs(const arn_prepare *p, detection_state *s) {
  arn_tensor boxes, scores, anchors;
  arn_status status = arn_prepare_counts(p, 3, 3, 4);
  if (status == ARN_OK) status = read_input(p, s, IN_BOXES, &boxes);
  if (status == ARN_OK) status = read_input(p, s, IN_SCORES, &scores);
  if (status == ARN_OK) status = read_input(p, s, IN_ANCHORS, &anchors);
  if (status != ARN_OK) return status;
  s->boxes = (uint32_t)boxes.dims[1];
  s->box_values = (uint32_t)boxes.dims[2];
  s->score_values = (uint32_t)scores.dims[2];
  if (boxes.dims[0] != 1 || s->boxes == 0 || s->box_values < 4) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &boxes);
  }
  if (scores.dims[0] != 1 || scores.dims[1] != boxes.dims[1]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &scores);
  }
  if (anchors.dims[0] != boxes.dims[1] || anchors.dims[1] != 4) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &anchors);
  }
  return ARN_OK;
}

static arn_status read_outputs(const arn_prepare *p, detection_state *s) {
  for (uint32_t i = 0; i < 4; i++) {
    arn_tensor t;
    const arn_status status = arn_prepare_output(p, i, &t);
    if (status != ARN_OK) return status;
    if (t.type != ARN_FLOAT32) return arn_refuse_model(p, ARN_WHAT_TYPE, &t);
    if (i == OUT_BOXES) s->capacity = t.count / 4;
    const uint32_t wanted = i == OUT_BOXES ? s->capacity * 4 : i == OUT_COUNT ? 1 : s->capacity;
    if (t.count != wanted) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  }
  const uint64_t most = (uint64_t)s->max_detections * (s->regular ? 1 : s->per_box);
  return most > s->capacity ? arn_refuse_model(p, ARN_WHAT_SHAPE, NULL) : ARN_OK;
}

static bool is_good_scale(float x) { return x > 0.0f && x < INFINITY; }

static bool are_good_options(const detection_state *s) {
  const uint32_t background = s->score_values - s->classes;
  return s->max_detections <= INT32_MAX && s->classes >= 1 && s->classes <= INT32_MAX &&
         background <= 1 && s->overlap_limit > 0.0f && s->overlap_limit <= 1.0f &&
         is_good_scale(s->scale_y) && is_good_scale(s->scale_x) && is_good_scale(s->scale_h) &&
         is_good_scale(s->scale_w) &&
         (s->regular ? s->per_class - 1u : s->per_box - 1u) < INT32_MAX;
}

static arn_status read_options(const arn_prepare *p, detection_state *s) {
  arn__flex_map map;
  arn__flex_open(&map, p->model, p->node);
  s->max_detections = (uint32_t)arn__flex_i32(&map, "max_detections", 0);
  s->per_box = (uint32_t)arn__flex_i32(&map, "max_classes_per_detection", 0);
  s->per_class = (uint32_t)arn__flex_i32(&map, "detections_per_class", 100);
  s->classes = (uint32_t)arn__flex_i32(&map, "num_classes", 0);
  s->regular = arn__flex_bool(&map, "use_regular_nms", false);
  s->score_limit = arn__flex_f32(&map, "nms_score_threshold", 0.0f);
  s->overlap_limit = arn__flex_f32(&map, "nms_iou_threshold", 0.0f);
  s->scale_y = arn__flex_f32(&map, "y_scale", 0.0f);
  s->scale_x = arn__flex_f32(&map, "x_scale", 0.0f);
  s->scale_h = arn__flex_f32(&map, "h_scale", 0.0f);
  s->scale_w = arn__flex_f32(&map, "w_scale", 0.0f);
  if (!map.ok) return arn_refuse_model(p, ARN_WHAT_CUSTOM_OPTIONS, NULL);
  return are_good_options(s) ? ARN_OK : arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
}

static arn_status prepare_detection(arn_prepare *p, void *state) {
  detection_state *s = state;
  memset(s, 0, sizeof *s);
  arn_status status = read_inputs(p, s);
  if (status == ARN_OK) status = read_options(p, s);
  if (status == ARN_OK) status = read_outputs(p, s);
  if (status != ARN_OK) return status;
  if (s->per_class > s->boxes) s->per_class = s->boxes;
  p->work = ARN_WHOLE;
  p->scratch_bytes = s->boxes * (uint32_t)sizeof(arn__nms_candidate);
  if (s->regular) p->scratch_bytes += s->per_class * (uint32_t)sizeof(arn__nms_box);
  return ARN_OK;
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct job {
  const detection_state *state;
  const void *in[3];
  arn__nms_box *boxes;         // the outputs
  float *classes, *scores;
  arn__nms_candidate *heap;    // [boxes]
  arn__nms_box *selected;      // regular: [per_class]
  uint32_t count;              // regular: detections listed so far
} job;

static float read_value(const job *j, uint32_t input, uint32_t i) {
  const encoding *e = &j->state->in[input];
  switch (e->type) {
    case ARN_INT8: return (float)(((const int8_t *)j->in[input])[i] - e->zero) * e->scale;
    case ARN_UINT8: return (float)(((const uint8_t *)j->in[input])[i] - e->zero) * e->scale;
    default: return ((const float *)j->in[input])[i];
  }
}

// The score of class `c` of a box; the background is not counted.
static float read_score(const job *j, uint32_t box, uint32_t c) {
  const detection_state *s = j->state;
  return read_value(j, IN_SCORES, box * s->score_values + (s->score_values - s->classes) + c);
}

// One dimension of a box: where its centre is and how large it is, relative to the anchor's.
static void decode_side(const job *j, uint32_t box, uint32_t side, float *low, float *high) {
  const detection_state *s = j->state;
  const float centre = read_value(j, IN_BOXES, box * s->box_values + side);
  const float size = read_value(j, IN_BOXES, box * s->box_values + side + 2);
  const float anchor = read_value(j, IN_ANCHORS, box * 4 + side);
  const float anchor_size = read_value(j, IN_ANCHORS, box * 4 + side + 2);
  const float middle = centre / (side ? s->scale_x : s->scale_y) * anchor_size + anchor;
  const float half = 0.5f * expf(size / (side ? s->scale_w : s->scale_h)) * anchor_size;
  *low = middle - half;
  *high = middle + half;
}

static arn__nms_box decode(const job *j, uint32_t box) {
  arn__nms_box b;
  decode_side(j, box, 0, &b.y_low, &b.y_high);
  decode_side(j, box, 1, &b.x_low, &b.x_high);
  return b;
}

// Every box must have an area, whether it is a candidate or not.
static arn_status check_boxes(const arn_eval *e, const job *j) {
  for (uint32_t i = 0; i < j->state->boxes; i++) {
    const arn__nms_box b = decode(j, i);
    if (!(b.y_low < b.y_high && b.x_low < b.x_high)) {
      return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, j->state->boxes, i);
    }
  }
  return ARN_OK;
}

// Takes candidates from a heap until one overlaps none of the selected boxes enough to be left out;
// it becomes the next selected box. Returns false where there is none.
static bool select_next(const job *j, uint32_t *left, arn__nms_box *selected, uint32_t count,
                        arn__nms_candidate *next) {
  while (*left > 0) {
    *next = j->heap[0];
    j->heap[0] = j->heap[--*left];
    arn__nms_heap_sink(j->heap, *left);
    const arn__nms_box box = decode(j, next->index);
    if (arn__nms_overlaps_any(&box, selected, count, j->state->overlap_limit)) continue;
    selected[count] = box;
    return true;
  }
  return false;
}

static uint32_t best_class(const job *j, uint32_t box, float *score) {
  uint32_t best = 0;
  *score = read_score(j, box, 0);
  for (uint32_t c = 1; c < j->state->classes; c++) {
    const float next = read_score(j, box, c);
    if (!(next > *score)) continue;
    best = c;
    *score = next;
  }
  return best;
}

// Returns the class that follows `c` in the order of scores, ties by number.
static uint32_t next_class(const job *j, uint32_t box, uint32_t c) {
  const float limit = read_score(j, box, c);
  uint32_t next = j->state->classes;
  float best = 0.0f;
  for (uint32_t i = 0; i < j->state->classes; i++) {
    const float score = read_score(j, box, i);
    if (score > limit || (score == limit && i <= c)) continue;
    if (next < j->state->classes && !(score > best)) continue;
    next = i;
    best = score;
  }
  return next < j->state->classes ? next : c;
}

// ---- fast ---------------------------------------------------------------------------------------

// Lists a selected box with its best classes; places that are left over are zero.
static void list_classes(const job *j, uint32_t first, const arn__nms_box *box, uint32_t index) {
  const detection_state *s = j->state;
  const uint32_t most = s->per_box < s->classes ? s->per_box : s->classes;
  float score;
  uint32_t c = best_class(j, index, &score);
  for (uint32_t i = 0; i < most; i++) {
    if (i > 0) c = next_class(j, index, c);
    j->boxes[first + i] = *box;
    j->classes[first + i] = (float)c;
    j->scores[first + i] = read_score(j, index, c);
  }
  memset(&j->boxes[first + most], 0, (s->per_box - most) * sizeof *j->boxes);
}

// Selected boxes gather at the front of the output and are then spread to where their classes go.
static uint32_t detect_fast(job *j) {
  const detection_state *s = j->state;
  uint32_t left = 0, count = 0;
  arn__nms_candidate next;
  for (uint32_t i = 0; i < s->boxes; i++) {
    float score;
    (void)best_class(j, i, &score);
    if (score >= s->score_limit) j->heap[left++] = (arn__nms_candidate){score, i};
  }
  arn__nms_heap_make(j->heap, left);
  const uint32_t candidates = left;
  while (count < s->max_detections && select_next(j, &left, j->boxes, count, &next)) {
    j->heap[candidates - 1 - count++] = next;  // the heap has left this place
  }
  for (uint32_t i = count; i-- > 0;) {
    const arn__nms_box box = j->boxes[i];
    list_classes(j, i * s->per_box, &box, j->heap[candidates - 1 - i].index);
  }
  return count;
}

// ---- regular ------------------------------------------------------------------------------------

// Inserts a detection into the list, behind those of the same score; drops the last of a full list.
static void insert(job *j, const arn__nms_box *box, uint32_t c, float score) {
  uint32_t at = j->count;
  while (at > 0 && j->scores[at - 1] < score) at--;
  if (at == j->state->max_detections) return;
  if (j->count < j->state->max_detections) j->count++;
  const uint32_t behind = j->count - 1 - at;
  memmove(&j->boxes[at + 1], &j->boxes[at], behind * sizeof *j->boxes);
  memmove(&j->classes[at + 1], &j->classes[at], behind * sizeof *j->classes);
  memmove(&j->scores[at + 1], &j->scores[at], behind * sizeof *j->scores);
  j->boxes[at] = *box;
  j->classes[at] = (float)c;
  j->scores[at] = score;
}

static uint32_t detect_regular(job *j) {
  const detection_state *s = j->state;
  arn__nms_candidate next;
  for (uint32_t c = 0; c < s->classes; c++) {
    uint32_t left = 0, count = 0;
    for (uint32_t i = 0; i < s->boxes; i++) {
      const float score = read_score(j, i, c);
      if (score >= s->score_limit) j->heap[left++] = (arn__nms_candidate){score, i};
    }
    arn__nms_heap_make(j->heap, left);
    while (count < s->per_class && select_next(j, &left, j->selected, count, &next)) {
      insert(j, &j->selected[count++], c, next.score);
    }
  }
  return j->count;
}

static arn_status eval_detection(const arn_eval *e, const void *state) {
  const detection_state *s = state;
  job j = {.state = s};
  for (uint32_t i = 0; i < 3; i++) j.in[i] = arn_eval_in(e, i);
  j.boxes = arn_eval_out(e, OUT_BOXES);
  j.classes = arn_eval_out(e, OUT_CLASSES);
  j.scores = arn_eval_out(e, OUT_SCORES);
  j.heap = e->scratch;
  j.selected = (arn__nms_box *)(j.heap + s->boxes);
  memset(j.boxes, 0, s->capacity * sizeof *j.boxes);
  memset(j.classes, 0, s->capacity * sizeof *j.classes);
  memset(j.scores, 0, s->capacity * sizeof *j.scores);
  const arn_status status = check_boxes(e, &j);
  if (status != ARN_OK) return status;
  *(float *)arn_eval_out(e, OUT_COUNT) = (float)(s->regular ? detect_regular(&j)
                                                            : detect_fast(&j));
  return ARN_OK;
}

const arn_op arn_op_detection_postprocess = {
    .name = "TFLite_Detection_PostProcess",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(detection_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8),
    .prepare = prepare_detection,
    .eval = eval_detection,
};
