// The rows of a tensor (see op.h): which axis they run along, how many, and how long.
#ifndef ARENITE_SRC_GRAPH_ROWS_H
#define ARENITE_SRC_GRAPH_ROWS_H

#include "arenite/model.h"

typedef struct arn__rows_shape {
  uint32_t rows;       // >= 1
  uint32_t row_count;  // elements of a row
  int32_t axis;        // that rows run along; -1 where the tensor is one row
} arn__rows_shape;

// Returns the row structure of a tensor's shape. An empty tensor is one row.
arn__rows_shape arn__rows_of(const arn_tensor *tensor);

// Returns the bytes of a row. Needs: an element size of whole bytes.
uint32_t arn__rows_bytes(const arn_tensor *tensor);

// Says whether two tensors have the same rank and dimensions.
bool arn__rows_same_shape(const arn_tensor *a, const arn_tensor *b);

#endif
