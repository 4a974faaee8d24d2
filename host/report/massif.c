// Massif's output file: snapshots of what is alive, for massif-visualizer and ms_print.
#include "host/report/pictures.h"

#define MOST_SNAPSHOTS 500u
#define ENGINE_ADDRESS 0x1u  // "addresses" of the tree: massif wants one a line

struct massif {
  FILE *out;
  const host_view *view;
  uint32_t every, snapshots;
};

// Bytes of a block that no block before it in the list covers.
static uint32_t fresh(const host_view *v, const uint32_t *live, uint32_t i, uint32_t *end) {
  const host_view_block *b = &v->blocks[live[i]];
  const uint32_t from = b->low > *end ? b->low : *end;
  if (b->high <= from) return 0;
  *end = b->high;
  return b->high - from;
}

// File names and line numbers are not known, so a tensor's operator stands for them.
static void put_block(const struct massif *m, const host_view_block *b, uint32_t bytes) {
  char label[HOST_VIEW_NAME + 32];
  const host_view *v = m->view;
  const int32_t producer = b->tensor >= 0 ? v->tensors[b->tensor].producer : -1;
  const char *op = b->tensor < 0  ? v->steps[b->first].op
                   : producer < 0 ? "given from outside"
                                  : NULL;
  for (uint32_t s = 0; op == NULL && s <= b->first; s++) {
    if (v->steps[b->first - s].node == producer) op = v->steps[b->first - s].op;
  }
  host_view_label(v, b, label);
  for (char *at = label; *at; at++) *at = *at == '(' || *at == ')' || *at == ':' ? '_' : *at;
  fprintf(m->out, " n0: %u 0x%X: %s (in %s)\n", bytes, b->low + ENGINE_ADDRESS, label,
          op ? op : "?");
}

static void put_snapshot(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  struct massif *m = context;
  const host_view *v = m->view;
  const bool peak = step == v->peak_step;
  if (step % m->every != 0 && !peak) return;
  uint32_t total = v->base, end = 0, blocks = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t bytes = fresh(v, live, i, &end);
    total += bytes;
    blocks += bytes > 0;
  }
  fprintf(m->out, "#-----------\nsnapshot=%u\n#-----------\ntime=%u\nmem_heap_B=%u\n",
          m->snapshots++, step, total);
  fprintf(m->out, "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n", peak ? "peak" : "detailed");
  fprintf(m->out, "n%u: %u (heap allocation functions) arena, --alloc-fns, etc.\n",
          blocks + (v->base > 0), total);
  end = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t bytes = fresh(v, live, i, &end);
    if (bytes > 0) put_block(m, &v->blocks[live[i]], bytes);
  }
  if (v->base > 0) {
    fprintf(m->out, " n0: %u 0x%X: static region (in the engine)\n", v->base, ENGINE_ADDRESS);
  }
}

void host_massif_write(FILE *out, const host_view *v) {
  struct massif m = {out, v, v->step_count / MOST_SNAPSHOTS + 1, 0};
  fprintf(out, "desc: arenite %s, planner %s, arena %u bytes\ncmd: %s\ntime_unit: i\n", v->engine,
          v->planner, v->arena_bytes, v->model);
  if (!host_view_walk(v, put_snapshot, &m)) fprintf(out, "#out of host memory\n");
}
