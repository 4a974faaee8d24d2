// A dense layer, as FULLY_CONNECTED, BATCH_MATMUL and the transposed convolutions share it:
//
//   out[c] = clamp(scale[c] * (sum over k of (in[k] - in_zero) * (w[c][k] - w_zero) + bias[c]))
//
//   input    weights                                          sum      bias
//   int8     int8, int4                                       int32    int32
//   uint8    uint8                                            int32    int32
//   int16    int8, int4                                       int64    int64, int16; int32 (the sum
//                                                                      is then int32, too)
//   int16    int16 (arn__dense_run.by_columns or not)         int64    none
//   float32  float32, float16, int8, uint8, int16, int4       float    float32, float16, int8/16/32
//
// Weights that are narrower than the kernels' types are widened a few at a time on the stack: the
// whole tensor is never expanded. Output channels are computed in blocks, whose multipliers are
// made (and whose sparse weights are decoded) when the block begins.
#ifndef ARENITE_SRC_OPS_DENSE_H
#define ARENITE_SRC_OPS_DENSE_H

#include "../kernels/dot.h"
#include "quantised.h"

#if defined(ARN__MVE)
#define ARN__DENSE_BLOCK 32u  // vectors make short work of a block
#else
#define ARN__DENSE_BLOCK 16u
#endif
#define ARN__DENSE_DECODED 4u  // channels of a block whose weights are decoded
#define ARN__DENSE_NO_BIAS 255u

enum { ARN__DENSE_UNSCALED = 0, ARN__DENSE_PER_TENSOR = 1, ARN__DENSE_PER_CHANNEL = 2 };

// How float sums over integer weights become values.
typedef struct arn__dense_float {
  uint32_t scales_at;  // of the weights, in the file; 0: 1
  uint32_t step;       // 1: a scale a channel
  float bias_scale;    // of an integer bias
} arn__dense_float;

// Prepared data; part of an operator's state, and its last member: see arn__dense_state_bytes().
typedef struct arn__dense {
  uint32_t depth;     // k
  uint32_t channels;  // c
  union {
    arn__clamp s32;   // relative to the output's zero point
    arn__clamp_f32 f32;
  } clamp;
  int16_t in_zero, w_zero, out_zero;
  uint8_t type, w_type, bias_type;  // arn_type
  uint8_t out_type;                 // the input's type; int16 from 8-bit inputs in an LSTM
  uint8_t scaling;                  // ARN__DENSE_...
  uint8_t is_sparse;                // weights
  union {                           // as `scaling` says; by type for float
    arn__requant one;
    arn__requant_source source;
    arn__dense_float real;
  } scale;
} arn__dense;

typedef struct arn__dense_kind arn__dense_kind;

typedef struct arn__dense_tensors {
  const arn__dense_kind *kind;
  const arn_tensor *in, *w, *out;
  const arn_tensor *bias;   // NULL: none
  int32_t channel_axis;     // of w
  int32_t activation;
  bool like_convolution;    // in the reference, multipliers of one scale are made in double
  bool takes_sparse;        // the caller has a decoder
} arn__dense_tensors;

// Says whether weights of a type go with an input of a type.
bool arn__dense_takes(uint32_t type, uint32_t w_type);

// Checks types and quantisation, and fills all of `d`; depth and channels must be set before.
ARN_MUST_CHECK arn_status arn__dense_prepare(const arn_prepare *p, const arn__dense_tensors *t,
                                             arn__dense *d);

// Returns how many bytes of `d` are in use.
uint32_t arn__dense_state_bytes(const arn__dense *d);

// Returns the bytes of an accumulator of one channel.
uint32_t arn__dense_sum_bytes(const arn__dense *d);

// Writes the weights of channels [first, first + count), side by side, where run.w begins.
typedef struct arn__dense_decoder {
  void (*decode)(const struct arn__dense_decoder *self, uint32_t first, uint32_t count);
} arn__dense_decoder;

// What a layer runs on.
typedef struct arn__dense_run {
  const arn__dense_kind *kind;
  const arn__dense *d;
  const uint8_t *file;      // start of the model file
  // [channels][depth], or [depth][channels] where by_columns; side by side
  arn_rows w;
                            // unless it has a table (only where neither side needs widening)
  const void *bias;         // [channels] or NULL
  uint32_t in_step;         // elements from an element of an input vector to the next
  bool by_columns;
  const arn__dense_decoder *decoder;  // where the weights are sparse; else NULL
} arn__dense_run;

// Input and output vectors.
typedef struct arn__dense_vectors {
  arn_rows in, out;         // a row of `in` starts with its first vector
  uint32_t in_vector;       // elements from a vector to the next within a row
  uint32_t per_row;         // vectors of a row
} arn__dense_vectors;

// Makes rows of a tensor that has one row contiguous: no table, `base` at its first byte.
void arn__dense_set_whole(arn_rows *rows);

// Computes rows [rows.first, rows.first + rows.count). Stack: about 900 bytes.
void arn__dense_rows(const arn__dense_run *run, const arn__dense_vectors *v, arn_span rows);

// Takes input rows `rows`, which are pieces of one long input vector (v->in.row_bytes long each,
// however the vector is cut), into `sums` [channels], and computes the output if they end the
// vector. `sums` may be NULL where the rows are all of the vector.
void arn__dense_fold(const arn__dense_run *run, const arn__dense_vectors *v, arn_span rows,
                     void *sums);

// ---- the parts, for operators that find their vectors themselves --------------------------------

// Sums of a block of channels; each layer uses one member.
typedef union arn__dense_sums {
  int32_t s32[ARN__DENSE_BLOCK];
  int64_t s64[ARN__DENSE_BLOCK];
  float f32[ARN__DENSE_BLOCK];
} arn__dense_sums;

// A block of channels in work.
typedef struct arn__dense_block {
  arn_span channels;        // at most ARN__DENSE_BLOCK
  arn__requant multipliers[ARN__DENSE_BLOCK];
  arn__dense_sums sums;
} arn__dense_block;

// Begins a block with channel `first`: counts its channels, makes their multipliers.
void arn__dense_begin(const arn__dense_run *run, uint32_t first, arn__dense_block *block);

// Sets the block's sums to zero.
void arn__dense_clear(const arn__dense_run *run, arn__dense_block *block);

// Which types a layer links the kernels for.
struct arn__dense_kind {
  uint32_t types, w_types;  // bit t: the type t of the input, of the weights
  arn_status (*prepare)(const arn_prepare *p, const arn__dense_tensors *t, arn__dense *d);
  void (*add)(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
              const uint8_t *x);
  void (*finish)(const arn__dense_run *run, arn__dense_block *block, uint8_t *out);
  // May be NULL: computes all outputs of a vector of so many rows, or returns false.
  bool (*whole)(const arn__dense_run *run, const arn__dense_vectors *v, uint32_t rows);
};

// For kinds with int8: a vector that lies in one piece, with one multiplier for all outputs, on
// machines that have kernels/dense.h.
bool arn__dense_whole_int8(const arn__dense_run *run, const arn__dense_vectors *v, uint32_t rows);

extern const arn__dense_kind arn__dense_any;         // all of the table above
extern const arn__dense_kind arn__dense_int8;        // int8 by int8 by rows, side by side
extern const arn__dense_kind arn__dense_int8_wide;   // the same, also with outputs of int16

// Adds the products of weights [depth.first, depth.first + depth.count) with the input at `x`.
static inline void arn__dense_add(const arn__dense_run *run, arn__dense_block *block,
                                  arn_span depth, const uint8_t *x) {
  run->kind->add(run, block, depth, x);
}

// Computes outputs from the block's sums, which are lost; `out` is the output of the block's first
// channel.
static inline void arn__dense_finish(const arn__dense_run *run, arn__dense_block *block,
                                     uint8_t *out) {
  run->kind->finish(run, block, out);
}

// ---- for kinds ----------------------------------------------------------------------------------

// Fills what integer layers need of `d`.
ARN_MUST_CHECK arn_status arn__dense_prepare_quantised(const arn_prepare *p,
                                                       const arn__dense_tensors *t, arn__dense *d);

// Checks scales a channel of the weights: as many as channels, along their axis, no zero points.
ARN_MUST_CHECK arn_status arn__dense_check_channels(const arn_prepare *p,
                                                    const arn__dense_tensors *t,
                                                    const arn__dense *d);

// Takes the weights' zero point times `sum` (of the input, less its zero point) off each sum.
void arn__dense_subtract_zero(const arn__dense_run *run, arn__dense_block *block, int32_t sum);

#endif
