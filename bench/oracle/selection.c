// Selection of boxes: the best one first, and none that overlaps one that was taken.
#include <math.h>

#include "bench/oracle/plain.h"

enum { MOST_BOXES = 8192 };

// Corners y, x, y, x, in any order.
static float overlap(const float *a, const float *b) {
  float area_a = 1.0f, area_b = 1.0f, common = 1.0f;
  for (uint32_t i = 0; i < 2; i++) {
    const float low_a = fminf(a[i], a[i + 2]), high_a = fmaxf(a[i], a[i + 2]);
    const float low_b = fminf(b[i], b[i + 2]), high_b = fmaxf(b[i], b[i + 2]);
    area_a *= high_a - low_a;
    area_b *= high_b - low_b;
    common *= fmaxf(fminf(high_a, high_b) - fmaxf(low_a, low_b), 0.0f);
  }
  return area_a > 0.0f && area_b > 0.0f ? common / (area_a + area_b - common) : 0.0f;
}

typedef struct limits {
  float overlap, score, sigma;
} limits;

// Returns how many of `count` boxes were selected, at most `most`. `scores` are changed: those of
// boxes that are taken or fall out become -1; where sigma > 0, overlapping ones are lowered.

static uint32_t select_boxes(const float *boxes, float *scores, uint32_t count, uint32_t most,
                             limits l, int32_t *selected, float *kept) {
  uint32_t taken = 0;
  for (; taken < most; taken++) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) best = scores[i] > scores[best] ? i : best;
    if (!(scores[best] > l.score)) break;
    selected[taken] = (int32_t)best;
    if (kept) kept[taken] = scores[best];
    scores[best] = -1.0f;
    for (uint32_t i = 0; i < count; i++) {
      if (!(scores[i] > l.score)) continue;
      const float share = overlap(boxes + 4 * i, boxes + 4 * best);
      if (share > l.overlap || (l.sigma <= 0.0f && share >= l.overlap)) scores[i] = -1.0f;
      else if (l.sigma > 0.0f) scores[i] *= expf(-0.5f / l.sigma * share * share);
    }
  }
  return taken;
}

static void suppress(const plain_node *n) {  // V4: without scores of its own; V5: with
  static float scores[MOST_BOXES];
  const bool soft = n->outputs == 3;
  const uint32_t count = n->in[1].count, most = (uint32_t)n->in[2].s32[0];
  const limits l = {n->in[3].f32[0], n->in[4].f32[0], soft ? n->in[5].f32[0] : 0.0f};
  memcpy(scores, n->in[1].f32, count * sizeof *scores);
  n->out[soft ? 2 : 1].s32[0] = (int32_t)select_boxes(
      n->in[0].f32, scores, count, most, l, n->out[0].s32, soft ? n->out[1].f32 : NULL);
}

static void decode(const float *code, const float *anchor, float *box) {  // scales 10, 10, 5, 5
  for (uint32_t i = 0; i < 2; i++) {
    const float centre = code[i] / 10.0f * anchor[i + 2] + anchor[i];
    const float half = 0.5f * expf(code[i + 2] / 5.0f) * anchor[i + 2];
    box[i] = centre - half;
    box[i + 2] = centre + half;
  }
}

static void detect(const plain_node *n) {  // a class a box; class 0 is the background
  static float boxes[4 * MOST_BOXES], scores[MOST_BOXES];
  static int32_t classes[MOST_BOXES], selected[128];
  const uint32_t count = (uint32_t)n->in[0].dims[1], of = (uint32_t)n->in[1].dims[2];
  const uint32_t most = (uint32_t)n->out[0].dims[1];
  for (uint32_t i = 0; i < count; i++) {
    decode(n->in[0].f32 + 4 * i, n->in[2].f32 + 4 * i, boxes + 4 * i);
    classes[i] = 0;
    for (uint32_t c = 1; c < of - 1; c++) {
      if (n->in[1].f32[i * of + 1 + c] > n->in[1].f32[i * of + 1 + (uint32_t)classes[i]]) {
        classes[i] = (int32_t)c;
      }
    }
    scores[i] = n->in[1].f32[i * of + 1 + (uint32_t)classes[i]];
  }
  const uint32_t taken = select_boxes(boxes, scores, count, most, (limits){0.5f, 0.1f, 0.0f},
                                      selected, n->out[2].f32);
  for (uint32_t i = 0; i < taken; i++) {
    memcpy(n->out[0].f32 + 4 * i, boxes + 4 * selected[i], 4 * sizeof *boxes);
    n->out[1].f32[i] = (float)classes[selected[i]];
  }
  n->out[3].f32[0] = (float)taken;
}

#define BOXES "f32 5000x4 ~0..1;f32 5000 ~0..1;s32 . =100;f32 . =0.5;f32 . =0.1"

const plain_case plain_selection[] = {
    {&arn_op_non_max_suppression_v4, "5000 boxes", BOXES ">s32 100;s32 .", suppress, false, 0, {0},
     {{0}}},
    {&arn_op_non_max_suppression_v5, "5000 boxes", BOXES ";f32 . =0.5>s32 100;f32 100;s32 .",
     suppress,
     false, 0, {0}, {{0}}},
    {&arn_op_detection_postprocess, "2000 boxes",
     "f32 1x2000x4;f32 1x2000x21 ~0..1;f32 2000x4 =0.1..1>"
     "f32 1x50x4;f32 1x50;f32 1x50;f32 1", detect, false, 0, {0},
     {{"h_scale", 5, true}, {"max_classes_per_detection", 1, false}, {"max_detections", 50, false},
      {"nms_iou_threshold", .5, true}, {"nms_score_threshold", .1, true}, {"num_classes", 20,
       false},
      {"use_regular_nms", 0, false}, {"w_scale", 5, true}, {"x_scale", 10, true}, {"y_scale", 10,
       true}}},
    {.op = NULL}};
