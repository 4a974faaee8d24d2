// What the signal operators share: reading their tensors and their FlexBuffer options.
#ifndef ARENITE_SRC_OPS_SIGNAL_H
#define ARENITE_SRC_OPS_SIGNAL_H

#include "../model/flexbuffer.h"
#include "arenite/op.h"
#include "movement.h"

#define ARN__SIGNAL_ANY_RANK UINT32_MAX

// Reads input / output `i`. Fails: TYPE (another than `type`), RANK (another than `rank`), and as
// arn_prepare_input.
ARN_MUST_CHECK arn_status arn__signal_input(const arn_prepare *p, uint32_t i, uint32_t type,
                                            uint32_t rank, arn_tensor *tensor);
ARN_MUST_CHECK arn_status arn__signal_output(const arn_prepare *p, uint32_t i, uint32_t type,
                                             uint32_t rank, arn_tensor *tensor);

// Reads the required option `key` of the node, an integer from `low` to `high`.
// Fails: CUSTOM_OPTIONS (malformed), OPTION (missing, or out of range).
ARN_MUST_CHECK arn_status arn__signal_option(const arn_prepare *p, const char *key, int32_t low,
                                             int32_t high, int32_t *value);

// Reads input 0 and output 0 of an operator that takes several types: both of one type among
// p->op->types, which the option "T" must name where it is there.
ARN_MUST_CHECK arn_status arn__signal_pair(const arn_prepare *p, arn_tensor *in, arn_tensor *out);

// Returns the product of all dimensions but the last `inner` ones. Needs: rank >= inner.
uint32_t arn__signal_outer(const arn_tensor *tensor, uint32_t inner);

// Says whether two tensors of the same rank agree in all dimensions but the last `inner` ones.
bool arn__signal_same_outer(const arn_tensor *a, const arn_tensor *b, uint32_t inner);

// Lets the node be cut into the rows of its output where those are whole signals: the rows of input
// and output run along the same axis, and that is not the last. Returns the signals of a row.
uint32_t arn__signal_by_rows(arn_prepare *p, const arn_tensor *in, const arn_tensor *out);

// The `rows` of operators whose row r of input 0 makes row r of the output.
void arn__signal_rows(const void *state, uint32_t input, arn_span out, arn_span *in);

// Asks for persistent memory: `count` elements of `element_bytes`, behind `header_bytes`.
// Fails: LIMIT.
ARN_MUST_CHECK arn_status arn__signal_keep(arn_prepare *p, uint32_t header_bytes, uint64_t count,
                                           uint32_t element_bytes);

#endif
