// What a builder collects (builder.c) and what is then written (builder_write.c).
#ifndef ARENITE_HOST_REWRITE_BUILDER_INTERNAL_H
#define ARENITE_HOST_REWRITE_BUILDER_INTERNAL_H

#include "host/rewrite/builder.h"
#include "host/rewrite/fbwrite.h"

// A copy of the caller's bytes, kept in the builder's pool.
struct arn__blob {
  const void *data;
  uint32_t count;  // elements
};

struct arn__built_buffer {
  struct arn__blob data;
  uint64_t hash;
};

struct arn__built_code {
  int32_t code, version;
  struct arn__blob custom_name;
};

struct arn__built_tensor {
  struct arn__blob name, shape, scales, zero_points;
  arn_type type;
  uint32_t buffer;
  int32_t axis;
  bool is_variable;
};

struct arn__built_operator {
  uint32_t code_index;
  struct arn__blob inputs, outputs, intermediates, custom_options;
  arn_build_options options;  // its pointers are copies
};

struct arn__built_alias {
  struct arn__blob name;
  int32_t tensor;
};

struct arn__built_signature {
  struct arn__blob key, inputs, outputs;  // inputs and outputs: struct arn__built_alias
  int32_t subgraph;
};

struct arn__built_metadata {
  struct arn__blob name;
  uint32_t buffer;
};

// A growing array; `item_bytes` is that of the structs above.
struct arn__list {
  void *items;
  uint32_t count, capacity;
};

struct arn__built_subgraph {
  struct arn__blob name, inputs, outputs;
  struct arn__list tensors, operators;
};

struct arn_builder {
  struct arn__list subgraphs, codes, buffers, signatures, metadata;
  struct arn__blob description;
  struct arn__chunk *pool;
  char error[192];
};

static inline bool arn__build_ok(const arn_builder *b) { return b && !b->error[0]; }

// Keeps a formatted error unless there is one already.
void arn__build_fail(arn_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Copies `count` elements into the pool. An empty blob if there is nothing to copy, or no memory.
struct arn__blob arn__build_keep(arn_builder *builder, const void *data, size_t count,
                                   size_t element_bytes);

// Copies a name with its terminator. `what` says in the error whose name is missing or too long.
struct arn__blob arn__build_keep_name(arn_builder *builder, const char *name, const char *what);

// Adds an item to a list. Returns its index, -1 on failure.
int32_t arn__build_add(arn_builder *builder, struct arn__list *list, const void *item,
                         size_t item_bytes);

// Frees all copies.
void arn__build_free_pool(arn_builder *builder);

// Checks everything that could only be checked once the model is complete.
void arn__build_check(arn_builder *builder);

// Writes the collected model. *file is zeroed before; the caller releases it.
void arn__build_write(arn_builder *builder, arn_fbwrite *file);

#endif
