// An instance of the engine for tools and tests: the model's bytes, an arena of exactly the size
// that arn_measure says (between canaries, filled with a pattern first), and the started
// interpreter.
#ifndef ARENITE_HOST_CHECK_ENGINE_H
#define ARENITE_HOST_CHECK_ENGINE_H

#include "arenite/arenite.h"
#include "host/check/stream.h"

// What the arena holds before the start.
typedef enum host_fill { HOST_FILL_ZERO, HOST_FILL_A5, HOST_FILL_RANDOM } host_fill;

// How to build an engine. Zeroed: all operators, default planner, 16-byte aligned base.
typedef struct host_options {
  arn_config config;        // config.ops NULL: all operators
  host_fill fill;
  uint32_t arena_bytes;     // 0: exactly what is needed
  bool apart;               // the dynamic region in a block of its own
  uint32_t apart_bytes;     // of that block; 0: exactly what is needed
  uint32_t misalignment;    // of the base, 0..63
} host_options;

typedef struct host_engine {
  uint8_t *block;           // canary, arena, canary
  size_t block_bytes;
  uint8_t *arena;
  uint32_t arena_bytes;
  uint8_t *apart;           // canary, dynamic region, canary; NULL where it lies in the arena
  uint32_t apart_bytes;
  void *file;               // a copy of the file that the engine owns, or NULL
  host_stream *stream;      // streamed inputs and outputs; NULL where the options bring their own
  arn_model model;
  arn_interpreter nn;
  arn_usage usage;          // measured beforehand
} host_engine;

// Reads a whole file. Returns malloc'ed bytes (at least 64-byte aligned) or NULL with errno set.
// The caller frees.
void *host_read_file(const char *path, size_t *bytes);

// Opens the model, measures, allocates, starts. Borrows `bytes`. Streamed inputs and outputs go
// through a host_stream of the engine's unless the options have callbacks. The engine must not
// move. On failure everything is freed, and the status is that of the step that failed;
// ERR_INTERNAL where the host has no memory.
ARN_MUST_CHECK arn_status host_engine_open(host_engine *engine, const void *bytes, size_t size,
                                           const host_options *options, arn_error *error);

// As arn_input / arn_output; the data of a streamed one are the engine's copy, apart from the
// arena.
arn_tensor_view host_engine_input(const host_engine *engine, uint32_t i);
arn_tensor_view host_engine_output(const host_engine *engine, uint32_t i);

// As arn_invoke. An invocation that went well but did not take the rows of streamed inputs in
// order, or did not give every row of streamed outputs so, is ERR_INTERNAL.
ARN_MUST_CHECK arn_status host_engine_invoke(host_engine *engine, arn_error *error);

// Says whether nothing was written outside the arena since the start.
bool host_engine_is_intact(const host_engine *engine);

void host_engine_close(host_engine *engine);

// Measures with as much workspace as it takes. *workspace is to be freed by the caller.
ARN_MUST_CHECK arn_status host_measure(const arn_model *model, const arn_config *config,
                                       arn_usage *usage, arn_error *error);

// Fills `tensor` with the documented pseudo-random input: invocation and input index give the seed.
void host_generate_input(const arn_tensor_view *tensor, uint32_t invocation, uint32_t input);

#endif
