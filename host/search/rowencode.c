#include "host/search/rowencode.h"

#include <stdlib.h>
#include <string.h>

#include "src/graph/place.h"
#include "src/graph/rows.h"
#include "src/plan/rowplan.h"

// Bytes that grow.
struct blob {
  uint8_t *bytes;
  size_t size, room;
  bool failed;
};

static void put(struct blob *b, const void *data, size_t size) {
  if (b->size + size > b->room) {
    const size_t room = 2 * b->room + size + 256;
    uint8_t *bytes = realloc(b->bytes, room);
    if (bytes == NULL) {
      b->failed = true;
      return;
    }
    b->bytes = bytes;
    b->room = room;
  }
  if (!b->failed) memcpy(b->bytes + b->size, data, size);
  b->size += size;
}

static void put_word(struct blob *b, uint32_t word) { put(b, &word, sizeof word); }

static void put_number(struct blob *b, uint32_t n) {
  do {
    const uint8_t byte = (uint8_t)((n & 0x7F) | (n > 0x7F ? 0x80 : 0));
    put(b, &byte, 1);
    n >>= 7;
  } while (n > 0);
}

static void pad(struct blob *b) {
  static const uint8_t zeros[4] = {0};
  put(b, zeros, -b->size & 3u);
}

// ---- places and rows ----------------------------------------------------------------------------

static uint32_t put_rows(struct blob *rows, const host_root *r, const uint32_t *offsets) {
  const uint32_t at = (uint32_t)(rows->size / 4);
  put_word(rows, r->row_bytes);
  for (uint32_t i = 0; i < r->bytes / r->row_bytes; i++) put_word(rows, offsets[i]);
  return arn__place(ARN__PLACE_ROWS, at);
}

static bool put_places(const host_row_graph *g, const host_row_layout *l, struct blob *places,
                       struct blob *rows) {
  uint32_t *place = calloc(g->root_count + 1u, sizeof *place);
  if (place == NULL) return false;
  for (uint32_t i = 0; i < g->root_count; i++) {
    place[i] = g->roots[i].rigid ? arn__place(ARN__PLACE_DYNAMIC, l->rows[i][0])
                                 : put_rows(rows, &g->roots[i], l->rows[i]);
  }
  for (uint32_t t = 0; t < g->subgraph.tensor_count; t++) {
    put_word(places, g->root_of[t] < 0 ? ARN__PLACE_NONE : place[g->root_of[t]]);
  }
  free(place);
  return true;
}

// ---- steps and proof ----------------------------------------------------------------------------

// `told` bytes of each root are dead by the proof so far. (Leading rows of an input that nobody
// reads are dead from the start on the machine; the proof has them die in the first step that reads
// the input.)
static void put_deaths(const host_row_graph *g, const host_row_machine *m, uint32_t *told,
                       const host_row_node *node, struct blob *proof) {
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    const uint32_t root = g->uses[k].root;
    bool seen = false;
    for (uint32_t j = node->first_use; j < k && !seen; j++) seen = g->uses[j].root == root;
    if (seen) continue;
    // A streamed output's bytes die when they are handed over, not here.
    if (g->roots[root].streamed_out) {
      put_number(proof, 0);
      continue;
    }
    put_number(proof, m->dead[root] - told[root]);
    told[root] = m->dead[root];
  }
}

// The root that rows of a port belong to.
static const host_root *root_of_port(const host_row_graph *g, const host_row_step *s) {
  for (uint32_t i = 0; i < g->root_count; i++) {
    const host_root *r = &g->roots[i];
    if (s->node == g->node_count ? r->streamed_in && r->input_port == s->port
                                 : r->streamed_out && r->output_port == s->port) {
      return r;
    }
  }
  return NULL;
}

// The schedule counts pieces that come or go at once (blocks are one), the file rows of the tensor.
static void put_port_rows(const host_row_graph *g, const host_row_step *s, struct blob *steps) {
  const host_root *r = root_of_port(g, s);
  arn_tensor t;
  uint32_t rows = 1;
  if (r) {
    const host_row_node *maker = r->producer >= 0 ? &g->nodes[r->producer] : NULL;
    const uint32_t pieces = maker == NULL ? r->bytes / r->row_bytes
                                          : maker->work == ARN_ROWS ? maker->rows : 1;
    arn_model_tensor(g->nn->model, &g->subgraph, r->tensor, &t);
    rows = arn__rows_of(&t).rows / pieces;
  }
  put_number(steps, s->port);
  put_number(steps, s->first * rows);
  put_number(steps, s->count * rows);
}

static void put_port(const host_row_graph *g, const host_row_machine *m, const host_row_step *s,
                     uint32_t *handed, struct blob *proof) {
  if (s->node == g->node_count) return;
  for (uint32_t i = 0; i < g->root_count; i++) {
    if (!g->roots[i].streamed_out || g->roots[i].output_port != s->port) continue;
    put_number(proof, m->dead[i] - handed[i]);
    handed[i] = m->dead[i];
  }
}

static bool put_steps(const host_row_graph *g, const host_row_schedule *schedule,
                      struct blob *steps, struct blob *proof) {
  host_row_machine m;
  uint32_t *told = calloc(g->root_count + 1u, sizeof *told);
  bool ok = told && host_machine_open(&m, g);
  if (ok) host_machine_begin(&m, 0);
  for (uint32_t i = 0; ok && i < schedule->steps.count; i++) {
    const host_row_step *s = &schedule->steps.list[i];
    put_number(steps, s->node);
    if (s->node >= g->node_count) {
      put_port_rows(g, s, steps);
      if (s->node == g->node_count) host_machine_port(&m, s);
      put_port(g, &m, s, told, proof);
      continue;
    }
    put_number(steps, s->first);
    put_number(steps, s->count);
    const host_row_node *node = &g->nodes[s->node];
    host_machine_step(&m, s->node, s->count);
    put_number(proof, s->in_place ? node->in_place_slot + 1 : 0);
    put_deaths(g, &m, told, node, proof);
  }
  if (ok) host_machine_close(&m);
  free(told);
  return ok;
}

static uint32_t streamed(const host_row_graph *g, bool inputs) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const host_root *r = &g->roots[i];
    if (inputs && r->streamed_in) mask |= 1u << r->input_port;
    if (!inputs && r->streamed_out) mask |= 1u << r->output_port;
  }
  return mask;
}

bool host_row_encode(const host_row_graph *g, const host_row_schedule *schedule,
                     const host_row_layout *l, uint8_t **bytes, size_t *size) {
  struct blob places = {0}, rows = {0}, steps = {0}, proof = {0}, all = {0};
  bool ok = put_places(g, l, &places, &rows) && put_steps(g, schedule, &steps, &proof);
  const uint32_t header[ARN__PLAN_HEADER_WORDS] = {
      ARN__PLAN_MAGIC, ARN__PLAN_VERSION, ARN__PLAN_ENGINE, arn__row_plan_fingerprint(g->nn->model),
      l->bytes, g->nn->config.alignment, g->subgraph.tensor_count, g->node_count,
      (uint32_t)(rows.size / 4), (uint32_t)steps.size, (uint32_t)proof.size, schedule->steps.count,
      streamed(g, true), streamed(g, false), 0, 0};
  put(&all, header, sizeof header);
  put(&all, places.bytes, places.size);
  for (uint32_t n = 0; n < g->node_count; n++) {
    put_word(&all, l->scratch[n]);
    put_word(&all, l->fold[n]);
  }
  if (rows.size) put(&all, rows.bytes, rows.size);
  if (steps.size) put(&all, steps.bytes, steps.size);
  pad(&all);
  if (proof.size) put(&all, proof.bytes, proof.size);
  pad(&all);
  ok = ok && !places.failed && !rows.failed && !steps.failed && !proof.failed && !all.failed;
  free(places.bytes);
  free(rows.bytes);
  free(steps.bytes);
  free(proof.bytes);
  if (!ok) free(all.bytes);
  *bytes = ok ? all.bytes : NULL;
  *size = ok ? all.size : 0;
  return ok;
}
