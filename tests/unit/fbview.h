// Reading a .tflite file in tests: written from the FlatBuffers specification and the public
// schema, sharing no code with the writer or the engine. Every read is checked, and the first byte
// out of place fails the test. Include after <cmocka.h>.
#ifndef ARENITE_TESTS_UNIT_FBVIEW_H
#define ARENITE_TESTS_UNIT_FBVIEW_H

#include <stdint.h>
#include <string.h>

typedef struct view {
  uint8_t *bytes;
  size_t size;
} view;

static inline uint64_t number(const view *v, size_t at, size_t bytes) {
  uint64_t value = 0;
  assert_true(at + bytes <= v->size);
  assert_int_equal(at % bytes, 0);  // scalars are aligned
  for (size_t k = bytes; k-- > 0;) value = value << 8 | v->bytes[at + k];
  return value;
}

static inline float real(const view *v, size_t at) {
  const uint32_t bits = (uint32_t)number(v, at, 4);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline size_t follow(const view *v, size_t at) {
  const size_t target = at + (size_t)number(v, at, 4);
  assert_true(target > at && target < v->size);
  return target;
}

static inline size_t root_of(const view *v) {
  assert_memory_equal(v->bytes + 4, "TFL3", 4);
  return follow(v, 0);
}

// Returns where a field lies, 0 if it is absent.
static inline size_t field(const view *v, size_t table, unsigned id) {
  const int32_t back = (int32_t)number(v, table, 4);
  const size_t vtable = (size_t)((int64_t)table - back);
  assert_true(vtable >= 8 && vtable + 4 <= v->size);
  const size_t vtable_bytes = (size_t)number(v, vtable, 2);
  const size_t table_bytes = (size_t)number(v, vtable + 2, 2);
  assert_true(vtable_bytes % 2 == 0 && vtable + vtable_bytes <= v->size);
  assert_true(table_bytes >= 4 && table + table_bytes <= v->size);
  if (4 + 2 * id + 2 > vtable_bytes) return 0;
  const size_t distance = (size_t)number(v, vtable + 4 + 2 * id, 2);
  assert_true(distance == 0 || (distance >= 4 && distance < table_bytes));
  return distance ? table + distance : 0;
}

static inline uint64_t scalar(const view *v, size_t table, unsigned id, size_t bytes) {
  const size_t at = field(v, table, id);
  return at ? number(v, at, bytes) : 0;
}

static inline size_t child(const view *v, size_t table, unsigned id) {
  const size_t at = field(v, table, id);
  return at ? follow(v, at) : 0;
}

// A vector's first element, its count, and that all elements lie in the file.
static inline size_t vector(const view *v, size_t table, unsigned id, size_t element,
                            uint32_t *count) {
  const size_t at = child(v, table, id);
  *count = at ? (uint32_t)number(v, at, 4) : 0;
  if (!at) return 0;
  assert_true(at + 4 + (uint64_t)*count * element <= v->size);
  return at + 4;
}

// Element `i` of a vector of tables.
static inline size_t item(const view *v, size_t table, unsigned id, uint32_t i) {
  uint32_t count;
  const size_t first = vector(v, table, id, 4, &count);
  assert_true(i < count);
  return follow(v, first + 4 * i);
}

static inline uint32_t count_of(const view *v, size_t table, unsigned id) {
  uint32_t count;
  vector(v, table, id, 1, &count);
  return count;
}

static inline void assert_text(const view *v, size_t table, unsigned id, const char *want) {
  uint32_t length;
  const size_t at = vector(v, table, id, 1, &length);
  assert_int_equal(length, strlen(want));
  assert_memory_equal(v->bytes + at, want, length);
  assert_true(at + length < v->size && v->bytes[at + length] == 0);
}

static inline void assert_numbers(const view *v, size_t table, unsigned id, const int32_t *want,
                           uint32_t want_count) {
  uint32_t count;
  const size_t at = vector(v, table, id, 4, &count);
  assert_int_equal(count, want_count);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal((int32_t)number(v, at + 4 * i, 4), want[i]);
  }
}

// Field numbers of the schema that the tests read.
enum {
  MODEL_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_TEXT = 3, MODEL_BUFFERS = 4, MODEL_METADATA = 6,
  MODEL_SIGNATURES = 7,
  GRAPH_TENSORS = 0, GRAPH_INPUTS = 1, GRAPH_OUTPUTS = 2, GRAPH_OPERATORS = 3, GRAPH_NAME = 4,
  TENSOR_SHAPE = 0, TENSOR_TYPE = 1, TENSOR_BUFFER = 2, TENSOR_NAME = 3, TENSOR_QUANT = 4,
  TENSOR_VARIABLE = 5,
  QUANT_SCALE = 2, QUANT_ZERO = 3, QUANT_AXIS = 6,
  OP_CODE = 0, OP_INPUTS = 1, OP_OUTPUTS = 2, OP_OPTIONS_TYPE = 3, OP_OPTIONS = 4, OP_CUSTOM = 5,
};

static inline size_t graph_of(const view *v, uint32_t i) {
  return item(v, root_of(v), MODEL_SUBGRAPHS, i);
}

static inline size_t tensor_of(const view *v, uint32_t i) {
  return item(v, graph_of(v, 0), GRAPH_TENSORS, i);
}

static inline size_t operator_of(const view *v, uint32_t i) {
  return item(v, graph_of(v, 0), GRAPH_OPERATORS, i);
}

static inline size_t code_of(const view *v, uint32_t operator_index) {
  const uint32_t code = (uint32_t)scalar(v, operator_of(v, operator_index), OP_CODE, 4);
  return item(v, root_of(v), MODEL_CODES, code);
}

static inline int32_t builtin_of(const view *v, uint32_t operator_index) {
  return (int32_t)scalar(v, code_of(v, operator_index), 3, 4);
}

// Returns a tensor's constant data, which must be 16-byte aligned in the file.
static inline const uint8_t *data_of(const view *v, uint32_t tensor, uint32_t *bytes) {
  const uint32_t buffer = (uint32_t)scalar(v, tensor_of(v, tensor), TENSOR_BUFFER, 4);
  const size_t at = vector(v, item(v, root_of(v), MODEL_BUFFERS, buffer), 0, 1, bytes);
  assert_int_equal(at % 16, 0);
  return at ? v->bytes + at : NULL;
}

// What holds for every file: version 3, buffer 0 empty, data aligned, indices in range.
static inline void assert_sound(const view *v) {
  const size_t root = root_of(v);
  const uint32_t buffers = count_of(v, root, MODEL_BUFFERS);
  assert_int_equal(scalar(v, root, 0, 4), 3);
  assert_int_equal(v->size % 16, 0);
  assert_true(buffers >= 1);
  for (uint32_t i = 0; i < buffers; i++) {
    uint32_t bytes;
    const size_t at = vector(v, item(v, root, MODEL_BUFFERS, i), 0, 1, &bytes);
    if (i == 0) assert_int_equal(bytes, 0);
    else assert_true(bytes > 0 && at % 16 == 0);
  }
  for (uint32_t i = 0; i < count_of(v, graph_of(v, 0), GRAPH_TENSORS); i++) {
    assert_true(scalar(v, tensor_of(v, i), TENSOR_BUFFER, 4) < buffers);
  }
  for (uint32_t i = 0; i < count_of(v, graph_of(v, 0), GRAPH_OPERATORS); i++) {
    assert_true(scalar(v, operator_of(v, i), OP_CODE, 4) < count_of(v, root, MODEL_CODES));
  }
}

#endif
