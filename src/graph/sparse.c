#include "sparse.h"

#include "../model/flatbuffer.h"
#include "../model/schema.h"

// ---- the description
// -----------------------------------------------------------------------------

// A list of int32, uint16 or uint8, in a union of tables with one vector each.
typedef struct list {
  uint32_t at, count;
  uint8_t bytes;
} list;

static bool read_list(const arn_model *m, uint32_t table, uint32_t type_id, list *l) {
  static const uint8_t bytes[] = {0, 4, 2, 1};
  const uint32_t type = arn__fb_field_u8(m, table, type_id, 0);
  uint32_t vector;
  if (type < 1 || type > 3) return false;
  l->bytes = bytes[type];
  return arn__fb_check_follow(m, table, type_id + 1, &vector) && vector != 0 &&
         arn__fb_check_table(m, vector) &&
         arn__fb_check_vector(m, vector, ARN__SPARSE_VECTOR_VALUES, l->bytes, &l->at, &l->count);
}

static uint32_t list_element(const uint8_t *file, uint32_t at, uint32_t bytes, uint32_t i) {
  uint32_t value = 0;
  memcpy(&value, file + at + i * bytes, bytes);
  return value;
}

// The vectors of a description.
typedef struct description {
  uint32_t shape_at, rank;
  uint32_t order_at, order_count;
  uint32_t map_at, map_count;        // axis of each block
  uint32_t levels_at, level_count;   // tables
} description;

static uint32_t word(const arn_model *m, uint32_t at, uint32_t i) {
  return arn__fb_u32(m, at + 4 * i);
}

static bool describe(const arn_model *m, uint32_t tensor, description *d) {
  uint32_t sparsity;
  return arn__fb_check_vector(m, tensor, ARN__TENSOR_SHAPE, 4, &d->shape_at, &d->rank) &&
         arn__fb_check_follow(m, tensor, ARN__TENSOR_SPARSITY, &sparsity) && sparsity != 0 &&
         arn__fb_check_table(m, sparsity) &&
         arn__fb_check_vector(m, sparsity, ARN__SPARSITY_ORDER, 4, &d->order_at,
                              &d->order_count) &&
         arn__fb_check_vector(m, sparsity, ARN__SPARSITY_BLOCK_MAP, 4, &d->map_at,
                              &d->map_count) &&
         arn__fb_check_tables(m, sparsity, ARN__SPARSITY_LEVELS, &d->levels_at, &d->level_count) &&
         d->rank >= 1 && d->level_count <= ARN__SPARSE_LEVELS && d->map_count < d->level_count &&
         d->level_count == d->rank + d->map_count && d->order_count == d->level_count;
}

// Axes come first in the order, each once; then the blocks, each once, of different axes.
static bool order_is_sound(const arn_model *m, const description *d) {
  uint32_t seen = 0, mapped = 0;
  for (uint32_t l = 0; l < d->level_count; l++) {
    const uint32_t axis = word(m, d->order_at, l);
    if (axis >= d->level_count || seen >> axis & 1) return false;
    if ((l < d->rank) != (axis < d->rank)) return false;
    seen |= 1u << axis;
  }
  for (uint32_t b = 0; b < d->map_count; b++) {
    const uint32_t axis = word(m, d->map_at, b);
    if (axis >= d->rank || mapped >> axis & 1) return false;
    mapped |= 1u << axis;
  }
  return true;
}

// The size of the block that divides an axis; 1 where none does, 0 where the file says so.
static uint32_t block_size(const arn_model *m, const description *d, uint32_t axis) {
  for (uint32_t l = d->rank; l < d->level_count; l++) {
    const uint32_t block = word(m, d->order_at, l) - d->rank;
    if (word(m, d->map_at, block) != axis) continue;
    return arn__fb_field_u32(m, arn__fb_element(m, d->levels_at, l), ARN__SPARSE_LEVEL_SIZE, 0);
  }
  return 1;
}

// Elements of the dense tensor from one index of `axis` to the next.
static uint32_t stride_of(const arn_model *m, const description *d, uint32_t axis) {
  uint32_t stride = 1;
  for (uint32_t i = axis + 1; i < d->rank; i++) stride *= word(m, d->shape_at, i);
  return stride;
}

// Reads level `l`, with `above` nodes on the level above. Checks all but the lists' contents.
static bool read_level(const arn_model *m, const description *d, uint32_t l, uint32_t above,
                       arn__sparse_level *level) {
  const uint32_t table = arn__fb_element(m, d->levels_at, l);
  const uint32_t format = arn__fb_field_u8(m, table, ARN__SPARSE_LEVEL_FORMAT, 0);
  const uint32_t order = word(m, d->order_at, l);
  const bool is_block = l >= d->rank;
  const uint32_t axis = is_block ? word(m, d->map_at, order - d->rank) : order;
  const uint32_t dim = word(m, d->shape_at, axis), block = block_size(m, d, axis);
  if (block == 0 || dim % block != 0) return false;
  const uint32_t unit = is_block ? 1 : block;
  *level = (arn__sparse_level){.size = is_block ? block : dim / block};
  level->step = unit * stride_of(m, d, axis);
  level->row_divisor = axis > 0 ? 0 : unit;
  if (format == 0) {
    const uint64_t nodes = (uint64_t)above * level->size;
    level->nodes = (uint32_t)nodes;
    return nodes <= INT32_MAX &&
           arn__fb_field_u32(m, table, ARN__SPARSE_LEVEL_SIZE, 0) == level->size;
  }
  list segments, indices;
  if (format != 1 || is_block || !read_list(m, table, ARN__SPARSE_LEVEL_SEGMENTS_TYPE, &segments) ||
      !read_list(m, table, ARN__SPARSE_LEVEL_INDICES_TYPE, &indices)) {
    return false;
  }
  level->nodes = indices.count;
  level->segments_at = segments.at;
  level->segment_bytes = segments.bytes;
  level->indices_at = indices.at;
  level->index_bytes = indices.bytes;
  return segments.count == (uint64_t)above + 1;
}

static bool read_levels(arn__sparse *s, const arn_model *m, uint32_t tensor) {
  description d;
  uint32_t nodes = 1;
  if (!describe(m, tensor, &d) || !order_is_sound(m, &d)) return false;
  s->file = m->bytes;
  s->level_count = d.level_count;
  s->rows = word(m, d.shape_at, 0);
  s->row_count = stride_of(m, &d, 0);
  s->element_bytes = arn_type_bytes((arn_type)arn__fb_field_u8(m, tensor, ARN__TENSOR_TYPE, 0));
  for (uint32_t l = 0; l < d.level_count; l++) {
    if (!read_level(m, &d, l, nodes, &s->levels[l])) return false;
    nodes = s->levels[l].nodes;
  }
  return true;
}

// Segments must divide the nodes among the parents in order; indices must be coordinates.
static bool lists_are_sound(const arn__sparse *s, const arn__sparse_level *level, uint32_t above) {
  if (level->segments_at == 0) return true;
  uint32_t last = 0;
  for (uint32_t i = 0; i <= above; i++) {
    const uint32_t next = list_element(s->file, level->segments_at, level->segment_bytes, i);
    if (next < last || (i == 0 && next != 0)) return false;
    last = next;
  }
  for (uint32_t i = 0; i < level->nodes; i++) {
    const uint32_t index = list_element(s->file, level->indices_at, level->index_bytes, i);
    if (index >= level->size) return false;
  }
  return last == level->nodes;
}

uint32_t arn__sparse_at(const arn_model *m, const arn_subgraph *g, const arn_tensor *t) {
  return arn__fb_element(m, g->tensors_at, (uint32_t)t->index);
}

bool arn__sparse_check(const arn_model *m, const arn_subgraph *g, const arn_tensor *t) {
  arn__sparse s;
  if (t->data_bytes == 0 || t->count == 0 || t->unknown_dims > 0) return false;
  if (!read_levels(&s, m, arn__sparse_at(m, g, t))) return false;
  if (s.element_bytes != 1 && s.element_bytes != 2 && s.element_bytes != 4) return false;
  uint32_t above = 1;
  for (uint32_t l = 0; l < s.level_count; l++) {
    if (!lists_are_sound(&s, &s.levels[l], above)) return false;
    above = s.levels[l].nodes;
  }
  return (uint64_t)above * s.element_bytes == t->data_bytes;
}

void arn__sparse_open(arn__sparse *s, const arn_model *m, uint32_t at, const void *values) {
  if (!read_levels(s, m, at)) s->level_count = 0;  // never after arn__sparse_check()
  s->values = values;
}

// ---- reading rows
// --------------------------------------------------------------------------------

#define ALL_ROWS UINT32_MAX

// The way from the root to where the reading is: on each level, the nodes still to visit, and where
// in the output their parent is.
typedef struct walk {
  uint32_t row;  // the one to read, or ALL_ROWS
  uint32_t at[ARN__SPARSE_LEVELS], end[ARN__SPARSE_LEVELS];
  uint32_t base[ARN__SPARSE_LEVELS];    // first node of the parent's; 0 where sparse
  uint32_t offset[ARN__SPARSE_LEVELS];  // elements
} walk;

// Says whether only one coordinate of a level leads to the row; which one is *only.
static bool is_chosen(const arn__sparse_level *level, const walk *w, uint32_t *only) {
  if (level->row_divisor == 0 || w->row == ALL_ROWS) return false;
  *only = w->row / level->row_divisor % level->size;
  return true;
}

// Goes to the children of `parent`.
static void enter(const arn__sparse *s, walk *w, uint32_t l, uint32_t parent, uint32_t offset) {
  const arn__sparse_level *level = &s->levels[l];
  uint32_t only;
  w->offset[l] = offset;
  w->base[l] = 0;
  if (level->segments_at != 0) {
    w->at[l] = list_element(s->file, level->segments_at, level->segment_bytes, parent);
    w->end[l] = list_element(s->file, level->segments_at, level->segment_bytes, parent + 1);
    return;
  }
  w->base[l] = parent * level->size;
  w->at[l] = w->base[l];
  w->end[l] = w->base[l] + level->size;
  if (is_chosen(level, w, &only)) {
    w->at[l] += only;
    w->end[l] = w->at[l] + 1;
  }
}

// Finds where the node that the walk is at begins in the output. Returns false where it does not
// lead to the row.
static bool locate(const arn__sparse *s, const walk *w, uint32_t l, uint32_t *offset) {
  const arn__sparse_level *level = &s->levels[l];
  uint32_t only, here = w->at[l] - w->base[l];
  if (level->segments_at != 0) {
    here = list_element(s->file, level->indices_at, level->index_bytes, w->at[l]);
  }
  *offset = w->offset[l];
  if (is_chosen(level, w, &only)) return here == only;
  *offset += here * level->step;
  return true;
}

static void copy_element(uint8_t *out, const uint8_t *value, uint32_t bytes) {
  switch (bytes) {
    case 1: memcpy(out, value, 1); break;
    case 2: memcpy(out, value, 2); break;
    default: memcpy(out, value, 4); break;
  }
}

// Copies the values of the last level that the walk has entered.
static void copy_leaves(const arn__sparse *s, walk *w, uint8_t *out) {
  const uint32_t l = s->level_count - 1;
  const uint32_t bytes = s->element_bytes;
  for (; w->at[l] < w->end[l]; w->at[l]++) {
    uint32_t element;
    if (!locate(s, w, l, &element)) continue;
    copy_element(out + (size_t)element * bytes, s->values + (size_t)w->at[l] * bytes, bytes);
  }
}

static void read_row(const arn__sparse *s, uint32_t row, uint8_t *out) {
  walk w;
  uint32_t l = 0;
  w.row = row;
  enter(s, &w, 0, 0, 0);
  for (;;) {
    uint32_t offset;
    if (l + 1 == s->level_count) copy_leaves(s, &w, out);
    if (w.at[l] == w.end[l]) {
      if (l == 0) return;
      w.at[--l]++;
    } else if (locate(s, &w, l, &offset)) {
      enter(s, &w, l + 1, w.at[l], offset);
      l++;
    } else {
      w.at[l]++;
    }
  }
}

void arn__sparse_rows(const arn__sparse *s, uint32_t first, uint32_t count, void *out) {
  const size_t row_bytes = (size_t)s->row_count * s->element_bytes;
  uint8_t *to = out;
  memset(to, 0, row_bytes * count);
  if (s->level_count == 0) return;
  if (count == s->rows) {
    read_row(s, ALL_ROWS, to);
    return;
  }
  for (uint32_t i = 0; i < count; i++) read_row(s, first + i, to + i * row_bytes);
}
