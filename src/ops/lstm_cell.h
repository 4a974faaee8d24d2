// An LSTM in one direction, without peepholes, projection, layer normalisation, coupled gates.
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
#ifndef ARENITE_SRC_OPS_LSTM_CELL_H
#define ARENITE_SRC_OPS_LSTM_CELL_H

#include "dense.h"

enum { ARN__LSTM_GATES = 4 };  // input, forget, cell, output

// How a layer's sums become values: a multiplier; for float the position of the weights' scale.
typedef union arn__lstm_scale {
  arn__requant one;
  uint32_t scales_at;
} arn__lstm_scale;

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
  arn__lstm_scale scale[2][ARN__LSTM_GATES];  // input, recurrent
  arn__requant product, hidden;               // of gates: into the cell, into the hidden state
} arn__lstm;

// Checks a direction's tensors and fills `s`. Set before: inputs, units, weights_at, hidden_at,
// cell_at. `kept` is how many values each state has; `clip` bounds the cell, 0 for none.
ARN_MUST_CHECK arn_status arn__lstm_prepare(const arn_prepare *p, const arn_tensor *in,
                                            uint32_t kept, float clip, arn__lstm *s);

// Returns how many bytes of `s` are in use.
uint32_t arn__lstm_state_bytes(const arn__lstm *s);

// One step in time of batch `batch`: reads x [inputs], writes out [units] and the states.
void arn__lstm_step(const arn_eval *e, const arn__lstm *s, const uint8_t *x, uint32_t batch,
                    uint8_t *out);

#endif
