#include "host/search/rowsim.h"

#include <stdlib.h>
#include <string.h>

#define NO_ROOT UINT32_MAX

bool host_machine_open(host_row_machine *m, const host_row_graph *g) {
  memset(m, 0, sizeof *m);
  m->graph = g;
  m->done = calloc(g->node_count + 1u, sizeof *m->done);
  m->born = calloc(g->root_count + 1u, sizeof *m->born);
  m->dead = calloc(g->root_count + 1u, sizeof *m->dead);
  m->early = calloc(g->node_count + 1u, sizeof *m->early);
  if (m->done && m->born && m->dead && m->early) return true;
  host_machine_close(m);
  return false;
}

void host_machine_close(host_row_machine *m) {
  free(m->done);
  free(m->born);
  free(m->dead);
  free(m->early);
  m->early = NULL;
  m->done = m->born = m->dead = NULL;
}

void host_steps_free(host_steps *steps) {
  free(steps->list);
  memset(steps, 0, sizeof *steps);
}

static uint64_t granules(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// A block has one address, but its bytes come and go from the front like rows.
uint64_t host_root_bytes(const host_root *r, uint32_t born, uint32_t dead) {
  if (born == 0 || dead >= r->bytes) return 0;
  if (r->rigid) return granules(born) - dead / 4 * 4;
  return granules(r->row_bytes) * ((born - dead) / r->row_bytes);
}

static uint64_t bytes_of(const host_row_machine *m, uint32_t root) {
  return host_root_bytes(&m->graph->roots[root], m->born[root], m->dead[root]);
}

// The first byte of a root that somebody still needs.
static uint32_t needed_from(const host_row_machine *m, uint32_t root) {
  const host_row_graph *g = m->graph;
  const host_root *r = &g->roots[root];
  uint32_t first = UINT32_MAX;
  if (r->is_output && !r->streamed_out) return 0;
  for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
    const host_use *u = &g->uses[g->readers[k]];
    const uint32_t need = u->need[m->done[u->node]];
    if (need < first) first = need;
  }
  return first;
}

static void bury(host_row_machine *m, uint32_t root) {
  const host_root *r = &m->graph->roots[root];
  uint32_t from = needed_from(m, root);
  if (from > m->born[root]) from = m->born[root];
  if (!r->rigid) from = from / r->row_bytes * r->row_bytes;
  if (from <= m->dead[root]) return;
  const uint64_t before = bytes_of(m, root);
  m->dead[root] = from;
  m->live -= before - bytes_of(m, root);
}

void host_machine_begin(host_row_machine *m, uint32_t first) {
  const host_row_graph *g = m->graph;
  m->live = m->peak = 0;
  m->over = false;
  memset(m->done, 0, g->node_count * sizeof *m->done);
  memset(m->dead, 0, g->root_count * sizeof *m->dead);
  for (uint32_t n = 0; n < first; n++) m->done[n] = g->nodes[n].rows;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const host_root *r = &g->roots[i];
    const bool there = r->producer < 0 ? !r->streamed_in : r->producer < (int32_t)first;
    m->born[i] = there ? r->bytes : 0;
    m->live += bytes_of(m, i);
  }
  m->peak = m->live;
  m->work += g->root_count;
  for (uint32_t i = 0; i < g->root_count; i++) {
    // A streamed input that earlier nodes have read is born as far as they needed it.
    if (g->roots[i].streamed_in && first > 0) {
      uint32_t end = 0;
      for (uint32_t k = g->reader_first[i]; k < g->reader_first[i + 1]; k++) {
        const host_use *u = &g->uses[g->readers[k]];
        for (uint32_t r = 0; u->node < first && r < g->nodes[u->node].rows; r++) {
          if (u->until[r] > end) end = u->until[r];
        }
      }
      m->born[i] = end;
      m->live += bytes_of(m, i);
    }
    bury(m, i);
  }
  if (first > 0) m->peak = m->live;
}

uint32_t host_machine_wanted(const host_row_machine *m, uint32_t n) {
  return m->early[n] ? m->graph->nodes[n].rows : m->graph->nodes[n].wanted;
}

uint32_t host_machine_until(const host_row_machine *m, const host_use *u, uint32_t row) {
  const host_root *r = &m->graph->roots[u->root];
  const bool last = row + 1 == m->graph->nodes[u->node].rows;
  return last && r->producer >= 0 && m->early[r->producer] ? r->bytes : u->until[row];
}

static void write_step(host_row_machine *m, host_row_step step) {
  host_steps *s = m->steps;
  if (s == NULL) return;
  if (s->count == s->room) {
    const uint32_t room = s->room ? 2 * s->room : 256;
    host_row_step *list = realloc(s->list, room * sizeof *list);
    if (list == NULL) {
      m->over = true;
      return;
    }
    s->list = list;
    s->room = room;
  }
  s->list[s->count++] = step;
}

static void note_peak(host_row_machine *m, uint64_t inside) {
  if (inside > m->peak) m->peak = inside;
  if (m->limit && inside > m->limit) m->over = true;
}

static void bear(host_row_machine *m, uint32_t root, uint32_t bytes) {
  const uint64_t before = bytes_of(m, root);
  m->born[root] += bytes;
  m->live += bytes_of(m, root) - before;
}

// Says whether the step's output rows can take the places of input rows that die in it.
static bool goes_in_place(const host_row_machine *m, const host_row_node *node, uint32_t count) {
  const host_row_graph *g = m->graph;
  const uint32_t in = node->in_place_root;
  if (in == NO_ROOT || node->output_count == 0) return false;
  const host_root *a = &g->roots[in], *b = &g->roots[node->outputs[0]];
  const uint32_t first = m->done[node->index];
  if (a->rigid || b->rigid || a->bytes / a->row_bytes != node->rows) return false;
  if (b->row_bytes > a->row_bytes || (b->row_bytes + 3) / 4 != (a->row_bytes + 3) / 4) return false;
  if (m->dead[in] != first * a->row_bytes) return false;
  for (uint32_t k = g->reader_first[in]; k < g->reader_first[in + 1]; k++) {
    const host_use *u = &g->uses[g->readers[k]];
    const uint32_t done = m->done[u->node] + (u->node == node->index ? count : 0);
    if (u->need[done] < (first + count) * a->row_bytes) return false;
  }
  return !(a->is_output && !a->streamed_out);
}

// Rows of a streamed output go as soon as they are there.
static void hand_over(host_row_machine *m, const host_row_node *node, uint32_t first,
                      uint32_t count) {
  for (uint32_t i = 0; i < node->output_count; i++) {
    const host_root *r = &m->graph->roots[node->outputs[i]];
    if (!r->streamed_out) continue;
    const uint32_t rows = node->work == ARN_ROWS ? count : 1;
    const uint32_t from = node->work == ARN_ROWS ? first : 0;
    write_step(m, (host_row_step){m->graph->node_count + 1, r->output_port, from, rows, false});
  }
}

void host_machine_step(host_row_machine *m, uint32_t n, uint32_t count) {
  const host_row_graph *g = m->graph;
  const host_row_node *node = &g->nodes[n];
  const uint32_t first = m->done[n];
  const bool in_place = goes_in_place(m, node, count);
  const bool completes = first + count == node->rows;
  const bool folds = node->work == ARN_FOLD && count < node->rows;
  m->work += 4 + 2 * node->use_count;
  if (folds && first == 0) m->live += granules(node->fold_bytes);
  for (uint32_t i = 0; i < node->output_count; i++) {
    if (node->work != ARN_ROWS && !completes) continue;
    const uint32_t bytes = node->work == ARN_ROWS ? count * node->output_row_bytes[i]
                                                  : node->output_row_bytes[i];
    bear(m, node->outputs[i], bytes);
  }
  uint64_t inside = m->live + granules(node->scratch_bytes);
  if (in_place) inside -= count * granules(g->roots[node->in_place_root].row_bytes);
  note_peak(m, inside);
  m->done[n] = first + count;
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    bury(m, g->uses[k].root);
  }
  // Bytes die in a step that reads them (the proof in the plan says so step by step), or when they
  // are handed over; what nobody reads stays.
  for (uint32_t i = 0; i < node->output_count; i++) {
    if (g->roots[node->outputs[i]].streamed_out) bury(m, node->outputs[i]);
  }
  if (folds && completes) m->live -= granules(node->fold_bytes);
  write_step(m, (host_row_step){n, 0, first, count, in_place});
  if (node->work == ARN_ROWS || completes) hand_over(m, node, first, count);
}

uint64_t host_machine_try(const host_row_machine *m, uint32_t n, uint32_t count) {
  const host_row_graph *g = m->graph;
  const host_row_node *node = &g->nodes[n];
  uint64_t inside = m->live + granules(node->scratch_bytes);
  if (node->work == ARN_FOLD && m->done[n] == 0) inside += granules(node->fold_bytes);
  for (uint32_t i = 0; i < node->output_count; i++) {
    const host_root *r = &g->roots[node->outputs[i]];
    const uint32_t born = m->born[node->outputs[i]];
    const uint32_t bytes = node->work == ARN_ROWS ? count * node->output_row_bytes[i] : r->bytes;
    inside += host_root_bytes(r, born + bytes, m->dead[node->outputs[i]]) -
              host_root_bytes(r, born, m->dead[node->outputs[i]]);
  }
  if (goes_in_place(m, node, count)) {
    inside -= count * granules(g->roots[node->in_place_root].row_bytes);
  }
  return inside;
}

void host_machine_port(host_row_machine *m, const host_row_step *step) {
  for (uint32_t i = 0; i < m->graph->root_count; i++) {
    const host_root *r = &m->graph->roots[i];
    if (!r->streamed_in || r->input_port != step->port) continue;
    bear(m, i, step->count * r->row_bytes);
    note_peak(m, m->live);
  }
  write_step(m, *step);
}

// ---- depth first --------------------------------------------------------------------------------

static void run_rows(host_row_machine *m, uint32_t n, uint32_t until);

static void fetch(host_row_machine *m, uint32_t root, uint32_t until) {
  const host_root *r = &m->graph->roots[root];
  while (m->born[root] < until && !m->over) {
    bear(m, root, r->row_bytes);
    note_peak(m, m->live);
    write_step(m, (host_row_step){m->graph->node_count, r->input_port,
                                  m->born[root] / r->row_bytes - 1, 1, false});
  }
}

// Has bytes [0, until) of a root computed.
static void pull(host_row_machine *m, uint32_t root, uint32_t until) {
  const host_root *r = &m->graph->roots[root];
  if (m->born[root] >= until) return;
  if (r->producer < 0) {
    fetch(m, root, until);
    return;
  }
  const host_row_node *maker = &m->graph->nodes[r->producer];
  while (m->born[root] < until && !m->over) {
    const uint32_t before = m->done[maker->index];
    run_rows(m, maker->index, before + 1);
    if (m->done[maker->index] == before) {
      m->over = true;  // cannot happen in a sound graph
      return;
    }
  }
}

static void run_rows(host_row_machine *m, uint32_t n, uint32_t until) {
  const host_row_graph *g = m->graph;
  const host_row_node *node = &g->nodes[n];
  while (m->done[n] < until && !m->over) {
    const uint32_t row = m->done[n];
    for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
      pull(m, g->uses[k].root, host_machine_until(m, &g->uses[k], row));
    }
    if (!m->over) host_machine_step(m, n, 1);
  }
}

void host_machine_pull(host_row_machine *m, uint32_t n, uint32_t count) {
  run_rows(m, n, m->done[n] + count);
}

void host_machine_segment(host_row_machine *m, uint32_t first, uint32_t last) {
  for (uint32_t n = last; n-- > first && !m->over;) {
    if (!m->graph->nodes[n].skip) run_rows(m, n, host_machine_wanted(m, n));
  }
}

void host_machine_finish(host_row_machine *m, uint32_t first, uint32_t last) {
  for (uint32_t n = first; n < last && !m->over; n++) {
    const host_row_node *node = &m->graph->nodes[n];
    if (!node->skip && m->done[n] < node->rows) host_machine_step(m, n, node->rows - m->done[n]);
  }
}

// ---- breadth first ------------------------------------------------------------------------------

// How many rows of the maker make bytes [0, until) of one of its outputs.
static uint32_t rows_for(const host_row_node *maker, uint32_t root, uint32_t until) {
  if (maker->work != ARN_ROWS) return maker->rows;
  for (uint32_t i = 0; i < maker->output_count; i++) {
    const uint32_t row = maker->output_row_bytes[i];
    if (maker->outputs[i] == root && row > 0) return (until + row - 1) / row;
  }
  return maker->rows;
}

void host_machine_pull_batch(host_row_machine *m, uint32_t n, uint32_t count) {
  const host_row_graph *g = m->graph;
  const host_row_node *node = &g->nodes[n];
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    const host_use *u = &g->uses[k];
    uint32_t until = 0;
    for (uint32_t r = m->done[n]; r < m->done[n] + count; r++) {
      const uint32_t end = host_machine_until(m, u, r);
      if (end > until) until = end;
    }
    if (m->born[u->root] >= until || m->over) continue;
    const int32_t producer = g->roots[u->root].producer;
    if (producer < 0) {
      fetch(m, u->root, until);
      continue;
    }
    const uint32_t rows = rows_for(&g->nodes[producer], u->root, until);
    host_machine_pull_batch(m, (uint32_t)producer, rows - m->done[producer]);
  }
  if (!m->over) host_machine_step(m, n, count);
}

// ---- states -------------------------------------------------------------------------------------

bool host_mark_open(host_row_mark *mark, const host_row_graph *g) {
  memset(mark, 0, sizeof *mark);
  mark->words = calloc(g->node_count + 2 * (size_t)g->root_count + 1, sizeof *mark->words);
  return mark->words != NULL;
}

void host_mark_close(host_row_mark *mark) {
  free(mark->words);
  memset(mark, 0, sizeof *mark);
}

void host_mark_set(host_row_mark *mark, const host_row_machine *m) {
  const uint32_t nodes = m->graph->node_count, roots = m->graph->root_count;
  memcpy(mark->words, m->done, nodes * sizeof *m->done);
  memcpy(mark->words + nodes, m->born, roots * sizeof *m->born);
  memcpy(mark->words + nodes + roots, m->dead, roots * sizeof *m->dead);
  mark->live = m->live;
  mark->peak = m->peak;
  mark->steps = m->steps ? m->steps->count : 0;
}

void host_mark_return(const host_row_mark *mark, host_row_machine *m) {
  const uint32_t nodes = m->graph->node_count, roots = m->graph->root_count;
  memcpy(m->done, mark->words, nodes * sizeof *m->done);
  memcpy(m->born, mark->words + nodes, roots * sizeof *m->born);
  memcpy(m->dead, mark->words + nodes + roots, roots * sizeof *m->dead);
  m->live = mark->live;
  m->peak = mark->peak;
  m->over = false;
  if (m->steps) m->steps->count = mark->steps;
}
