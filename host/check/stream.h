// The application's side of streamed inputs and outputs, for tools and tests: whole inputs are kept
// apart from the arena and handed over by rows; rows of outputs are put together again.
#ifndef ARENITE_HOST_CHECK_STREAM_H
#define ARENITE_HOST_CHECK_STREAM_H

#include "arenite/arenite.h"

#define HOST_MAX_PORTS 32u   // the masks of a row plan have no more

typedef struct host_stream {
  uint8_t *inputs[HOST_MAX_PORTS], *outputs[HOST_MAX_PORTS];
  uint32_t input_bytes[HOST_MAX_PORTS], output_bytes[HOST_MAX_PORTS];
  uint32_t fetched[HOST_MAX_PORTS], delivered[HOST_MAX_PORTS];   // rows, in this invocation
  bool poison;     // rows that were delivered are dead: overwrite them in the arena at once
  bool in_order;   // so far each row came once, in ascending order
} host_stream;

// Returns a new stream for the main subgraph of a model; NULL where the host has no memory. The
// caller frees it.
host_stream *host_stream_new(const arn_model *model);
void host_stream_free(host_stream *stream);

// The callbacks to give to the engine. Borrows `stream`.
arn_stream host_stream_callbacks(host_stream *stream);

// Forgets what was fetched and delivered. Needed before each invocation.
void host_stream_begin(host_stream *stream);

// Says whether the invocation took rows in order, each once, and gave every row of every streamed
// output likewise. Needs: the engine is started.
bool host_stream_is_complete(const host_stream *stream, const arn_interpreter *nn);

// Gives a view of a streamed input or output the bytes that are kept apart. Others stay as they
// are.
void host_stream_fill_view(const host_stream *stream, arn_tensor_view *view, uint32_t port,
                           bool is_input);

#endif
