#include "host/check/engine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANARY_BYTES 64u
#define CANARY 0xC5
#define BLOCK_ALIGNMENT 64u
#define FILE_ALIGNMENT 64u
#define MAX_WORKSPACE (16u << 20)

void *host_read_file(const char *path, size_t *bytes) {
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  void *data = NULL;
  long size = -1;
  if (fseek(f, 0, SEEK_END) == 0) size = ftell(f);
  if (size == LONG_MAX) {   // what a folder seems to have
    size = -1;
    errno = EISDIR;
  }
  if (size >= 0 && fseek(f, 0, SEEK_SET) == 0) {
    const size_t padded = ((size_t)size / FILE_ALIGNMENT + 1) * FILE_ALIGNMENT;
    data = aligned_alloc(FILE_ALIGNMENT, padded);
    if (data && fread(data, 1, (size_t)size, f) != (size_t)size) {
      free(data);
      data = NULL;
      errno = EIO;
    }
  }
  fclose(f);
  *bytes = data ? (size_t)size : 0;
  return data;
}

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static void store(const arn_tensor_view *t, uint32_t i, uint64_t u) {
  uint8_t *data = t->data;
  const uint32_t element = arn_type_bytes(t->type);
  uint64_t value[2] = {u, 0};  // an element of complex128 is two
  float real;
  switch (t->type) {
    case ARN_FLOAT32:
      real = (float)((int32_t)(u >> 40) - 8388608) * (1.0f / 8388608.0f);
      memcpy(data + 4 * (size_t)i, &real, sizeof real);
      return;
    case ARN_BOOL: value[0] = u & 1; break;
    case ARN_INT32:
    case ARN_INT64:
    case ARN_UINT64: value[0] = u & 7; break;
    case ARN_UINT32: value[0] = u & 0xFFFFF; break;
    default: break;
  }
  memcpy(data + (size_t)element * i, value, element);
}

void host_generate_input(const arn_tensor_view *t, uint32_t invocation, uint32_t input) {
  uint64_t state = 1000u * (uint64_t)invocation + input;
  const uint32_t element = arn_type_bytes(t->type);
  if (t->data == NULL || element == 0) return;
  for (uint32_t i = 0; i < t->bytes / element; i++) store(t, i, next_random(&state));
}

arn_status host_measure(const arn_model *model, const arn_config *config, arn_usage *usage,
                        arn_error *error) {
  size_t bytes = 0;
  for (;;) {
    void *workspace = bytes ? malloc(bytes) : NULL;
    const arn_status status = arn_measure(model, config, workspace, bytes, usage, error);
    free(workspace);
    if (status != ARN_ERR_NO_MEMORY || bytes >= MAX_WORKSPACE) return status;
    bytes = bytes ? 4 * bytes : 4096;
  }
}

static void fill(uint8_t *at, size_t bytes, host_fill how) {
  uint64_t state = bytes;
  if (how != HOST_FILL_RANDOM) {
    memset(at, how == HOST_FILL_A5 ? 0xA5 : 0, bytes);
    return;
  }
  for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)next_random(&state);
}

static size_t apart_size(uint32_t bytes) {
  const size_t padding = -(size_t)bytes & (BLOCK_ALIGNMENT - 1);
  return 2 * CANARY_BYTES + bytes + padding;
}

static bool allocate(host_engine *e, const host_options *o, uint32_t alignment) {
  const uint32_t lost = (uint32_t)(-o->misalignment & (alignment - 1u));
  const uint32_t need = o->apart ? e->usage.static_bytes : e->usage.arena_bytes;
  e->arena_bytes = o->arena_bytes ? o->arena_bytes : need + lost;
  e->block_bytes = 2 * CANARY_BYTES + (size_t)e->arena_bytes + BLOCK_ALIGNMENT + o->misalignment;
  e->block = malloc(e->block_bytes);
  if (e->block == NULL) return false;
  memset(e->block, CANARY, e->block_bytes);
  uint8_t *at = e->block + CANARY_BYTES;
  at += -(uintptr_t)at & (BLOCK_ALIGNMENT - 1);
  e->arena = at + o->misalignment;
  fill(e->arena, e->arena_bytes, o->fill);
  return true;
}

// Gives the configuration the block that the options want for the dynamic region.
static bool allocate_apart(host_engine *e, const host_options *o, arn_config *config) {
  if (!o->apart) return true;
  const uint32_t bytes = o->apart_bytes ? o->apart_bytes : e->usage.dynamic_block_bytes;
  e->apart_bytes = bytes;
  e->apart = aligned_alloc(BLOCK_ALIGNMENT, apart_size(bytes));
  if (e->apart == NULL) return false;
  memset(e->apart, CANARY, apart_size(bytes));
  config->dynamic = e->apart + CANARY_BYTES;
  config->dynamic_bytes = bytes;
  fill(config->dynamic, bytes, o->fill);
  return true;
}

static bool bring_stream(host_engine *e, arn_stream *stream) {
  if (stream->fetch || stream->deliver) return true;
  e->stream = host_stream_new(&e->model);
  if (e->stream) *stream = host_stream_callbacks(e->stream);
  return e->stream != NULL;
}

arn_status host_engine_open(host_engine *e, const void *bytes, size_t size,
                            const host_options *options, arn_error *error) {
  arn_config config = options->config;
  memset(e, 0, sizeof *e);
  if (config.ops == NULL) config.ops = &arn_ops_all;
  arn_status status = arn_model_open(&e->model, bytes, size, error);
  if (status == ARN_OK) arn_model_infer_shapes(&e->model);
  if (status == ARN_OK) status = host_measure(&e->model, &config, &e->usage, error);
  if (status != ARN_OK) return status;
  if (!allocate(e, options, config.alignment ? config.alignment : 16u) ||
      !allocate_apart(e, options, &config) || !bring_stream(e, &config.stream)) {
    host_engine_close(e);
    return ARN_ERR_INTERNAL;
  }
  status = arn_start(&e->nn, &e->model, e->arena, e->arena_bytes, &config, error);
  if (status != ARN_OK) {
    const bool intact = host_engine_is_intact(e);
    host_engine_close(e);
    return intact ? status : ARN_ERR_INTERNAL;
  }
  return status;
}

arn_tensor_view host_engine_input(const host_engine *e, uint32_t i) {
  arn_tensor_view view = arn_input(&e->nn, i);
  if (e->stream) host_stream_fill_view(e->stream, &view, i, true);
  return view;
}

arn_tensor_view host_engine_output(const host_engine *e, uint32_t i) {
  arn_tensor_view view = arn_output(&e->nn, i);
  if (e->stream) host_stream_fill_view(e->stream, &view, i, false);
  return view;
}

arn_status host_engine_invoke(host_engine *e, arn_error *error) {
  if (e->stream) host_stream_begin(e->stream);
  const arn_status status = arn_invoke(&e->nn, error);
  if (status != ARN_OK || e->stream == NULL) return status;
  if (host_stream_is_complete(e->stream, &e->nn)) return status;
  *error = (arn_error){.status = ARN_ERR_INTERNAL, .what = ARN_WHAT_STREAM, .subgraph = ARN_NOWHERE,
                       .node = ARN_NOWHERE, .tensor = ARN_NOWHERE};
  return ARN_ERR_INTERNAL;
}

static bool all_canary(const uint8_t *from, const uint8_t *to) {
  for (; from < to; from++) {
    if (*from != CANARY) return false;
  }
  return true;
}

bool host_engine_is_intact(const host_engine *e) {
  const uint32_t apart = e->apart_bytes;
  return all_canary(e->block, e->arena) &&
         all_canary(e->arena + e->arena_bytes, e->block + e->block_bytes) &&
         (e->apart == NULL || (all_canary(e->apart, e->apart + CANARY_BYTES) &&
                               all_canary(e->apart + CANARY_BYTES + apart,
                                          e->apart + apart_size(apart))));
}

void host_engine_close(host_engine *e) {
  free(e->block);
  free(e->apart);
  free(e->file);
  host_stream_free(e->stream);
  memset(e, 0, sizeof *e);
}
