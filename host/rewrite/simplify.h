// Graph rewrites that keep every result bit for bit:
//
//   dead         an operator whose outputs nobody reads goes
//   identity     a transpose that undoes the one before it, or moves nothing, and a reshape to the
//                same shape: its readers read what it read
//   activation   RELU, RELU6 and RELU_N1_TO_1 move into the operator before them
//   padding      a PAD that a convolution's own SAME padding would have made goes
//   constant     an operator of constants only is run once, here; its result lies in the file
//
// Shapes that the file leaves open and that follow from it are written into it.
// Variables, control flow, custom operators and what draws random numbers are left alone.
#ifndef ARENITE_HOST_REWRITE_SIMPLIFY_H
#define ARENITE_HOST_REWRITE_SIMPLIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How often each rewrite was made.
typedef struct arn_simplified {
  uint32_t dead, identities, activations, paddings, constants;
  uint32_t constant_bytes;  // that the file holds more for them
} arn_simplified;

// Writes `source` (16-byte aligned) anew, simplified. *bytes, which the caller frees, is NULL where
// there was nothing to do, which is also said of files that already carry a row plan.
// Fails: false, *why a sentence (static storage), *bytes NULL: the file is broken or cannot be
// carried over. O(nodes squared), and a run of the model where constants are folded.
bool arn_simplify(const void *source, size_t source_bytes, uint8_t **bytes, size_t *size,
                  arn_simplified *done, const char **why);

#endif
