#include "host/search/rowjoin.h"

bool host_row_join(host_row_machine *m, const host_steps *from, uint64_t limit, host_steps *to) {
  const host_row_graph *g = m->graph;
  host_machine_begin(m, 0);
  m->limit = 0;
  m->steps = to;
  for (uint32_t i = 0; i < from->count && !m->over;) {
    const host_row_step *s = &from->list[i];
    uint32_t count = s->count, next = i + 1;
    if (s->node >= g->node_count) {
      host_machine_port(m, s);
      i = next;
      continue;
    }
    while (next < from->count && from->list[next].node == s->node &&
           host_machine_try(m, s->node, count + from->list[next].count) <= limit) {
      count += from->list[next++].count;
    }
    host_machine_step(m, s->node, count);
    while (next < from->count && from->list[next].node > g->node_count) next++;  // written anew
    i = next;
  }
  m->steps = NULL;
  return !m->over;
}
