#include "arena.h"

#include <string.h>

static uint32_t align_up(uint32_t x, uint32_t alignment) {
  return (x + alignment - 1) & ~(alignment - 1);
}

void arn__arena_open(arn__arena *a, void *memory, size_t bytes, uint32_t alignment) {
  memset(a, 0, sizeof *a);
  arn__arena_open_block(a, memory, bytes, alignment);
  a->apart = false;
  a->base = a->block;
  a->bytes = a->block_bytes;
}

void arn__arena_open_block(arn__arena *a, void *memory, size_t bytes, uint32_t alignment) {
  const size_t lost = (size_t)(-(uintptr_t)memory & (alignment - 1));
  a->apart = true;
  a->block = NULL;
  a->block_bytes = 0;
  if (memory == NULL || bytes < lost) return;
  bytes -= lost;
  a->block = (uint8_t *)memory + lost;
  a->block_bytes = bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
}

uint32_t arn__arena_dynamic_at(const arn__arena *a, uint32_t alignment) {
  return a->apart ? 0 : align_up(a->used, alignment);
}

static uint32_t *counter_of(arn_usage *usage, arn__purpose purpose) {
  switch (purpose) {
    case ARN__FOR_OP_DATA: return &usage->op_data;
    case ARN__FOR_VARIABLES: return &usage->variables;
    case ARN__FOR_WEIGHTS: return &usage->weights_copied;
    default: return &usage->engine_records;
  }
}

static arn_what what_of(arn__purpose purpose) {
  switch (purpose) {
    case ARN__FOR_OP_DATA: return ARN_WHAT_ARENA_STATE;
    case ARN__FOR_VARIABLES: return ARN_WHAT_ARENA_VARIABLE;
    case ARN__FOR_WEIGHTS: return ARN_WHAT_ARENA_WEIGHTS;
    default: return ARN_WHAT_ARENA_RECORDS;
  }
}

void arn__arena_note_failure(arn__arena *a, arn_what what, uint32_t need, uint32_t have) {
  if (a->failure.status != ARN_OK) return;
  a->failure = (arn_error){ARN_ERR_NO_MEMORY, what, ARN_NOWHERE, ARN_NOWHERE,
                           ARN_NOWHERE,       need, have,        0};
}

static void note_init(arn__arena *a) {
  if (a->used + a->temporary > a->init_bytes) a->init_bytes = a->used + a->temporary;
}

uint32_t arn__arena_take(arn__arena *a, uint32_t bytes, uint32_t alignment,
                         arn__purpose purpose) {
  const uint32_t offset = align_up(a->used, alignment);
  const uint32_t limit = (a->bytes & ~3u) - (a->apart ? 0 : a->temporary);
  a->usage.static_padding += offset - a->used;
  *counter_of(&a->usage, purpose) += bytes;
  if (offset + bytes > limit) {
    arn__arena_note_failure(a, what_of(purpose), bytes, limit > a->used ? limit - a->used : 0);
  }
  a->used = offset + bytes;
  note_init(a);
  return offset;
}

bool arn__arena_has(const arn__arena *a) { return a->failure.status == ARN_OK; }

bool arn__arena_take_temporary(arn__arena *a, uint32_t bytes) {
  const uint32_t limit = a->block_bytes & ~3u;
  const uint32_t taken = a->temporary + (a->apart ? 0 : a->used);
  a->temporary += bytes;
  if (a->temporary > a->temporary_most) a->temporary_most = a->temporary;
  note_init(a);
  if (taken + bytes <= limit) return true;
  arn__arena_note_failure(a, ARN_WHAT_ARENA_PREPARE, bytes, limit > taken ? limit - taken : 0);
  return false;
}

void arn__arena_reset_temporary(arn__arena *a) { a->temporary = 0; }
