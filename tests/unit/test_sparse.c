// Sparse constants: random tensors are written in the sparse format, in every traversal order, with
// and without blocks, and must be read back row by row and whole; damaged descriptions must be
// refused or at least read inside the file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../host/rewrite/fbwrite.h"
#include "../../src/graph/sparse.h"

#define MOST_AXES 4
#define MOST_LEVELS 8
#define MOST_ELEMENTS 4096

static uint32_t seed = 7;

static uint32_t draw(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(seed >> 1) * below >> 31);
}

struct list {
  uint32_t count;
  uint32_t values[MOST_ELEMENTS + 1];
};

// A dense tensor and the way it is to be written.
struct sparse_case {
  uint32_t rank, blocks, element_bytes;
  uint32_t dims[MOST_AXES], count;
  uint32_t order[MOST_LEVELS];        // of axes, then of blocks
  uint32_t block_axis[MOST_AXES], block_size[MOST_AXES];
  bool is_sparse[MOST_LEVELS];        // by level
  uint8_t dense[MOST_ELEMENTS * 4];
  // written
  struct list segments[MOST_LEVELS], indices[MOST_LEVELS];
  uint32_t value_count;
  uint8_t values[MOST_ELEMENTS * 4];
};

// ---- writing ------------------------------------------------------------------------------------

static uint32_t block_of(const struct sparse_case *c, uint32_t axis) {
  for (uint32_t b = 0; b < c->blocks; b++) {
    if (c->block_axis[b] == axis) return c->block_size[b];
  }
  return 1;
}

static uint32_t level_size(const struct sparse_case *c, uint32_t level) {
  const uint32_t axis = c->order[level];
  if (axis >= c->rank) return c->block_size[axis - c->rank];
  return c->dims[axis] / block_of(c, axis);
}

// The element at the coordinates of all levels.
static uint32_t element_at(const struct sparse_case *c, const uint32_t *at) {
  uint32_t index[MOST_AXES] = {0}, element = 0;
  for (uint32_t l = 0; l < c->rank + c->blocks; l++) {
    const uint32_t axis = c->order[l];
    if (axis < c->rank) {
      index[axis] += at[l] * block_of(c, axis);
    } else {
      index[c->block_axis[axis - c->rank]] += at[l];
    }
  }
  for (uint32_t a = 0; a < c->rank; a++) element = element * c->dims[a] + index[a];
  return element;
}

static bool is_zero(const struct sparse_case *c, uint32_t element) {
  for (uint32_t b = 0; b < c->element_bytes; b++) {
    if (c->dense[element * c->element_bytes + b] != 0) return false;
  }
  return true;
}

// Says whether everything below the first `level` coordinates is zero.
static bool empty_below(const struct sparse_case *c, uint32_t level, uint32_t *at) {
  if (level == c->rank + c->blocks) return is_zero(c, element_at(c, at));
  for (at[level] = 0; at[level] < level_size(c, level); at[level]++) {
    if (!empty_below(c, level + 1, at)) return false;
  }
  return true;
}

static void write_level(struct sparse_case *c, uint32_t level, const uint32_t *above) {
  uint32_t at[MOST_LEVELS], probe[MOST_LEVELS];
  memcpy(at, above, sizeof at);
  if (level == c->rank + c->blocks) {
    memcpy(c->values + c->value_count++ * c->element_bytes,
           c->dense + element_at(c, at) * c->element_bytes, c->element_bytes);
    return;
  }
  for (at[level] = 0; at[level] < level_size(c, level); at[level]++) {
    memcpy(probe, at, sizeof probe);
    if (c->is_sparse[level]) {
      if (empty_below(c, level + 1, probe)) continue;
      c->indices[level].values[c->indices[level].count++] = at[level];
    }
    write_level(c, level + 1, at);
  }
  if (c->is_sparse[level]) {
    c->segments[level].values[c->segments[level].count++] = c->indices[level].count;
  }
}

static void write_case(struct sparse_case *c) {
  const uint32_t start[MOST_LEVELS] = {0};
  c->value_count = 0;
  for (uint32_t l = 0; l < MOST_LEVELS; l++) {
    c->indices[l].count = 0;
    c->segments[l].count = 1;
    c->segments[l].values[0] = 0;
  }
  write_level(c, 0, start);
}

static uint32_t words(arn_fbwrite *f, const uint32_t *values, uint32_t count) {
  const arn_fbvector v = {values, count, 4, 0};
  return arn__fbwrite_vector(f, &v);
}

// Links a list, in the narrowest type that holds it, to the fields `type_id` and the next of a
// table that is about to be written: returns the type code.
static uint8_t list_type(const struct list *l) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < l->count; i++) most = l->values[i] > most ? l->values[i] : most;
  return most > 65535 ? 1 : most > 255 ? 2 : 3;
}

static void link_list(arn_fbwrite *f, uint32_t table, uint16_t id, const struct list *l) {
  static const uint32_t bytes[] = {0, 4, 2, 1};
  const uint32_t width = bytes[list_type(l)];
  uint8_t packed[4 * (MOST_ELEMENTS + 1)];
  for (uint32_t i = 0; i < l->count; i++) memcpy(packed + i * width, &l->values[i], width);
  arn_fbtable holder = {0};
  arn__fbwrite_add_ref(&holder, 0);
  const uint32_t at = arn__fbwrite_table(f, &holder);
  const arn_fbvector v = {packed, l->count, width, 0};
  arn__fbwrite_link(f, table, id, at);
  arn__fbwrite_link(f, at, 0, arn__fbwrite_vector(f, &v));
}

static void link_level(arn_fbwrite *f, uint32_t refs, uint32_t l, const struct sparse_case *c) {
  arn_fbtable level = {0};
  arn__fbwrite_add(&level, 0, 1, c->is_sparse[l]);
  if (!c->is_sparse[l]) arn__fbwrite_add(&level, 1, 4, level_size(c, l));
  if (c->is_sparse[l]) {
    arn__fbwrite_add(&level, 2, 1, list_type(&c->segments[l]));
    arn__fbwrite_add_ref(&level, 3);
    arn__fbwrite_add(&level, 4, 1, list_type(&c->indices[l]));
    arn__fbwrite_add_ref(&level, 5);
  }
  const uint32_t at = arn__fbwrite_table(f, &level);
  arn__fbwrite_link_at(f, refs, l, at);
  if (!c->is_sparse[l]) return;
  link_list(f, at, 3, &c->segments[l]);
  link_list(f, at, 5, &c->indices[l]);
}

static void link_sparsity(arn_fbwrite *f, uint32_t tensor, const struct sparse_case *c) {
  arn_fbtable sparsity = {0};
  for (uint16_t id = 0; id < 3; id++) arn__fbwrite_add_ref(&sparsity, id);
  const uint32_t at = arn__fbwrite_table(f, &sparsity);
  arn__fbwrite_link(f, tensor, 6, at);
  arn__fbwrite_link(f, at, 0, words(f, c->order, c->rank + c->blocks));
  arn__fbwrite_link(f, at, 1, words(f, c->block_axis, c->blocks));
  const uint32_t refs = arn__fbwrite_refs(f, c->rank + c->blocks);
  arn__fbwrite_link(f, at, 2, refs);
  for (uint32_t l = 0; l < c->rank + c->blocks; l++) link_level(f, refs, l, c);
}

static uint32_t link_table(arn_fbwrite *f, uint32_t refs, uint32_t i, const arn_fbtable *table) {
  const uint32_t at = arn__fbwrite_table(f, table);
  arn__fbwrite_link_at(f, refs, i, at);
  return at;
}

// A model of one sparse constant, tensor 0.
static void write_model(arn_fbwrite *f, const struct sparse_case *c) {
  static const uint8_t types[] = {0, 9, 1, 0, 0};  // int8, float16, -, float32 by bytes
  arn_fbtable root = {0}, graph = {0}, tensor = {0}, none = {0}, data = {0};
  assert_true(arn__fbwrite_begin(f, "TFL3"));
  arn__fbwrite_add(&root, 0, 4, 3);
  arn__fbwrite_add_ref(&root, 2);
  arn__fbwrite_add_ref(&root, 4);
  const uint32_t root_at = arn__fbwrite_table(f, &root);
  arn__fbwrite_link_root(f, root_at);
  const uint32_t graphs = arn__fbwrite_refs(f, 1);
  arn__fbwrite_link(f, root_at, 2, graphs);
  arn__fbwrite_add_ref(&graph, 0);
  const uint32_t graph_at = link_table(f, graphs, 0, &graph);
  const uint32_t tensors = arn__fbwrite_refs(f, 1);
  arn__fbwrite_link(f, graph_at, 0, tensors);
  arn__fbwrite_add_ref(&tensor, 0);
  arn__fbwrite_add(&tensor, 1, 1, types[c->element_bytes]);
  arn__fbwrite_add(&tensor, 2, 4, 1);
  arn__fbwrite_add_ref(&tensor, 6);
  const uint32_t tensor_at = link_table(f, tensors, 0, &tensor);
  arn__fbwrite_link(f, tensor_at, 0, words(f, c->dims, c->rank));
  link_sparsity(f, tensor_at, c);
  const uint32_t buffers = arn__fbwrite_refs(f, 2);
  arn__fbwrite_link(f, root_at, 4, buffers);
  link_table(f, buffers, 0, &none);
  arn__fbwrite_add_ref(&data, 0);
  const uint32_t data_at = link_table(f, buffers, 1, &data);
  const arn_fbvector values = {c->values, c->value_count * c->element_bytes, 1, 16};
  arn__fbwrite_link(f, data_at, 0, arn__fbwrite_vector(f, &values));
  assert_null(f->error);
}

// ---- cases --------------------------------------------------------------------------------------

static void shuffle(uint32_t *values, uint32_t count) {
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t j = draw(i), kept = values[i - 1];
    values[i - 1] = values[j];
    values[j] = kept;
  }
}

static void draw_case(struct sparse_case *c) {
  memset(c, 0, sizeof *c);
  static const uint32_t widths[] = {1, 2, 4};
  c->rank = 1 + draw(MOST_AXES);
  c->element_bytes = widths[draw(3)];
  c->count = 1;
  for (uint32_t a = 0; a < c->rank; a++) {
    const bool blocked = draw(3) == 0;
    const uint32_t block = blocked ? 1 + draw(3) : 1;
    c->dims[a] = block * (1 + draw(4));
    c->count *= c->dims[a];
    c->order[a] = a;
    if (!blocked) continue;
    c->block_axis[c->blocks] = a;
    c->block_size[c->blocks++] = block;
  }
  if (draw(2)) shuffle(c->order, c->rank);
  for (uint32_t b = 0; b < c->blocks; b++) c->order[c->rank + b] = c->rank + b;
  if (draw(2)) shuffle(c->order + c->rank, c->blocks);
  for (uint32_t l = 0; l < c->rank; l++) c->is_sparse[l] = draw(2);
  const uint32_t fill = draw(101);
  for (uint32_t i = 0; i < c->count * c->element_bytes; i++) {
    c->dense[i] = (uint8_t)(draw(100) < fill ? draw(256) : 0);
  }
  write_case(c);
}

static void open_model(const arn_fbwrite *f, arn_model *model, arn_subgraph *graph, arn_tensor *t) {
  arn_error error = {0};
  assert_int_equal(arn_model_open(model, f->bytes, f->size, &error), ARN_OK);
  assert_int_equal(arn_model_subgraph(model, 0, graph), ARN_OK);
  arn_model_tensor(model, graph, 0, t);
}

static void check_rows(const struct sparse_case *c, const arn__sparse *s) {
  static uint8_t out[MOST_ELEMENTS * 4 + 4];
  const uint32_t row_bytes = s->row_count * s->element_bytes;
  assert_int_equal(s->rows, c->dims[0]);
  assert_int_equal(s->rows * s->row_count, c->count);
  for (uint32_t first = 0; first < s->rows; first++) {
    const uint32_t count = 1 + draw(s->rows - first);
    memset(out, 0xAA, sizeof out);
    arn__sparse_rows(s, first, count, out);
    assert_memory_equal(out, c->dense + first * row_bytes, count * row_bytes);
    assert_int_equal(out[count * row_bytes], 0xAA);
  }
}

static void reads_what_was_written(void **state) {
  static struct sparse_case c;
  uint32_t checked = 0;
  (void)state;
  for (uint32_t i = 0; i < 2000; i++) {
    arn_fbwrite f = {0};
    arn_model model;
    arn_subgraph graph;
    arn_tensor t;
    draw_case(&c);
    if (c.value_count == 0 || c.rank + c.blocks > ARN__SPARSE_LEVELS) continue;
    write_model(&f, &c);
    open_model(&f, &model, &graph, &t);
    assert_true(t.flags & ARN_TENSOR_SPARSE);
    assert_true(arn__sparse_check(&model, &graph, &t));
    arn__sparse s;
    arn__sparse_open(&s, &model, arn__sparse_at(&model, &graph, &t), model.bytes + t.data_at);
    check_rows(&c, &s);
    checked++;
    arn__fbwrite_release(&f);
  }
  assert_true(checked > 1500);
}

// Damages single bytes: a file that is still accepted must be read inside its bounds (the
// sanitisers watch), and a description must not be accepted when its data is short.
static void survives_damage(void **state) {
  static struct sparse_case c;
  static uint8_t out[MOST_ELEMENTS * 4];
  uint32_t refused = 0;
  (void)state;
  for (uint32_t i = 0; i < 20000; i++) {
    arn_fbwrite f = {0};
    arn_model model;
    arn_subgraph graph;
    arn_tensor t;
    if (i % 50 == 0) draw_case(&c);
    if (c.value_count == 0 || c.rank + c.blocks > ARN__SPARSE_LEVELS) continue;
    write_model(&f, &c);
    f.bytes[8 + draw(f.size - 8)] = (uint8_t)(draw(2) ? draw(256) : draw(4));
    const bool opens = arn_model_open(&model, f.bytes, f.size, NULL) == ARN_OK &&
                       arn_model_subgraph(&model, 0, &graph) == ARN_OK && graph.tensor_count > 0;
    if (opens) arn_model_tensor(&model, &graph, 0, &t);
    if (opens && (t.flags & ARN_TENSOR_SPARSE) && arn__sparse_check(&model, &graph, &t)) {
      arn__sparse s;
      arn__sparse_open(&s, &model, arn__sparse_at(&model, &graph, &t), model.bytes + t.data_at);
      const uint64_t bytes = (uint64_t)s.rows * s.row_count * s.element_bytes;
      if (bytes <= sizeof out) arn__sparse_rows(&s, 0, s.rows, out);
      if (bytes <= sizeof out) arn__sparse_rows(&s, s.rows - 1, 1, out);
    } else {
      refused++;
    }
    arn__fbwrite_release(&f);
  }
  assert_true(refused > 1000);
}

static void refuses_wrong_counts(void **state) {
  static struct sparse_case c;
  (void)state;
  memset(&c, 0, sizeof c);
  c.rank = 2;
  c.element_bytes = 1;
  c.dims[0] = 2;
  c.dims[1] = 3;
  c.count = 6;
  c.order[1] = 1;
  c.is_sparse[1] = true;
  c.dense[0] = 1;
  c.dense[2] = 2;
  c.dense[5] = 3;
  write_case(&c);
  for (uint32_t harm = 0; harm < 5; harm++) {
    arn_fbwrite f = {0};
    arn_model model;
    arn_subgraph graph;
    arn_tensor t;
    struct sparse_case broken = c;
    if (harm == 1) broken.indices[1].values[1] = 3;     // a coordinate outside
    if (harm == 2) broken.segments[1].values[1] = 4;    // segments that fall
    if (harm == 3) broken.value_count--;                // a value short
    if (harm == 4) broken.segments[1].count--;          // a parent without children
    write_model(&f, &broken);
    open_model(&f, &model, &graph, &t);
    assert_int_equal(arn__sparse_check(&model, &graph, &t), harm == 0);
    arn__fbwrite_release(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_was_written),
      cmocka_unit_test(survives_damage),
      cmocka_unit_test(refuses_wrong_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
