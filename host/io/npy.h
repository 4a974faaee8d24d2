// Tensors in files: raw little-endian bytes (.bin), or NumPy's .npy (version 1, C order).
#ifndef ARENITE_HOST_IO_NPY_H
#define ARENITE_HOST_IO_NPY_H

#include "arenite/interpreter.h"

// Reads `path` into `tensor` (ends with .npy: shape and type must match, scalars apart; else raw:
// the size must match). Returns NULL, or a sentence that says what is wrong (static storage).
const char *host_tensor_read(const char *path, const arn_tensor_view *tensor);

// Writes `tensor` to `path` in the format that its ending names. Returns as above.
const char *host_tensor_write(const char *path, const arn_tensor_view *tensor);

#endif
