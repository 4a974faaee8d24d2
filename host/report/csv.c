// The packing CSV of a plan.
#include "host/report/pictures.h"

void host_csv_write(FILE *out, const host_view *v) {
  fprintf(out, "id,lower,upper,size,alignment,offset\n");
  for (uint32_t i = 0; i < v->block_count; i++) {
    const host_view_block *b = &v->blocks[i];
    if (b->kind == HOST_KIND_VARIABLE) continue;
    if (b->tensor < 0) fprintf(out, "scratch_%u", b->first);
    else if (b->rows > 0) fprintf(out, "t%d_row%u", b->tensor, b->first_row);
    else fprintf(out, "t%d", b->tensor);
    // Offsets count from the dynamic region's start, which is aligned like the arena.
    const uint32_t offset = b->low - v->base;
    const uint32_t alignment = offset % v->alignment == 0 ? v->alignment : 4;
    fprintf(out, ",%u,%u,%u,%u,%u\n", b->first, b->last + 1, b->high - b->low, alignment, offset);
  }
}
