// What every step wrote, as numbers that can be held against another machine's: a checksum and the
// range of each tensor, handed over as soon as its last row is there.
//
//   static arn_trace_entry open[16];
//   static arn_trace trace = {.open = open, .room = 16, .emit = print_entry};
//   config.hooks = arn_trace_hooks(&trace);
//
// Works under every plan, with rows scattered or overwritten a moment later: rows are summed when
// they are written. The checksum is CRC-32 as in zlib, of the tensor's bytes in order; the same on
// host and device, whatever the plan and the kernel variant, unless something computes differently.
// `arenite trace --against` reads lines "invocation subgraph tensor bytes crc32" and names the
// first operator that differs.
#ifndef ARENITE_TRACE_H
#define ARENITE_TRACE_H

#include "arenite/interpreter.h"

#ifdef __cplusplus
extern "C" {
#endif

// Least and greatest value: `real` for FLOAT32 (NaN left out), `integer` for integers and bool.
typedef union arn_trace_value {
  int64_t integer;
  float real;
} arn_trace_value;

typedef struct arn_trace_entry {
  uint32_t subgraph, node, tensor;
  uint32_t bytes;            // summed so far; all of the tensor's when handed over
  uint32_t crc;
  uint32_t nan_count;        // FLOAT32 only
  arn_type type;
  bool has_range;            // least and most are set: there was a number of a type with an order
  arn_trace_value least, most;
} arn_trace_entry;

// Owned by the caller, as are its fields above `open_count`, which starts as 0.
typedef struct arn_trace {
  arn_trace_entry *open;     // tensors of which some rows are written
  uint32_t room;             // entries of `open`; whole tensors need one, row plans a handful
  void (*emit)(void *context, const arn_trace_entry *entry);
  void *context;
  uint32_t open_count;
  uint32_t lost;             // tensors left out because `open` was full
} arn_trace;

// Returns hooks that trace. Borrows `trace` as long as they are used. Cost: a pass over all
// outputs.
arn_hooks arn_trace_hooks(arn_trace *trace);

// Continues a CRC-32 (start with 0) over `count` bytes.
uint32_t arn_trace_crc(uint32_t crc, const void *bytes, size_t count);

// Adds `count` bytes at `bytes`, elements of entry->type, to an entry that started zeroed but for
// its type. Needs: whole elements, except of types that have no range.
void arn_trace_add(arn_trace_entry *entry, const void *bytes, uint32_t count);

// Returns any tensor of the main subgraph as it is after node `after` of an invocation, seen from
// inside the hook of that step or, with after = ARN_NOWHERE, when the invocation is over. Fails:
// ERR_DATA with TENSOR_DEAD where nothing guarantees its bytes (not written yet; nobody reads it
// any more, so its memory may be another's; `need` of the error: the last node that reads it plus
// one); ERR_ARGUMENT (INDEX). Under ARN_KEEP_ALL everything written stays readable. O(nodes).
ARN_MUST_CHECK arn_status arn_tensor_read(const arn_interpreter *nn, uint32_t tensor, int32_t after,
                                          arn_tensor_view *view, arn_error *error);

#ifdef __cplusplus
}
#endif
#endif
