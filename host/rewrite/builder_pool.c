// The memory of a builder: a pool of copies, freed as a whole, growing lists, and the first error.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/builder_internal.h"

struct arn__chunk {
  struct arn__chunk *next;
  _Alignas(8) uint8_t bytes[];
};

void arn__build_fail(arn_builder *builder, const char *format, ...) {
  if (!arn__build_ok(builder)) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(builder->error, sizeof builder->error, format, arguments);
  va_end(arguments);
}

struct arn__blob arn__build_keep(arn_builder *b, const void *data, size_t count,
                                 size_t element_bytes) {
  if (!data || !count) return (struct arn__blob){NULL, 0};
  if (count > ARN_FBWRITE_MAX_BYTES / element_bytes) {
    arn__build_fail(b, "%zu elements of %zu bytes are more than a file can hold", count,
                      element_bytes);
    return (struct arn__blob){NULL, 0};
  }
  struct arn__chunk *chunk = malloc(sizeof *chunk + count * element_bytes);
  if (!chunk) {
    arn__build_fail(b, "out of memory");
    return (struct arn__blob){NULL, 0};
  }
  chunk->next = b->pool;
  b->pool = chunk;
  memcpy(chunk->bytes, data, count * element_bytes);
  return (struct arn__blob){chunk->bytes, (uint32_t)count};
}

struct arn__blob arn__build_keep_name(arn_builder *b, const char *name, const char *what) {
  if (!name) {
    arn__build_fail(b, "%s needs a name", what);
    return (struct arn__blob){NULL, 0};
  }
  const size_t length = strlen(name);
  if (length > ARN_BUILD_MAX_NAME) {
    arn__build_fail(b, "the name of %s has %zu bytes, the limit is %d", what, length,
                      ARN_BUILD_MAX_NAME);
  }
  return arn__build_keep(b, name, length + 1, 1);
}

int32_t arn__build_add(arn_builder *b, struct arn__list *list, const void *item,
                       size_t item_bytes) {
  if (!arn__build_ok(b)) return -1;
  if (list->count == ARN_BUILD_MAX_ITEMS) {
    arn__build_fail(b, "more than %d items of one kind", ARN_BUILD_MAX_ITEMS);
    return -1;
  }
  if (list->count == list->capacity) {
    const uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
    void *items = realloc(list->items, capacity * item_bytes);
    if (!items) {
      arn__build_fail(b, "out of memory");
      return -1;
    }
    list->items = items;
    list->capacity = capacity;
  }
  memcpy((uint8_t *)list->items + list->count * item_bytes, item, item_bytes);
  return (int32_t)list->count++;
}

void arn__build_free_pool(arn_builder *builder) {
  while (builder->pool) {
    struct arn__chunk *next = builder->pool->next;
    free(builder->pool);
    builder->pool = next;
  }
}
