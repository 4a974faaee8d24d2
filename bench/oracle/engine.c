// Operators that are the engine's own work, or that a single node cannot show.
#include "bench/oracle/plain.h"

static void ring(const plain_node *n) {  // the latest slots, oldest first
  const uint32_t slot = n->in[0].count, count = n->out[0].count;
  for (uint32_t i = slot; i < count; i++) n->out[0].s8[i - slot] = n->out[0].s8[i];
  for (uint32_t i = 0; i < slot; i++) n->out[0].s8[count - slot + i] = n->in[0].s8[i];
}

#define NOT_TIMED(op, why) {&arn_op_##op, why, "", NULL, false, 0, {0}, {{0}}}
#define CONTROL(op) NOT_TIMED(op, "control flow: what it runs is other nodes")
#define STATE(op) NOT_TIMED(op, "state of a model: its copies are memcpy")

const plain_case plain_engine[] = {
    CONTROL(if), CONTROL(while), CONTROL(call_once), CONTROL(stablehlo_composite),
    CONTROL(stablehlo_while),
    STATE(var_handle), STATE(read_variable), STATE(assign_variable),
    NOT_TIMED(densify, "a sparse constant, read where it lies by what needs it"),
    NOT_TIMED(embedding_lookup_sparse, "no definition here yet"),
    NOT_TIMED(tflm_decode, "packed constants, which the builder of this program cannot write"),
    {&arn_op_circular_buffer, "50 slots", "s8 1x1x64x32>s8 1x50x64x32", ring, false, 0, {0},
     {{"cycles_max", 1, false}}},
    {.op = NULL}};
