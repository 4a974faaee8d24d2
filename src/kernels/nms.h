// Parts of non-maximum suppression: candidates in the order of their scores, and how much two boxes
// overlap.
#ifndef ARENITE_SRC_KERNELS_NMS_H
#define ARENITE_SRC_KERNELS_NMS_H

#include "kernel.h"

// A box by its corners.
typedef struct arn__nms_box {
  float y_low, x_low, y_high, x_high;
} arn__nms_box;

// A candidate. Those of higher score come first, and among equals those of lower index.
typedef struct arn__nms_candidate {
  float score;
  uint32_t index;
} arn__nms_candidate;

// Returns the share of the area that two boxes have in common; 0 where one of them is empty.
float arn__nms_overlap(const arn__nms_box *a, const arn__nms_box *b);

// Says whether `box` overlaps any of `count` boxes by more than `limit`.
bool arn__nms_overlaps_any(const arn__nms_box *box, const arn__nms_box *boxes, uint32_t count,
                           float limit);

// A binary heap: heap[0] is the first candidate. O(count); O(log count).
void arn__nms_heap_make(arn__nms_candidate *heap, uint32_t count);

// Restores the order after heap[0] was given a place further back (or was replaced).
void arn__nms_heap_sink(arn__nms_candidate *heap, uint32_t count);

#endif
