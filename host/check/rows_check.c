#include "host/check/rows_check.h"

#include <stdlib.h>
#include <string.h>

#include "host/check/trial.h"
#include "src/graph/place.h"
#include "src/graph/rows.h"
#include "src/runtime/records.h"

#define MAX_TENSORS 64u
#define GAP_BYTES 64u
#define BLOCK_ALIGNMENT 16u

// A tensor of the node: its rows lie at table[first_entry + row] of the scattered memory; the word
// before holds their bytes.
struct part {
  int32_t tensor;
  bool is_output, scattered;
  uint32_t slot, rows, row_bytes, bytes, first_entry;
  const uint8_t *values;   // what the whole run gave
};

struct rig {
  const host_engine *engine;
  uint32_t node_index;
  host_trial t;
  struct part parts[MAX_TENSORS];
  uint32_t part_count, table_words;
  uint32_t *table, *places;
  uint8_t *memory, *expected, *fold, *scratch;
  size_t memory_bytes;
  uint64_t random;
};

static uint32_t draw(struct rig *r, uint32_t below) {
  r->random += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = r->random;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)((z ^ (z >> 31)) % below);
}

const char *host_rows_text(host_rows_result result) {
  static const char *const texts[] = {"same", "whole", "stateful", "other bytes than the whole run",
                                      "wrote outside its output rows", "eval failed", "no memory"};
  return texts[result];
}

// ---- setting up ---------------------------------------------------------------------------------

static bool add_part(struct rig *r, int32_t tensor, uint32_t slot, bool is_output) {
  arn_tensor t;
  if (tensor < 0) return true;
  const arn_placement place = arn_place_of_tensor(&r->engine->nn, 0, (uint32_t)tensor);
  if (place.region != ARN_REGION_DYNAMIC) return true;
  if (r->part_count == MAX_TENSORS) return false;
  arn_model_tensor(&r->engine->model, &r->t.g, (uint32_t)tensor, &t);
  const uint32_t rows = arn__rows_of(&t).rows;
  struct part *part = &r->parts[r->part_count++];
  *part = (struct part){.tensor = tensor, .is_output = is_output, .slot = slot, .rows = rows,
                        .row_bytes = t.bytes / rows, .bytes = t.bytes,
                        .scattered = rows > 1 && !(r->t.p.work == ARN_FOLD && (slot > 0 ||
                                                                               is_output)),
                        .first_entry = r->table_words + 1};
  part->values = arn_tensor_at(&r->engine->nn, 0, (uint32_t)tensor).data;
  r->table_words += rows + 1;
  return true;
}

static bool is_stateful(const struct rig *r) {
  if (r->t.p.persistent_bytes > 0 || r->t.p.call_count > 0) return true;
  for (uint32_t i = 0; i < r->t.node.input_count; i++) {
    arn_tensor t;
    const int32_t tensor = arn_model_index(&r->engine->model, r->t.node.inputs_at, i);
    if (tensor < 0) continue;
    arn_model_tensor(&r->engine->model, &r->t.g, (uint32_t)tensor, &t);
    if ((t.flags & ARN_TENSOR_VARIABLE) || t.type == ARN_RESOURCE) return true;
  }
  return false;
}

static bool add_parts(struct rig *r) {
  for (uint32_t i = 0; i < r->t.node.input_count; i++) {
    if (!add_part(r, arn_model_index(&r->engine->model, r->t.node.inputs_at, i), i, false)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < r->t.node.output_count; i++) {
    if (!add_part(r, arn_model_index(&r->engine->model, r->t.node.outputs_at, i), i, true)) {
      return false;
    }
  }
  return true;
}

static size_t take(struct rig *r, size_t bytes) {
  const size_t at = (r->memory_bytes + BLOCK_ALIGNMENT - 1) & ~(size_t)(BLOCK_ALIGNMENT - 1);
  r->memory_bytes = at + bytes + GAP_BYTES;
  return at;
}

// Gives every row a place, in random order; contiguous tensors get one block.
static void scatter(struct rig *r) {
  r->memory_bytes = GAP_BYTES;
  for (uint32_t k = 0; k < r->part_count; k++) {
    const struct part *part = &r->parts[k];
    uint32_t *entry = r->table + part->first_entry;
    entry[-1] = part->row_bytes;
    if (!part->scattered) {
      const size_t at = take(r, part->bytes);
      for (uint32_t i = 0; i < part->rows; i++) entry[i] = (uint32_t)(at + i * part->row_bytes);
      continue;
    }
    for (uint32_t i = 0; i < part->rows; i++) entry[i] = (uint32_t)take(r, part->row_bytes);
    for (uint32_t i = part->rows; i-- > 1;) {
      const uint32_t other = draw(r, i + 1), saved = entry[i];
      entry[i] = entry[other];
      entry[other] = saved;
    }
  }
}

static bool allocate(struct rig *r) {
  const uint32_t tensors = r->t.g.tensor_count;
  r->table = calloc(r->table_words + 1u, sizeof *r->table);
  r->places = calloc(tensors + 1u, sizeof *r->places);
  if (r->table == NULL || r->places == NULL) return false;
  memcpy(r->places, arn__places_of(&r->engine->nn, 0), tensors * sizeof *r->places);
  scatter(r);
  r->memory = aligned_alloc(64, (r->memory_bytes + 127) & ~(size_t)63);
  r->expected = malloc(r->memory_bytes + 1);
  r->scratch = aligned_alloc(64, ((size_t)r->t.p.scratch_bytes + 127) & ~(size_t)63);
  r->fold = aligned_alloc(64, ((size_t)r->t.p.fold_bytes + 127) & ~(size_t)63);
  for (uint32_t k = 0; k < r->part_count; k++) {
    const struct part *part = &r->parts[k];
    r->places[part->tensor] = part->scattered
                                  ? arn__place(ARN__PLACE_ROWS, part->first_entry - 1)
                                  : arn__place(ARN__PLACE_DYNAMIC, r->table[part->first_entry]);
  }
  return r->memory && r->expected && r->scratch && r->fold;
}

// ---- one step -----------------------------------------------------------------------------------

static void put_row(struct rig *r, const struct part *part, uint32_t row) {
  memcpy(r->memory + r->table[part->first_entry + row], part->values +
         (size_t)row * part->row_bytes,
         part->row_bytes);
}

// The first bytes of an input, that a step must not read though it reads their rows.
static void spoil(struct rig *r, const struct part *part, uint32_t bytes) {
  for (uint32_t row = 0; row < part->rows && row * part->row_bytes < bytes; row++) {
    const uint32_t left = bytes - row * part->row_bytes;
    memset(r->memory + r->table[part->first_entry + row], 0xA7,
           left < part->row_bytes ? left : part->row_bytes);
  }
}

static void put_inputs(struct rig *r, arn_span span) {
  for (uint32_t k = 0; k < r->part_count; k++) {
    const struct part *part = &r->parts[k];
    arn_span needed = {0, part->rows};
    if (part->is_output) continue;
    if (r->t.p.work == ARN_ROWS) r->t.p.op->rows(r->t.state, part->slot, span, &needed);
    if (r->t.p.work == ARN_FOLD && part->slot == 0 && part->rows == r->t.p.rows) needed = span;
    for (uint32_t i = 0; i < needed.count; i++) {
      if (needed.first + i < part->rows) put_row(r, part, needed.first + i);
    }
    if (r->t.p.work == ARN_ROWS && part->slot == 0) spoil(r, part, span.first * r->t.p.advance);
  }
}

static arn_status evaluate(struct rig *r, arn_span span) {
  static arn_error ignored;
  arn_eval e = {.model = &r->engine->model,
                .op = r->t.p.op,
                .arena = r->engine->nn.arena,
                .dynamic = r->memory,
                .places = r->places,
                .tables = r->table,
                .inputs_at = r->t.node.inputs_at,
                .input_count = r->t.node.input_count,
                .outputs_at = r->t.node.outputs_at,
                .output_count = r->t.node.output_count,
                .span = span,
                .scratch = r->t.p.scratch_bytes ? r->scratch : NULL,
                .fold = r->t.p.work == ARN_FOLD ? r->fold : NULL,
                .error = &ignored};
  return r->t.p.op->eval(&e, r->t.state);
}

// Rows of the outputs that the step had to write: all of them for the last step of a fold.
static arn_span written(const struct rig *r, const struct part *part, arn_span span) {
  if (r->t.p.work != ARN_FOLD) return part->scattered ? span : (arn_span){0, part->rows};
  const bool last = span.first + span.count == r->t.p.rows;
  return last ? (arn_span){0, part->rows} : (arn_span){0, 0};
}

static host_rows_result judge(struct rig *r, arn_span span) {
  for (uint32_t k = 0; k < r->part_count; k++) {
    const struct part *part = &r->parts[k];
    if (!part->is_output) continue;
    const arn_span rows = written(r, part, span);
    for (uint32_t i = rows.first; i < rows.first + rows.count && i < part->rows; i++) {
      const uint8_t *got = r->memory + r->table[part->first_entry + i];
      if (memcmp(got, part->values + (size_t)i * part->row_bytes, part->row_bytes) != 0) {
        return HOST_ROWS_DIFFERS;
      }
      memcpy(r->expected + r->table[part->first_entry + i], got, part->row_bytes);
    }
  }
  return memcmp(r->memory, r->expected, r->memory_bytes) == 0 ? HOST_ROWS_SAME : HOST_ROWS_STRAYED;
}

static host_rows_result run_step(struct rig *r, arn_span span) {
  const uint8_t poison = (uint8_t)draw(r, 256);
  memset(r->memory, poison, r->memory_bytes);
  memset(r->scratch, (uint8_t)~poison, r->t.p.scratch_bytes);
  put_inputs(r, span);
  memcpy(r->expected, r->memory, r->memory_bytes);
  if (evaluate(r, span) != ARN_OK) return HOST_ROWS_FAILED;
  return judge(r, span);
}

static host_rows_result run_steps(struct rig *r) {
  host_rows_result result = HOST_ROWS_SAME;
  memset(r->fold, 0x5A, r->t.p.fold_bytes);
  for (uint32_t row = 0; row < r->t.p.rows && result == HOST_ROWS_SAME;) {
    uint32_t count = 1 + draw(r, draw(r, 2) ? 2 : 7);
    if (count > r->t.p.rows - row) count = r->t.p.rows - row;
    result = run_step(r, (arn_span){row, count});
    row += count;
  }
  return result;
}

host_rows_result host_rows_check(const host_engine *engine, uint32_t node, uint64_t seed) {
  struct rig *r = calloc(1, sizeof *r);
  host_rows_result result = HOST_ROWS_NO_MEMORY;
  if (r == NULL) goto out;
  r->engine = engine;
  r->node_index = node;
  r->random = seed;
  result = HOST_ROWS_WHOLE;
  const bool prepared = host_trial_prepare(&r->t, &engine->nn, 0, node);
  if (!prepared || r->t.memory.skipped || r->t.p.work == ARN_WHOLE || r->t.p.rows < 2) goto out;
  result = HOST_ROWS_STATEFUL;
  if (is_stateful(r)) goto out;
  result = HOST_ROWS_NO_MEMORY;
  if (add_parts(r) && allocate(r)) result = run_steps(r);
out:
  if (r) {
    free(r->table);
    free(r->places);
    free(r->memory);
    free(r->expected);
    free(r->scratch);
    free(r->fold);
  }
  free(r);
  return result;
}
