#include "host/check/ladder.h"

#include <stdlib.h>
#include <string.h>

#define GUARD 64u
#define GUARD_BYTE 0xC5
#define SPREAD 61u

// One block for all sizes: guard, up to 63 bytes of shift, arena, guard; and another such block for
// a dynamic region apart, its bytes as config.dynamic and config.dynamic_bytes say.
struct climb {
  const arn_model *model;
  arn_config config;
  arn_usage usage;
  uint8_t *block;
  uint8_t *apart;
  host_ladder *ladder;
};

static bool wrong(struct climb *c, const char *what, uint32_t bytes, uint32_t shift) {
  c->ladder->wrong = what;
  c->ladder->at_bytes = bytes;
  c->ladder->misalignment = shift;
  return false;
}

static uint8_t *inside(uint8_t *block, uint32_t shift) {
  uint8_t *at = block + GUARD;
  return at + (-(uintptr_t)at & 63u) + shift;
}

static uint8_t *arena_at(const struct climb *c, uint32_t shift) { return inside(c->block, shift); }

// Fills a part of a block, and all around it with guards.
static void prepare_part(uint8_t *block, uint8_t *part, size_t bytes) {
  memset(part, 0xA5, bytes);
  memset(part + bytes, GUARD_BYTE, GUARD);
  memset(block, GUARD_BYTE, (size_t)(part - block));
}

static bool part_holds(const uint8_t *block, const uint8_t *part, size_t bytes) {
  for (uint32_t i = 0; i < GUARD; i++) {
    if (part[bytes + i] != GUARD_BYTE) return false;
  }
  for (const uint8_t *p = block; p < part; p++) {
    if (*p != GUARD_BYTE) return false;
  }
  return true;
}

static bool guards_hold(const struct climb *c, const uint8_t *arena, uint32_t bytes) {
  const arn_config *config = &c->config;
  return part_holds(c->block, arena, bytes) &&
         (config->dynamic == NULL || part_holds(c->apart, config->dynamic, config->dynamic_bytes));
}

static arn_status start(struct climb *c, uint32_t bytes, uint32_t shift, arn_interpreter *nn,
                        arn_error *error) {
  uint8_t *arena = arena_at(c, shift);
  prepare_part(c->block, arena, bytes);
  if (c->config.dynamic) prepare_part(c->apart, c->config.dynamic, c->config.dynamic_bytes);
  c->ladder->sizes_tried++;
  return arn_start(nn, c->model, arena, bytes, &c->config, error);
}

static bool fails_cleanly(struct climb *c, uint32_t bytes, uint32_t shift, uint32_t total) {
  arn_interpreter nn;
  arn_error error = {0};
  if (start(c, bytes, shift, &nn, &error) != ARN_ERR_NO_MEMORY) {
    return wrong(c, "a start below the need did not fail with ERR_NO_MEMORY", bytes, shift);
  }
  if (error.total_need == 0) c->ladder->totals_unknown++;
  if (error.total_need != 0 && error.total_need != total) {
    return wrong(c, "the failure does not name the whole need", bytes, shift);
  }
  if (error.need <= error.have || error.what == ARN_WHAT_NONE) {
    return wrong(c, "the failure does not say what lacks how much", bytes, shift);
  }
  if (!guards_hold(c, arena_at(c, shift), bytes)) {
    return wrong(c, "a failed start wrote outside the arena", bytes, shift);
  }
  if (arn_invoke(&nn, NULL) != ARN_ERR_NOT_READY || arn_input(&nn, 0).data != NULL) {
    return wrong(c, "a failed interpreter does not refuse to run", bytes, shift);
  }
  return true;
}

static bool succeeds(struct climb *c, uint32_t bytes, uint32_t shift, bool invoke) {
  arn_interpreter nn;
  arn_error error;
  if (start(c, bytes, shift, &nn, &error) != ARN_OK) {
    return wrong(c, "a start with all the bytes it needs failed", bytes, shift);
  }
  for (uint32_t i = 0; i < 64 && arn_input(&nn, i).data; i++) {
    const arn_tensor_view t = arn_input(&nn, i);
    host_generate_input(&t, 0, i);
  }
  const arn_status status = invoke ? arn_invoke(&nn, &error) : ARN_OK;
  if (status < 0 && status != ARN_ERR_DATA) return wrong(c, "invoke failed", bytes, shift);
  if (!guards_hold(c, arena_at(c, shift), bytes)) {
    return wrong(c, "bytes outside the arena were written", bytes, shift);
  }
  return true;
}

static bool climb_sizes(struct climb *c, uint32_t full_below) {
  const uint32_t need = c->usage.arena_bytes;
  const uint32_t step = need <= full_below ? 1 : need / SPREAD + 1;
  for (uint32_t bytes = 0; bytes < need; bytes += step) {
    if (!fails_cleanly(c, bytes, 0, need)) return false;
  }
  if (!fails_cleanly(c, need - 1, 0, need)) return false;
  return succeeds(c, need, 0, true) && succeeds(c, need + 1, 0, false);
}

static bool climb_bases(struct climb *c) {
  for (uint32_t shift = 1; shift < 16; shift++) {
    const uint32_t padding = 16 - shift, need = c->usage.arena_bytes + padding;
    if (!fails_cleanly(c, need - 1, shift, need) || !succeeds(c, need, shift, shift == 1)) {
      return false;
    }
  }
  return true;
}

// Sets the bytes of the other block, `shift` above an aligned address.
static void set_apart(struct climb *c, uint32_t bytes, uint32_t shift) {
  c->config.dynamic = inside(c->apart, shift);
  c->config.dynamic_bytes = bytes;
}

// The arena too small, with a block that suffices; the block too small, with an arena that
// suffices; both as they must be.
static bool climb_apart(struct climb *c, uint32_t full_below) {
  const uint32_t fixed = c->usage.static_bytes, need = c->usage.dynamic_block_bytes;
  set_apart(c, need, 0);
  const uint32_t step = fixed <= full_below ? 1 : fixed / SPREAD + 1;
  for (uint32_t bytes = 0; bytes < fixed; bytes += step) {
    if (!fails_cleanly(c, bytes, 0, fixed)) return false;
  }
  if (!fails_cleanly(c, fixed - 1, 0, fixed) || !succeeds(c, fixed, 0, true)) return false;
  const uint32_t stride = need <= full_below ? 1 : need / SPREAD + 1;
  for (uint32_t bytes = 0; bytes < need; bytes += stride) {
    set_apart(c, bytes, 0);
    if (!fails_cleanly(c, fixed, 0, need)) return false;
  }
  for (uint32_t shift = 1; shift < 16 && need > 0; shift++) {
    set_apart(c, need + 15 - shift, shift);
    if (!fails_cleanly(c, fixed, 0, need + 16 - shift)) return false;
    set_apart(c, need + 16 - shift, shift);
    if (!succeeds(c, fixed + 16 - shift, shift, shift == 1)) return false;
  }
  return true;
}

static uint8_t *new_block(uint32_t bytes) { return malloc((size_t)bytes + 4 * GUARD + 128); }

bool host_ladder_climb(const void *bytes, size_t size, uint32_t full_below, host_ladder *ladder) {
  arn_model model;
  arn_error error;
  struct climb c = {.model = &model, .config = {.ops = &arn_ops_all}, .ladder = ladder};
  memset(ladder, 0, sizeof *ladder);
  if (arn_model_open(&model, bytes, size, &error) != ARN_OK) return false;
  arn_model_infer_shapes(&model);
  if (host_measure(&model, &c.config, &c.usage, &error) != ARN_OK) return false;
  c.block = new_block(c.usage.arena_bytes);
  c.apart = new_block(c.usage.dynamic_block_bytes);
  const bool ready = c.block && c.apart;
  if (ready) (void)(climb_sizes(&c, full_below) && climb_bases(&c) && climb_apart(&c, full_below));
  free(c.block);
  free(c.apart);
  return ready;
}
