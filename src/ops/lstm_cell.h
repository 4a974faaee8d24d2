// An LSTM in one direction.
//
//   gate g   = act(Wx[g] x + b[g]  +  Wh[g] h)     tanh for the cell gate, logistic for the rest
//   cell     = clip(forget * cell + input * g_cell)
//   out = h  = output * tanh(cell)
//
// float32 (weights of any type that dense.h takes), int8 and int16, whose cell has 16 bits and a
// power of two as its scale. Gates are two dense layers, whose 16-bit results (Q3.12) are added
// saturating.
//
// A step in time needs no scratch: units are computed in blocks, all four gates of a block before
// the next one; the new hidden values go to the output and become the hidden state when all are
// there.
//
// Variants (lstm_variant.c) are of float32 only, in any combination, and need the gates of all
// units as scratch:
//   coupled         there is no input gate: input = 1 - forget
//   peepholes       gates see the cell, times a weight a unit: the old one, the output gate the new
//   normalised      a gate's sums are normalised over the units, then scaled, then the bias is
// added
//   projected       out = h = clip(Wp (output * tanh(cell)) + bp): fewer outputs than units
#ifndef ARENITE_SRC_OPS_LSTM_CELL_H
#define ARENITE_SRC_OPS_LSTM_CELL_H

#include "dense.h"

enum { ARN__LSTM_GATES = 4 };  // input, forget, cell, output
enum { ARN__LSTM_INPUT = 0, ARN__LSTM_FORGET = 1, ARN__LSTM_CELL = 2, ARN__LSTM_OUTPUT = 3 };

// How a layer's sums become values: a multiplier; for float the position of the weights' scale.
typedef union arn__lstm_scale {
  arn__requant one;
  uint32_t scales_at;
} arn__lstm_scale;

enum {
  ARN__LSTM_COUPLED = 1,
  ARN__LSTM_PEEPHOLES = 2,
  ARN__LSTM_NORMALISED = 4,
  ARN__LSTM_PROJECTED = 8,
};

// Inputs of a node, from the first of a direction's weights on.
enum {
  ARN__LSTM_RECURRENT = 4,
  ARN__LSTM_PEEPHOLE = 8,
  ARN__LSTM_BIAS = 11,
  ARN__LSTM_PROJECTION = 15,
  ARN__LSTM_PROJECTION_BIAS = 16,
};

// What variants add, kept behind the prepared data of the direction.
typedef struct arn__lstm_more {
  uint32_t outputs;
  float projection_clip;         // 0: none
  uint32_t projection_scales_at; // of integer weights, in the file
  float peephole_scale[3];       // input, forget, output
  uint8_t norm_at;               // input of the node: first of four layer normalisations
  uint8_t peephole_type, projection_type, projection_bias;  // types
} arn__lstm_more;

// Prepared data of one direction.
typedef struct arn__lstm {
  uint32_t inputs, units;
  union {
    float f32;
    int32_t s16;
  } clip;                   // negative: none
  int16_t in_zero, hidden_zero;
  uint8_t type, w_type, bias_type;
  int8_t cell_power;        // the cell's scale is 2^cell_power
  uint8_t weights_at;       // inputs of the node: first of the weights (gates' input weights, then
  uint8_t hidden_at, cell_at;  // recurrent ones, peepholes, biases, projection); the states
  uint8_t variant;          // ARN__LSTM_...
  arn__lstm_scale scale[2][ARN__LSTM_GATES];  // input, recurrent
  arn__requant product, hidden;               // of gates: into the cell, into the hidden state
} arn__lstm;

// Checks a direction's tensors and fills `s`. Set before: inputs, units, weights_at, hidden_at,
// cell_at. more: NULL where no variant is taken; else set before: outputs, norm_at,
// projection_clip; it is kept only if s->variant says so. `clip` bounds the cell, 0 for none.
ARN_MUST_CHECK arn_status arn__lstm_prepare(const arn_prepare *p, const arn_tensor *in,
                                            uint32_t batches, float clip, arn__lstm *s,
                                            arn__lstm_more *more);

// Returns the bytes of scratch that a step needs.
uint32_t arn__lstm_scratch_bytes(const arn__lstm *s);

// Returns how many bytes of `s` are in use (with a variant: all).
uint32_t arn__lstm_state_bytes(const arn__lstm *s);

// Returns how many values the hidden state of a batch has.
static inline uint32_t arn__lstm_outputs(const arn__lstm *s, const arn__lstm_more *more) {
  return s->variant & ARN__LSTM_PROJECTED ? more->outputs : s->units;
}

// A step in time of one batch.
typedef struct arn__lstm_site {
  const arn_eval *e;
  const arn__lstm *s;
  const arn__lstm_more *more;  // read only if s->variant
  const uint8_t *x;            // [inputs]
  uint8_t *hidden, *cell;      // of the step before; set by arn__lstm_step
  uint8_t *out;                // [units], or as many as a projection has
} arn__lstm_site;

// Runs it: reads x, writes out and the states of batch `batch`.
void arn__lstm_step(arn__lstm_site *t, uint32_t batch);

// ---- between lstm_cell.c and lstm_variant.c -----------------------------------------------------

// Computes a block of units, from `first` on, of a gate's layer on the input (side 0) or on the
// hidden state (side 1).
void arn__lstm_layer(const arn__lstm_site *t, uint32_t side, uint32_t gate, uint32_t first,
                     void *out);

// Finds out which variant a float node is, and checks its tensors. Sets s->variant, *more.
ARN_MUST_CHECK arn_status arn__lstm_variant_prepare(const arn_prepare *p, arn__lstm *s,
                                                    arn__lstm_more *more);

// One step: reads and writes as arn__lstm_step says.
void arn__lstm_variant_step(const arn__lstm_site *t);

#endif
