// A rig for testing one operator over random shapes: builds a model of one node, runs it under two
// plans and in random spans of scattered rows, and compares with what the test worked out itself.
#ifndef ARENITE_TESTS_UNIT_OP_RIG_H
#define ARENITE_TESTS_UNIT_OP_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/rows_check.h"
#include "host/rewrite/builder.h"

#define RIG_TENSORS 8
#define RIG_BYTES (1u << 16)

typedef struct rig_tensor {
  arn_type type;
  uint32_t rank;
  int32_t dims[ARN_MAX_RANK];
  bool is_constant;
  float scale;     // 0: not quantised
  int64_t zero;
  uint8_t bytes[RIG_BYTES];  // the value of an input; what is wanted of an output
} rig_tensor;

typedef struct rig {
  int32_t code;
  int32_t options_type;
  double options[8];
  arn_build_list lists[ARN_BUILD_MAX_LISTS];
  uint32_t inputs, outputs;
  uint32_t body;  // subgraph 1, of two scalars: 0: there is none, 1: the second, 2: body_code
  int32_t body_code;
  rig_tensor in[RIG_TENSORS], out[RIG_TENSORS];
} rig;

// An empty rig for one operator.
static inline void rig_begin(rig *r, int32_t code, uint32_t inputs, uint32_t outputs) {
  memset(r, 0, sizeof *r);
  r->code = code;
  r->inputs = inputs;
  r->outputs = outputs;
}

#ifndef RIG_SEED
#define RIG_SEED 1  // other seeds: other shapes
#endif

static uint64_t rig_seed = RIG_SEED;

// Returns a number in [0, below).
static inline uint32_t draw(uint32_t below) {
  rig_seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = rig_seed;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)((z ^ (z >> 31)) % below);
}

static inline uint32_t rig_count(const rig_tensor *t) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < t->rank; i++) count *= (uint32_t)t->dims[i];
  return count;
}

static inline uint32_t rig_element(const rig_tensor *t) { return arn_type_bytes(t->type); }

static inline uint32_t rig_size(const rig_tensor *t) { return rig_count(t) * rig_element(t); }

// Gives a tensor random bytes (bool: 0 or 1).
static inline void rig_fill(rig_tensor *t) {
  assert_true(rig_size(t) <= RIG_BYTES);
  for (uint32_t i = 0; i < rig_size(t); i++) {
    t->bytes[i] = (uint8_t)draw(t->type == ARN_BOOL ? 2 : 256);
  }
}

// A tensor of random type and shape, mostly of a single batch, so that it has rows.
static inline void rig_shape(rig_tensor *t, uint32_t least_rank, uint32_t most_rank) {
  static const arn_type types[] = {ARN_INT8,  ARN_INT16, ARN_FLOAT32,
                                   ARN_INT64, ARN_UINT8, ARN_BOOL};
  static const int32_t sizes[] = {1, 1, 2, 3, 4, 5};
  t->type = types[draw(6)];
  t->rank = least_rank + draw(most_rank - least_rank + 1);
  for (uint32_t i = 0; i < t->rank; i++) t->dims[i] = sizes[draw(6)];
  if (t->rank > 2 && draw(4) > 0) t->dims[0] = 1;
}

// Makes a tensor of int32 or int64 values.
static inline void rig_index(rig_tensor *t, const int32_t *values, uint32_t count, bool constant) {
  t->type = draw(2) ? ARN_INT32 : ARN_INT64;
  t->rank = 1;
  t->dims[0] = (int32_t)count;
  t->is_constant = constant;
  for (uint32_t i = 0; i < count; i++) {
    const int64_t value = values[i];
    memcpy(t->bytes + i * rig_element(t), &value, rig_element(t));
  }
}

// Takes flat index `flat` apart into coordinates, and puts coordinates together.
static inline void rig_split(const rig_tensor *t, uint32_t flat, int32_t *at) {
  for (uint32_t i = t->rank; i-- > 0;) {
    at[i] = (int32_t)(flat % (uint32_t)t->dims[i]);
    flat /= (uint32_t)t->dims[i];
  }
}

static inline uint32_t rig_join(const rig_tensor *t, const int32_t *at) {
  uint32_t flat = 0;
  for (uint32_t i = 0; i < t->rank; i++) {
    assert_true(at[i] >= 0 && at[i] < t->dims[i]);
    flat = flat * (uint32_t)t->dims[i] + (uint32_t)at[i];
  }
  return flat;
}

// Wants element `to` of an output to be element `from` of an input.
static inline void rig_want(rig_tensor *out, uint32_t to, const rig_tensor *in, uint32_t from) {
  memcpy(out->bytes + to * rig_element(out), in->bytes + from * rig_element(in), rig_element(out));
}

// ---- running ------------------------------------------------------------------------------------

static inline int32_t rig_add(arn_builder *b, const rig_tensor *t) {
  arn_build_tensor built = {.name = "t", .type = t->type, .rank = t->rank};
  memcpy(built.shape, t->dims, sizeof built.shape);
  if (t->is_constant) {
    built.data = t->bytes;
    built.data_bytes = rig_size(t);
  }
  if (t->scale > 0) built.quant = (arn_build_quant){&t->scale, &t->zero, 1, 0};
  return arn_builder_tensor(b, &built);
}

// A computation of two scalars of the type of input 0.
static inline void rig_add_body(arn_builder *b, const rig *r) {
  int32_t t[3];
  const arn_build_tensor scalar = {.name = "x", .type = r->in[0].type};
  arn_builder_subgraph(b, "body");
  for (uint32_t i = 0; i < 3; i++) t[i] = arn_builder_tensor(b, &scalar);
  const arn_build_operator node = {.code = r->body_code, .version = 1, .inputs = t,
                                   .input_count = 2, .outputs = &t[2], .output_count = 1};
  if (r->body == 2) arn_builder_operator(b, &node);
  arn_builder_io(b, t, 2, &t[r->body], 1);
}

static inline uint8_t *rig_model(const rig *r, size_t *size) {
  int32_t in[RIG_TENSORS], out[RIG_TENSORS], given[RIG_TENSORS];
  uint32_t given_count = 0;
  uint8_t *bytes = NULL;
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  for (uint32_t i = 0; i < r->inputs; i++) {
    in[i] = rig_add(b, &r->in[i]);
    if (!r->in[i].is_constant) given[given_count++] = in[i];
  }
  for (uint32_t i = 0; i < r->outputs; i++) out[i] = rig_add(b, &r->out[i]);
  arn_build_operator node = {.code = r->code, .version = 1, .inputs = in,
                             .input_count = r->inputs, .outputs = out, .output_count = r->outputs};
  node.options.type = r->options_type;
  memcpy(node.options.values, r->options, sizeof r->options);
  memcpy(node.options.lists, r->lists, sizeof r->lists);
  arn_builder_operator(b, &node);
  arn_builder_io(b, given, given_count, out, r->outputs);
  if (r->body > 0) rig_add_body(b, r);
  if (!arn_builder_finish(b, &bytes, size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}

static inline void rig_give_inputs(const rig *r, const host_engine *engine) {
  uint32_t given = 0;
  for (uint32_t i = 0; i < r->inputs; i++) {
    if (r->in[i].is_constant) continue;
    const arn_tensor_view view = arn_input(&engine->nn, given++);
    assert_int_equal(view.bytes, rig_size(&r->in[i]));
    if (view.bytes > 0) memcpy(view.data, r->in[i].bytes, view.bytes);
  }
}

// Opens and invokes; returns the status of whatever failed first.
static inline arn_status rig_start(const rig *r, const uint8_t *model, size_t size, uint8_t flags,
                                   host_engine *engine) {
  const host_options options = {.config = {.flags = flags}, .fill = HOST_FILL_RANDOM};
  arn_error error = {0};
  arn_status status = host_engine_open(engine, model, size, &options, &error);
  if (status != ARN_OK) return status;
  rig_give_inputs(r, engine);
  status = arn_invoke(&engine->nn, &error);
  assert_true(host_engine_is_intact(engine));
  if (status != ARN_OK) host_engine_close(engine);
  return status;
}

// Says which node failed.
static inline void rig_print(const rig *r) {
  for (uint32_t i = 0; i < r->inputs + r->outputs; i++) {
    const rig_tensor *t = i < r->inputs ? &r->in[i] : &r->out[i - r->inputs];
    print_error("%s %s[", i < r->inputs ? " in" : " out", arn_type_name(t->type));
    for (uint32_t k = 0; k < t->rank; k++) print_error("%d,", (int)t->dims[k]);
    print_error("]%s", t->is_constant ? " constant" : "");
    for (uint32_t k = 0; i > 0 && i < r->inputs && k < rig_count(t) && k < 16; k++) {
      print_error(" %02x", t->bytes[k * rig_element(t)]);
    }
  }
  print_error("\n");
}

static inline void rig_compare(const rig *r, const host_engine *engine, const char *how) {
  for (uint32_t i = 0; i < r->outputs; i++) {
    const arn_tensor_view view = arn_output(&engine->nn, i);
    assert_int_equal(view.bytes, rig_size(&r->out[i]));
    if (view.bytes > 0 && memcmp(view.data, r->out[i].bytes, view.bytes) != 0) {
      print_error("output %u differs: %s\n", i, how);
      rig_print(r);
      fail();
    }
  }
}

// Runs the node in every way and wants r->out. Returns how the run by rows went.
static inline host_rows_result rig_check(const rig *r) {
  host_engine engine;
  host_rows_result rows = HOST_ROWS_WHOLE;
  size_t size;
  uint8_t *model = rig_model(r, &size);
  assert_int_equal(rig_start(r, model, size, 0, &engine), ARN_OK);
  rig_compare(r, &engine, "planned");
  host_engine_close(&engine);
  assert_int_equal(rig_start(r, model, size, ARN_KEEP_ALL, &engine), ARN_OK);
  rig_compare(r, &engine, "kept apart");
  for (uint64_t seed = 1; seed <= 3; seed++) {
    rows = host_rows_check(&engine, 0, seed);
    if (rows != HOST_ROWS_SAME && rows != HOST_ROWS_WHOLE) {
      print_error("by rows: %s\n", host_rows_text(rows));
      rig_print(r);
      fail();
    }
  }
  host_engine_close(&engine);
  free(model);
  return rows;
}

// Wants the node to be refused, or to fail at run time, with `status`.
static inline void rig_refuse(const rig *r, arn_status want) {
  host_engine engine;
  size_t size;
  uint8_t *model = rig_model(r, &size);
  const arn_status status = rig_start(r, model, size, 0, &engine);
  if (status == ARN_OK) host_engine_close(&engine);
  assert_int_equal(status, want);
  free(model);
}

// Counts how many of many runs went by rows: a test that never does tests half.
typedef struct rig_tally {
  uint32_t by_rows, whole;
} rig_tally;

static inline void rig_tally_check(rig_tally *tally, const rig *r) {
  if (rig_check(r) == HOST_ROWS_SAME) {
    tally->by_rows++;
  } else {
    tally->whole++;
  }
}

#endif
