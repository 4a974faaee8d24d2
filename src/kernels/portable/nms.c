#include "../nms.h"

static inline float larger(float a, float b) { return a < b ? b : a; }
static inline float smaller(float a, float b) { return b < a ? b : a; }

float arn__nms_overlap(const arn__nms_box *a, const arn__nms_box *b) {
  const float area_a = (a->y_high - a->y_low) * (a->x_high - a->x_low);
  const float area_b = (b->y_high - b->y_low) * (b->x_high - b->x_low);
  if (area_a <= 0.0f || area_b <= 0.0f) return 0.0f;
  const float height = smaller(a->y_high, b->y_high) - larger(a->y_low, b->y_low);
  const float width = smaller(a->x_high, b->x_high) - larger(a->x_low, b->x_low);
  const float common = larger(height, 0.0f) * larger(width, 0.0f);
  return common / (area_a + area_b - common);
}

bool arn__nms_overlaps_any(const arn__nms_box *box, const arn__nms_box *boxes, uint32_t count,
                           float limit) {
  for (uint32_t i = 0; i < count; i++) {
    if (arn__nms_overlap(box, &boxes[i]) > limit) return true;
  }
  return false;
}

static bool is_before(const arn__nms_candidate *a, const arn__nms_candidate *b) {
  return a->score > b->score || (a->score == b->score && a->index < b->index);
}

static void sink(arn__nms_candidate *heap, uint32_t at, uint32_t count) {
  const arn__nms_candidate moved = heap[at];
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && is_before(&heap[child + 1], &heap[child])) child++;
    if (!is_before(&heap[child], &moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

void arn__nms_heap_make(arn__nms_candidate *heap, uint32_t count) {
  for (uint32_t i = count / 2; i-- > 0;) sink(heap, i, count);
}

void arn__nms_heap_sink(arn__nms_candidate *heap, uint32_t count) {
  if (count > 1) sink(heap, 0, count);
}
