// Convolutions whose filters are sparse constants behind DENSIFY: the filter must be decoded a few
// channels at a time, never be expanded, and give what a dense one gives. A matrix product, which
// takes no sparse matrix, must have DENSIFY run before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host/check/rows_check.h"
#include "host/rewrite/fbwrite.h"

enum { CONV_2D = 3, DEPTHWISE_CONV_2D = 4, DENSIFY = 124, BATCH_MATMUL = 126 };
enum { IN = 0, FILTER = 1, DENSE = 2, OUT = 3, TENSORS = 4 };
enum { MOST = 8192 };

typedef struct node {
  bool depthwise, matrix;
  int32_t in[4], filter[4], out[4];
  float input[MOST], weights[MOST], want[MOST];
  float values[MOST];                 // of the sparse format
  int32_t segments[MOST], indices[MOST];
  uint32_t lines, value_count;
} node;

static node n;
static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)((z ^ (z >> 31)) % below);
}

static uint32_t count_of(const int32_t *dims) {
  return (uint32_t)(dims[0] * dims[1] * dims[2] * dims[3]);
}

// ---- the node, and what it gives ----------------------------------------------------------------

static void draw_node(bool depthwise) {
  const int32_t h = 3 + (int32_t)draw(5), w = 3 + (int32_t)draw(5), c = 1 + (int32_t)draw(20);
  const int32_t kh = 1 + (int32_t)draw(3), kw = 1 + (int32_t)draw(3);
  const int32_t outs = depthwise ? c : 1 + (int32_t)draw(20);
  n.depthwise = depthwise;
  n.matrix = false;
  memcpy(n.in, (int32_t[]){1, h, w, c}, sizeof n.in);
  memcpy(n.filter, (int32_t[]){depthwise ? 1 : outs, kh, kw, c}, sizeof n.filter);
  memcpy(n.out, (int32_t[]){1, h - kh + 1, w - kw + 1, outs}, sizeof n.out);
  for (uint32_t i = 0; i < count_of(n.in); i++) n.input[i] = (float)draw(2001) * 0.01f - 10.0f;
  for (uint32_t i = 0; i < count_of(n.filter); i++) {
    n.weights[i] = draw(4) ? 0.0f : (float)draw(2001) * 0.001f - 1.0f;
  }
}

// [h,w] of the image are rows of a matrix [1,h,w,c], times one of [1,1,c,outs].
static void draw_product(void) {
  draw_node(false);
  n.matrix = true;
  const int32_t outs = 1 + (int32_t)draw(20);
  memcpy(n.filter, (int32_t[]){1, 1, n.in[3], outs}, sizeof n.filter);
  memcpy(n.out, (int32_t[]){1, n.in[1], n.in[2], outs}, sizeof n.out);
  for (uint32_t i = 0; i < count_of(n.filter); i++) {
    n.weights[i] = draw(4) ? 0.0f : (float)draw(2001) * 0.001f - 1.0f;
  }
}

static float output_at(int32_t y, int32_t x, int32_t o) {
  float sum = 0.0f;
  for (int32_t c = 0; c < n.in[3] && n.matrix; c++) {
    sum += n.input[(y * n.in[2] + x) * n.in[3] + c] * n.weights[c * n.out[3] + o];
  }
  if (n.matrix) return sum;
  for (int32_t tap = 0; tap < n.filter[1] * n.filter[2]; tap++) {
    const int32_t row = y + tap / n.filter[2], column = x + tap % n.filter[2];
    const float *pixel = n.input + (row * n.in[2] + column) * n.in[3];
    if (n.depthwise) sum += pixel[o] * n.weights[tap * n.in[3] + o];
    for (int32_t c = 0; c < n.in[3] && !n.depthwise; c++) {
      sum += pixel[c] * n.weights[(o * n.filter[1] * n.filter[2] + tap) * n.in[3] + c];
    }
  }
  return sum;
}

static void find_outputs(void) {
  for (int32_t i = 0; i < (int32_t)count_of(n.out); i++) {
    const int32_t pixel = i / n.out[3];
    n.want[i] = output_at(pixel / n.out[2], pixel % n.out[2], i % n.out[3]);
  }
}

// The innermost axis is sparse, the others are dense.
static void compress(void) {
  n.lines = count_of(n.filter) / (uint32_t)n.filter[3];
  n.value_count = 0;
  n.segments[0] = 0;
  for (uint32_t line = 0; line < n.lines; line++) {
    for (int32_t c = 0; c < n.filter[3]; c++) {
      const float value = n.weights[line * (uint32_t)n.filter[3] + (uint32_t)c];
      if (value == 0.0f) continue;
      n.indices[n.value_count] = c;
      n.values[n.value_count++] = value;
    }
    n.segments[line + 1] = (int32_t)n.value_count;
  }
}

// ---- the file -----------------------------------------------------------------------------------

static void link_words(arn_fbwrite *f, uint32_t table, uint16_t id, const int32_t *words,
                       uint32_t count) {
  const arn_fbvector v = {words, count, 4, 0};
  arn__fbwrite_link(f, table, id, arn__fbwrite_vector(f, &v));
}

static uint32_t link_table(arn_fbwrite *f, uint32_t refs, uint32_t i, const arn_fbtable *table) {
  const uint32_t at = arn__fbwrite_table(f, table);
  arn__fbwrite_link_at(f, refs, i, at);
  return at;
}

static uint32_t link_refs(arn_fbwrite *f, uint32_t table, uint16_t id, uint32_t count) {
  const uint32_t refs = arn__fbwrite_refs(f, count);
  arn__fbwrite_link(f, table, id, refs);
  return refs;
}

// A list of the sparse format, of type 1: a table around a vector of int32.
static void link_list(arn_fbwrite *f, uint32_t level, uint16_t id, const int32_t *words,
                      uint32_t count) {
  arn_fbtable holder = {0};
  arn__fbwrite_add_ref(&holder, 0);
  const uint32_t at = arn__fbwrite_table(f, &holder);
  arn__fbwrite_link(f, level, id, at);
  link_words(f, at, 0, words, count);
}

static void link_sparsity(arn_fbwrite *f, uint32_t tensor) {
  static const int32_t order[] = {0, 1, 2, 3};
  arn_fbtable sparsity = {0}, sparse = {0};
  arn__fbwrite_add_ref(&sparsity, 0);
  arn__fbwrite_add_ref(&sparsity, 2);
  const uint32_t at = arn__fbwrite_table(f, &sparsity);
  arn__fbwrite_link(f, tensor, 6, at);
  link_words(f, at, 0, order, 4);
  const uint32_t levels = link_refs(f, at, 2, 4);
  for (uint32_t i = 0; i < 3; i++) {
    arn_fbtable dense = {0};
    arn__fbwrite_add(&dense, 1, 4, (uint64_t)n.filter[i]);
    link_table(f, levels, i, &dense);
  }
  for (uint16_t id = 2; id <= 4; id += 2) arn__fbwrite_add(&sparse, id, 1, 1);
  for (uint16_t id = 3; id <= 5; id += 2) arn__fbwrite_add_ref(&sparse, id);
  arn__fbwrite_add(&sparse, 0, 1, 1);
  const uint32_t last = link_table(f, levels, 3, &sparse);
  link_list(f, last, 3, n.segments, n.lines + 1);
  link_list(f, last, 5, n.indices, n.value_count);
}

static void link_tensor(arn_fbwrite *f, uint32_t tensors, uint32_t i, const int32_t *dims) {
  arn_fbtable t = {0};
  arn__fbwrite_add_ref(&t, 0);
  arn__fbwrite_add(&t, 2, 4, i == FILTER ? 1 : 0);
  if (i == FILTER) arn__fbwrite_add_ref(&t, 6);
  const uint32_t at = link_table(f, tensors, i, &t);
  link_words(f, at, 0, dims, 4);
  if (i == FILTER) link_sparsity(f, at);
}

static void link_operator(arn_fbwrite *f, uint32_t operators, uint32_t i) {
  static const int32_t inputs[2][2] = {{FILTER}, {IN, DENSE}}, outputs[] = {DENSE, OUT};
  arn_fbtable op = {0}, options = {0};
  arn__fbwrite_add(&op, 0, 4, i);
  arn__fbwrite_add_ref(&op, 1);
  arn__fbwrite_add_ref(&op, 2);
  const bool has_options = i == 1 && !n.matrix;
  if (has_options) arn__fbwrite_add(&op, 3, 1, n.depthwise ? 2 : 1);
  if (has_options) arn__fbwrite_add_ref(&op, 4);
  const uint32_t at = link_table(f, operators, i, &op);
  link_words(f, at, 1, inputs[i], i + 1);
  link_words(f, at, 2, outputs + i, 1);
  if (!has_options) return;
  arn__fbwrite_add(&options, 0, 1, 1);  // valid padding, strides of 1
  arn__fbwrite_add(&options, 1, 4, 1);
  arn__fbwrite_add(&options, 2, 4, 1);
  arn__fbwrite_link(f, at, 4, arn__fbwrite_table(f, &options));
}

static void link_graph(arn_fbwrite *f, uint32_t graphs) {
  const int32_t *const dims[TENSORS] = {n.in, n.filter, n.filter, n.out};
  static const int32_t input = IN, output = OUT;
  arn_fbtable graph = {0};
  for (uint16_t id = 0; id < 4; id++) arn__fbwrite_add_ref(&graph, id);
  const uint32_t at = link_table(f, graphs, 0, &graph);
  const uint32_t tensors = link_refs(f, at, 0, TENSORS);
  link_words(f, at, 1, &input, 1);
  link_words(f, at, 2, &output, 1);
  const uint32_t operators = link_refs(f, at, 3, 2);
  for (uint32_t i = 0; i < TENSORS; i++) link_tensor(f, tensors, i, dims[i]);
  for (uint32_t i = 0; i < 2; i++) link_operator(f, operators, i);
}

static void link_code(arn_fbwrite *f, uint32_t codes, uint32_t i, uint32_t code) {
  arn_fbtable table = {0};
  arn__fbwrite_add(&table, 0, 1, code);
  arn__fbwrite_add(&table, 3, 4, code);
  link_table(f, codes, i, &table);
}

static void write_model(arn_fbwrite *f) {
  arn_fbtable root = {0}, none = {0}, data = {0};
  assert_true(arn__fbwrite_begin(f, "TFL3"));
  arn__fbwrite_add(&root, 0, 4, 3);
  arn__fbwrite_add_ref(&root, 1);
  arn__fbwrite_add_ref(&root, 2);
  arn__fbwrite_add_ref(&root, 4);
  const uint32_t at = arn__fbwrite_table(f, &root);
  arn__fbwrite_link_root(f, at);
  const uint32_t codes = link_refs(f, at, 1, 2);
  link_code(f, codes, 0, DENSIFY);
  link_code(f, codes, 1, n.matrix ? BATCH_MATMUL : n.depthwise ? DEPTHWISE_CONV_2D : CONV_2D);
  link_graph(f, link_refs(f, at, 2, 1));
  const uint32_t buffers = link_refs(f, at, 4, 2);
  link_table(f, buffers, 0, &none);
  arn__fbwrite_add_ref(&data, 0);
  const uint32_t data_at = link_table(f, buffers, 1, &data);
  const arn_fbvector values = {n.values, 4 * n.value_count, 1, 16};
  arn__fbwrite_link(f, data_at, 0, arn__fbwrite_vector(f, &values));
  assert_null(f->error);
}

// ---- running ------------------------------------------------------------------------------------

// Returns how the run by rows went.
static host_rows_result check_node(uint32_t *decoded) {
  arn_fbwrite f = {0};
  host_engine engine;
  arn_error error = {0};
  const host_options options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM};
  write_model(&f);
  const arn_status status = host_engine_open(&engine, f.bytes, f.size, &options, &error);
  if (status != ARN_OK) fail_msg("does not start: %s", arn_what_text(error.what));
  memcpy(arn_input(&engine.nn, 0).data, n.input, 4 * count_of(n.in));
  assert_int_equal(arn_invoke(&engine.nn, &error), ARN_OK);
  assert_true(host_engine_is_intact(&engine));
  const arn_tensor_view out = arn_output(&engine.nn, 0);
  assert_int_equal(out.bytes, 4 * count_of(n.out));
  assert_memory_equal(out.data, n.want, out.bytes);
  *decoded = arn_memory_of_node(&engine.nn, 0, 1).scratch_bytes;
  const host_rows_result rows = host_rows_check(&engine, 1, seed);
  host_engine_close(&engine);
  arn__fbwrite_release(&f);
  return rows;
}

static void sparse_is_dense(bool depthwise) {
  uint32_t by_rows = 0, decoded, checked = 0;
  for (uint32_t i = 0; i < 200; i++) {
    do draw_node(depthwise);
    while (count_of(n.in) > MOST || count_of(n.filter) > MOST || count_of(n.out) > MOST);
    compress();
    if (n.value_count == 0) continue;
    find_outputs();
    const host_rows_result rows = check_node(&decoded);
    if (rows != HOST_ROWS_SAME && rows != HOST_ROWS_WHOLE) fail_msg("%s", host_rows_text(rows));
    by_rows += rows == HOST_ROWS_SAME;
    checked++;
    if (!depthwise) assert_true(decoded <= 4 * 4 * count_of(n.filter) / (uint32_t)n.filter[0]);
  }
  assert_true(checked > 150);
  assert_true(by_rows > 100);
}

static void conv(void **state) {
  (void)state;
  sparse_is_dense(false);
}

static void depthwise(void **state) {
  (void)state;
  sparse_is_dense(true);
}

static void others_read_what_densify_made(void **state) {
  uint32_t unused, checked = 0;
  (void)state;
  for (uint32_t i = 0; i < 50; i++) {
    do draw_product();
    while (count_of(n.in) > MOST || count_of(n.filter) > MOST || count_of(n.out) > MOST);
    compress();
    if (n.value_count == 0) continue;
    find_outputs();
    (void)check_node(&unused);
    checked++;
  }
  assert_true(checked > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conv), cmocka_unit_test(depthwise),
                                     cmocka_unit_test(others_read_what_densify_made)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
