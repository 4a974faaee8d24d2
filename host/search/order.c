#include "host/search/order.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING UINT32_MAX

// A set of nodes that are done, reached by way of `from`.
struct state {
  uint64_t peak;
  uint32_t from, node;    // the state before, and the node that led here
  uint32_t done;          // nodes
  uint32_t next;          // in its hash chain
};

struct search {
  const host_row_graph *g;
  uint32_t words;          // of a set
  struct state *states;
  uint32_t *sets;          // words of each state
  uint32_t count, most;
  uint32_t *heap, heap_count;
  uint32_t *buckets, bucket_count;
  uint32_t running;        // nodes that run at all
};

static const uint32_t *set_of(const struct search *s, uint32_t i) {
  return s->sets + (size_t)i * s->words;
}

static bool has(const uint32_t *set, uint32_t n) { return set[n / 32] >> (n % 32) & 1; }

// ---- what is alive ------------------------------------------------------------------------------

static bool is_needed(const host_row_graph *g, const uint32_t *set, uint32_t root) {
  if (g->roots[root].is_output) return true;
  for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
    if (!has(set, g->uses[g->readers[k]].node)) return true;
  }
  return false;
}

// Bytes alive while node n runs after `set`: what is there, and its outputs and scratch.
static uint64_t live_in(const host_row_graph *g, const uint32_t *set, uint32_t n) {
  const host_row_node *node = &g->nodes[n];
  uint64_t sum = node->scratch_bytes;
  for (uint32_t i = 0; i < node->output_count; i++) sum += g->roots[node->outputs[i]].bytes;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const int32_t producer = g->roots[i].producer;
    const bool there = producer < 0 || has(set, (uint32_t)producer);
    if (there && is_needed(g, set, i)) sum += g->roots[i].bytes;
  }
  return sum;
}

static bool may_run(const host_row_graph *g, const uint32_t *set, uint32_t n) {
  const host_row_node *node = &g->nodes[n];
  if (node->skip || has(set, n)) return false;
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    const int32_t producer = g->roots[g->uses[k].root].producer;
    if (producer >= 0 && !has(set, (uint32_t)producer)) return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (g->nodes[i].skip || has(set, i)) continue;
    if (node->barrier || g->nodes[i].barrier) return false;
  }
  return true;
}

// ---- states by rising peak ----------------------------------------------------------------------

static bool goes_first(const struct search *s, uint32_t a, uint32_t b) {
  const struct state *x = &s->states[a], *y = &s->states[b];
  if (x->peak != y->peak) return x->peak < y->peak;
  if (x->done != y->done) return x->done > y->done;
  return a < b;
}

static void push(struct search *s, uint32_t state) {
  uint32_t i = s->heap_count++;
  for (; i > 0 && goes_first(s, state, s->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    s->heap[i] = s->heap[(i - 1) / 2];
  }
  s->heap[i] = state;
}

static uint32_t pop(struct search *s) {
  const uint32_t first = s->heap[0], last = s->heap[--s->heap_count];
  uint32_t i = 0;
  for (uint32_t child = 1; child < s->heap_count; child = 2 * i + 1) {
    if (child + 1 < s->heap_count && goes_first(s, s->heap[child + 1], s->heap[child])) child++;
    if (!goes_first(s, s->heap[child], last)) break;
    s->heap[i] = s->heap[child];
    i = child;
  }
  s->heap[i] = last;
  return first;
}

static uint32_t bucket_of(const struct search *s, const uint32_t *set) {
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0; i < s->words; i++) hash = (hash ^ set[i]) * 16777619u;
  return (hash ^ hash >> 15) % s->bucket_count;
}

// Adds a set unless it is known. States come by rising peak: the first way to a set is the best one
// among those found, except that a set may be known with a higher peak and not yet looked at.
static void add(struct search *s, const uint32_t *set, struct state state) {
  const uint32_t bucket = bucket_of(s, set);
  for (uint32_t i = s->buckets[bucket]; i != NOTHING; i = s->states[i].next) {
    if (memcmp(set_of(s, i), set, s->words * sizeof *set) != 0) continue;
    if (s->states[i].peak <= state.peak) return;
  }
  if (s->count == s->most) return;
  memcpy(s->sets + (size_t)s->count * s->words, set, s->words * sizeof *set);
  state.next = s->buckets[bucket];
  s->states[s->count] = state;
  s->buckets[bucket] = s->count;
  push(s, s->count++);
}

static void expand(struct search *s, uint32_t from, uint32_t *set) {
  for (uint32_t n = 0; n < s->g->node_count; n++) {
    memcpy(set, set_of(s, from), s->words * sizeof *set);
    if (!may_run(s->g, set, n)) continue;
    const uint64_t live = live_in(s->g, set, n), before = s->states[from].peak;
    set[n / 32] |= 1u << (n % 32);
    const uint64_t peak = live > before ? live : before;
    add(s, set, (struct state){peak, from, n, s->states[from].done + 1, 0});
  }
}

// ---- the whole ----------------------------------------------------------------------------------

static void write_order(const struct search *s, uint32_t last, host_order *o) {
  o->count = s->states[last].done;
  o->live_bytes = s->states[last].peak;
  o->proved = true;
  for (uint32_t i = o->count; i-- > 0; last = s->states[last].from) {
    o->nodes[i] = s->states[last].node;
  }
}

static void keep_file_order(const struct search *s, uint32_t *set, host_order *o) {
  memset(set, 0, s->words * sizeof *set);
  for (uint32_t n = 0; n < s->g->node_count; n++) {
    if (s->g->nodes[n].skip) continue;
    const uint64_t live = live_in(s->g, set, n);
    if (live > o->live_bytes) o->live_bytes = live;
    set[n / 32] |= 1u << (n % 32);
    o->nodes[o->count++] = n;
  }
}

static void run(struct search *s, uint32_t *set, host_order *o) {
  memset(set, 0, s->words * sizeof *set);
  add(s, set, (struct state){0, NOTHING, NOTHING, 0, 0});
  while (s->heap_count > 0 && s->count < s->most) {
    const uint32_t state = pop(s);
    if (s->states[state].done == s->running) {
      write_order(s, state, o);
      return;
    }
    expand(s, state, set);
  }
  keep_file_order(s, set, o);
}

bool host_order_search(const host_row_graph *g, uint32_t most_states, host_order *o) {
  struct search s = {.g = g, .words = g->node_count / 32 + 1, .most = most_states,
                     .bucket_count = 2 * most_states + 1};
  memset(o, 0, sizeof *o);
  for (uint32_t n = 0; n < g->node_count; n++) s.running += !g->nodes[n].skip;
  o->nodes = calloc(g->node_count + 1u, sizeof *o->nodes);
  s.states = calloc(most_states + 1u, sizeof *s.states);
  s.sets = calloc((most_states + 1u) * (size_t)s.words, sizeof *s.sets);
  s.heap = calloc(most_states + 1u, sizeof *s.heap);
  s.buckets = malloc(s.bucket_count * sizeof *s.buckets);
  uint32_t *set = calloc(s.words, sizeof *set);
  const bool ok = o->nodes && s.states && s.sets && s.heap && s.buckets && set;
  for (uint32_t i = 0; ok && i < s.bucket_count; i++) s.buckets[i] = NOTHING;
  if (ok) run(&s, set, o);
  free(s.states);
  free(s.sets);
  free(s.heap);
  free(s.buckets);
  free(set);
  if (!ok) free(o->nodes);
  return ok;
}
