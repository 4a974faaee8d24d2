// The order of operators in a file: the one whose highest sum of live tensors is least.
#ifndef ARENITE_HOST_REWRITE_REORDER_H
#define ARENITE_HOST_REWRITE_REORDER_H

#include "host/check/engine.h"

// Writes `source` (16-byte aligned) anew with its operators in the best order
// (host/search/order.h).
// *bytes, which the caller frees, is NULL where the file's order is as good as any that was found,
// and for files that already carry a row plan. Everything else in the file is carried over.
// Fails: false, *why a sentence (static storage), *bytes NULL: the model does not start, cannot be
// carried over, or the host has no memory.
bool arn_reorder(const void *source, size_t source_bytes, uint8_t **bytes, size_t *size,
                 const char **why);

typedef struct arn_reordered {
  uint8_t *bytes;      // of the file, aligned for opening; the caller frees. NULL: as arn_reorder
  size_t size;
  arn_usage usage;     // by the configuration asked for
} arn_reordered;

// Likewise, and measures the file in its new order. Needs: config->ops.
bool arn_reorder_measured(const void *source, size_t source_bytes, const arn_config *config,
                          arn_reordered *result, const char **why);

#endif
