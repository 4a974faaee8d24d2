// CIRCULAR_BUFFER (custom): the last few inputs of a stream, as one tensor; and a clock divider.
//
//   input [1,1,W,C], output [1,slots,W,C]: the oldest input first, this one last.
//
// The graph behind it goes on only in every `cycles_max`-th invocation: in the others the node asks
// to stop. Inputs before the first one are zeros (of the quantised kind).
//
// The older inputs are kept in persistent memory, behind a counter; the output is written anew.
#include <string.h>

#include "../model/flexbuffer.h"
#include "arenite/op.h"

typedef struct circular_state {
  uint32_t slot_bytes;
  uint32_t older_bytes;  // of the slots but the last
  uint32_t cycles_max;
  int16_t fill;          // the byte that zeros are made of
  int16_t spare;
} circular_state;

// How often the node has run since it last let the graph go on, plus 1; 0 before the first time.
typedef struct circular_memory {
  uint32_t cycle;
  uint8_t older[];
} circular_memory;

static arn_status check(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  if (!(p->op->types & ARN_TYPE_BIT(in->type))) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (in->type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  if (in->rank != 4) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  if (out->rank != 4) return arn_refuse_model(p, ARN_WHAT_RANK, out);
  if (in->dims[0] != 1 || in->dims[1] != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  if (out->dims[0] != 1 || out->dims[1] < 1 || out->dims[2] != in->dims[2] ||
      out->dims[3] != in->dims[3]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  if (arn_tensor_scale(p->model, in, 0) != arn_tensor_scale(p->model, out, 0) ||
      arn_tensor_zero(p->model, in, 0) != arn_tensor_zero(p->model, out, 0)) {
    return arn_refuse(p, ARN_WHAT_QUANTISATION, out);
  }
  return ARN_OK;
}

// Reads the option. Where it is missing the reference guesses from the output's shape, and for one
// shape also from how many such nodes a process has seen: that one is refused.
static arn_status read_cycles(const arn_prepare *p, const arn_tensor *out, uint32_t *cycles) {
  arn__flex_map map;
  arn__flex_open(&map, p->model, p->node);
  const int32_t option = arn__flex_i32(&map, "cycles_max", 0);
  if (!map.ok) return arn_refuse_model(p, ARN_WHAT_CUSTOM_OPTIONS, NULL);
  const int32_t slots = out->dims[1];
  *cycles = option > 0 ? (uint32_t)option : slots == 5 || slots == 13 || slots == 25 ? 1 : 2;
  if (option <= 0 && *cycles == 2 && out->dims[2] == 2 && out->dims[3] == 96) {
    return arn_refuse(p, ARN_WHAT_OPTION, out);
  }
  return ARN_OK;
}

static arn_status prepare_circular(arn_prepare *p, void *state) {
  circular_state *s = state;
  arn_tensor in, out;
  memset(s, 0, sizeof *s);
  arn_status status = arn_prepare_counts(p, 1, 1, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status == ARN_OK) status = check(p, &in, &out);
  if (status == ARN_OK) status = read_cycles(p, &out, &s->cycles_max);
  if (status != ARN_OK) return status;
  s->slot_bytes = in.bytes;
  s->older_bytes = out.bytes - in.bytes;
  const bool bytes = in.type == ARN_INT8 || in.type == ARN_UINT8;
  s->fill = (int16_t)(bytes ? arn_tensor_zero(p->model, &in, 0) : 0);
  p->work = ARN_WHOLE;
  p->persistent_bytes = (uint32_t)sizeof(circular_memory) + s->older_bytes;
  return ARN_OK;
}

static arn_status eval_circular(const arn_eval *e, const void *state) {
  const circular_state *s = state;
  circular_memory *memory = e->persistent;
  uint8_t *out = arn_eval_out(e, 0);
  if (memory->cycle == 0) {
    memset(memory->older, s->fill, s->older_bytes);
    memory->cycle = 1;
  }
  memcpy(out, memory->older, s->older_bytes);
  memcpy(out + s->older_bytes, arn_eval_in(e, 0), s->slot_bytes);
  memcpy(memory->older, out + s->slot_bytes, s->older_bytes);
  if (memory->cycle++ < s->cycles_max) return ARN_STOPPED;
  memory->cycle = 1;
  return ARN_OK;
}

const arn_op arn_op_circular_buffer = {
    .name = "CIRCULAR_BUFFER",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(circular_state),
    .types = ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT16) |
             ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_circular,
    .eval = eval_circular,
};
