// Constants in TFLite's sparse format, read a row (an index of the outermost axis) at a time, so
// that a sparse filter never has to exist as a whole.
//
// The format is a tree. Its levels are the axes of the tensor in some order ("traversal order"),
// then the axes of the blocks into which some axes are divided. A node of a dense level has all
// children; of a sparse level, those that lists name: segments[p] to segments[p + 1] are the
// children of the p-th node above, indices[...] their coordinates. The leaves are the stored
// values, in order.
//
//   dense 2 x 3   1 0 2   traversal 0, 1    level 0: dense, 2 nodes
//                 0 0 3                     level 1: sparse, segments 0 2 3, indices 0 2 2
//                                           values 1 2 3
//
// Element types of 1, 2 and 4 bytes: int8, float16, float32 and the like.
#ifndef ARENITE_SRC_GRAPH_SPARSE_H
#define ARENITE_SRC_GRAPH_SPARSE_H

#include "arenite/model.h"

#define ARN__SPARSE_LEVELS 8

typedef struct arn__sparse_level {
  uint32_t nodes;        // of the whole level
  uint32_t size;         // coordinates
  uint32_t segments_at, indices_at;  // in the file; 0 where the level is dense
  uint32_t step;         // elements of the dense tensor from one coordinate to the next
  uint32_t row_divisor;  // on the axis of rows: the coordinate is row / row_divisor % size; else 0
  uint8_t segment_bytes, index_bytes;  // 1, 2 or 4
} arn__sparse_level;

// A sparse constant, opened: 250 bytes, meant for the stack of an eval.
typedef struct arn__sparse {
  const uint8_t *file;
  const uint8_t *values;
  uint32_t rows, row_count;  // row_count: elements of a row
  uint32_t level_count;
  uint32_t element_bytes;
  arn__sparse_level levels[ARN__SPARSE_LEVELS];
} arn__sparse;

// Returns what an operator keeps in its state to open the tensor later: where the file describes
// it.
uint32_t arn__sparse_at(const arn_model *model, const arn_subgraph *subgraph,
                        const arn_tensor *tensor);

// Says whether a sparse tensor's description and lists are sound: all that arn__sparse_rows() will
// read lies in the file, and all that it writes in the row. For prepare, which refuses with
// ARN_WHAT_SPARSITY where it is false. O(stored values).
bool arn__sparse_check(const arn_model *model, const arn_subgraph *subgraph,
                       const arn_tensor *tensor);

// Opens a tensor that arn__sparse_check() accepted. `values` is its data (arn_eval_in()).
// O(levels).
void arn__sparse_open(arn__sparse *sparse, const arn_model *model, uint32_t at, const void *values);

// Writes rows [first, first + count) to `out`, dense: count * row_count elements of element_bytes.
// O(elements written + stored values of these rows) where rows are an outermost dense level, which
// is how converters write filters; else O(nodes) a row. All rows at once are one pass in any case.
// 200 bytes of stack.
void arn__sparse_rows(const arn__sparse *sparse, uint32_t first, uint32_t count, void *out);

#endif
