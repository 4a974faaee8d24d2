// Row plans: an optimised file computes what the original does; a plan that was damaged, by
// chance or on purpose, is refused or computes the same, and never writes outside the arena.
//
// Plans are read and written here from the words of docs/plan-format.md, sharing only the
// fingerprint with src/plan.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/builder.h"
#include "host/rewrite/metadata.h"
#include "host/rewrite/optimize.h"
#include "host/rewrite/same.h"
#include "src/plan/rowplan.h"

#define NONE UINT32_MAX
#define HEADER 16u
#define MAX_WORDS 4096u
#define MAX_STEPS 512u
#define MAX_NUMBERS 8u
#define SPARE_ARENA (1u << 16)

typedef struct file {
  uint8_t *bytes;
  size_t size;
} file;

// ---- a small network ----

static int8_t random_weights[512];

static int32_t add_tensor(arn_builder *b, arn_build_tensor t) {
  static const float scale = 0.05f;
  t.name = "t";
  if (t.type == ARN_INT8) t.quant = (arn_build_quant){&scale, NULL, 1, 0};
  const int32_t index = arn_builder_tensor(b, &t);
  if (index < 0) fail_msg("%s", arn_builder_error(b));
  return index;
}

static int32_t activation(arn_builder *b, int32_t h, int32_t w, int32_t c) {
  return add_tensor(b, (arn_build_tensor){.type = ARN_INT8, .rank = 4, .shape = {1, h, w, c}});
}

static int32_t filter(arn_builder *b, int32_t n, int32_t h, int32_t w, int32_t c) {
  assert_true(n * h * w * c <= 512);
  return add_tensor(b, (arn_build_tensor){.type = ARN_INT8, .rank = 4, .shape = {n, h, w, c},
                                          .data = random_weights,
                                          .data_bytes = (size_t)(n * h * w * c)});
}

static void add_node(arn_builder *b, int32_t code, const int32_t *in, uint32_t count, int32_t out,
                     arn_build_options options) {
  const arn_build_operator node = {.code = code, .version = 1, .inputs = in, .input_count = count,
                                   .outputs = &out, .output_count = 1, .options = options};
  arn_builder_operator(b, &node);
}

static int32_t add_conv(arn_builder *b, int32_t in, int32_t weight, int32_t out, double stride) {
  const arn_build_options options = {.type = ARN_OPTIONS_CONV_2D,
                                     .values = {0, stride, stride, 0, 1, 1}};
  add_node(b, ARN_BUILTIN_CONV_2D, (int32_t[]){in, weight, -1}, 3, out, options);
  return out;
}

static int32_t add_depthwise(arn_builder *b, int32_t in, int32_t weight, int32_t out) {
  const arn_build_options options = {.type = ARN_OPTIONS_DEPTHWISE_CONV_2D,
                                     .values = {0, 1, 1, 1, 0, 1, 1}};
  add_node(b, ARN_BUILTIN_DEPTHWISE_CONV_2D, (int32_t[]){in, weight, -1}, 3, out, options);
  return out;
}

static file finish(arn_builder *b) {
  file f = {NULL, 0};
  if (!arn_builder_finish(b, &f.bytes, &f.size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return f;
}

// Convolution, depthwise, RELU, a residual, a stride, global pooling; `c` channels. The second
// output is the last convolution, or what the pooling and that convolution read.
static file network_with(int32_t size, int32_t c, bool output_is_read) {
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  const int32_t half = (size + 1) / 2;
  const int32_t in = activation(b, size, size, 3);
  const int32_t a = add_conv(b, in, filter(b, c, 3, 3, 3), activation(b, size, size, c), 1);
  const int32_t d = add_depthwise(b, a, filter(b, 1, 3, 3, c), activation(b, size, size, c));
  const int32_t relu = activation(b, size, size, c);
  add_node(b, ARN_BUILTIN_RELU, &d, 1, relu, (arn_build_options){.type = 0});
  const int32_t p = add_conv(b, relu, filter(b, c, 1, 1, c), activation(b, size, size, c), 1);
  const int32_t sum = activation(b, size, size, c);
  add_node(b, ARN_BUILTIN_ADD, (int32_t[]){p, a}, 2, sum,
           (arn_build_options){.type = ARN_OPTIONS_ADD});
  const int32_t s = add_conv(b, sum, filter(b, 2, 3, 3, c), activation(b, half, half, 2), 2);
  const int32_t mean = activation(b, 1, 1, 2);
  const arn_build_options pool = {.type = ARN_OPTIONS_POOL_2D,
                                  .values = {1, half, half, half, half}};
  add_node(b, ARN_BUILTIN_AVERAGE_POOL_2D, &s, 1, mean, pool);
  const int32_t last = add_conv(b, s, filter(b, 2, 1, 1, 2), activation(b, half, half, 2), 1);
  arn_builder_io(b, &in, 1, (int32_t[]){mean, output_is_read ? s : last}, 2);
  return finish(b);
}

static file network(int32_t size, int32_t c) { return network_with(size, c, false); }

static arn_optimized optimise(const file *f, host_stream_wish stream) {
  const host_search_options search = {.budget_seconds = 0.2, .stream = stream,
                                      .keep_graph = true};
  arn_optimized result;
  arn_error error;
  const char *why;
  const arn_status status = arn_optimize(f->bytes, f->size, &search, &result, &error, &why);
  if (status != ARN_OK) fail_msg("%s", why ? why : arn_what_text(error.what));
  return result;
}

// ---- running one ----

// What a run wants: inputs (as generated), outputs of the original.
typedef struct wanted {
  uint8_t in[4096], out[2][4096], got[2][4096];
  uint32_t out_bytes[2];
} wanted;

static wanted w;

static bool fetch(void *context, uint32_t input, uint32_t row, void *to, uint32_t bytes) {
  (void)context;
  if (input > 0 || (uint64_t)(row + 1) * bytes > sizeof w.in) return false;
  memcpy(to, w.in + (size_t)row * bytes, bytes);
  return true;
}

static bool deliver(void *context, uint32_t output, uint32_t row, const void *from,
                    uint32_t bytes) {
  (void)context;
  if (output > 1 || (uint64_t)(row + 1) * bytes > sizeof w.got[0]) return false;
  memcpy(w.got[output] + (size_t)row * bytes, from, bytes);
  return true;
}

static void take_outputs(const host_engine *e, bool reference) {
  for (uint32_t i = 0; i < 2; i++) {
    const arn_tensor_view out = arn_output(&e->nn, i);
    assert_true(out.bytes <= sizeof w.out[0]);
    if (out.data) memcpy(reference ? w.out[i] : w.got[i], out.data, out.bytes);
    if (reference) w.out_bytes[i] = out.bytes;
  }
}

static void give_input(const host_engine *e) {
  arn_tensor_view in = arn_input(&e->nn, 0);
  void *at = in.data;
  assert_true(in.bytes <= sizeof w.in);
  in.data = w.in;
  host_generate_input(&in, 0, 0);
  if (at) memcpy(at, w.in, in.bytes);
}

// Runs the file in an arena with some room to spare. Where it does not start, returns why.
static arn_status run(const file *f, uint32_t arena_bytes, arn_error *error) {
  const host_options options = {.fill = HOST_FILL_RANDOM, .arena_bytes = arena_bytes,
                                .config.stream = {fetch, deliver, NULL}};
  host_engine e;
  memset(error, 0, sizeof *error);
  memset(w.got, 0xEE, sizeof w.got);
  const arn_status status = host_engine_open(&e, f->bytes, f->size, &options, error);
  if (status != ARN_OK) return status;
  give_input(&e);
  assert_int_equal(arn_invoke(&e.nn, error), ARN_OK);
  assert_true(host_engine_is_intact(&e));
  take_outputs(&e, false);
  host_engine_close(&e);
  return ARN_OK;
}

static void run_reference(const file *f) {
  const host_options options = {.config.flags = ARN_IGNORE_PLAN};
  host_engine e;
  arn_error error;
  assert_int_equal(host_engine_open(&e, f->bytes, f->size, &options, &error), ARN_OK);
  give_input(&e);
  assert_int_equal(arn_invoke(&e.nn, &error), ARN_OK);
  take_outputs(&e, true);
  host_engine_close(&e);
}

// A damaged file is refused as a bad plan, or wants more memory than there is, or gives the same.
static bool is_refused(const file *f, const arn_usage *usage) {
  arn_error error;
  const arn_status status = run(f, usage->arena_bytes + SPARE_ARENA, &error);
  if (status == ARN_OK) {
    for (uint32_t i = 0; i < 2; i++) assert_memory_equal(w.got[i], w.out[i], w.out_bytes[i]);
    return false;
  }
  if (status == ARN_ERR_NO_MEMORY) {
    assert_true(error.total_need > usage->arena_bytes + SPARE_ARENA);
  } else if (status != ARN_ERR_PLAN) {
    fail_msg("%s (%s)", arn_status_name(status), arn_what_text(error.what));
  }
  return true;
}

static uint8_t *plan_of(const file *f, uint32_t *bytes) {
  arn_model model;
  arn_error error;
  assert_int_equal(arn_model_open(&model, f->bytes, f->size, &error), ARN_OK);
  const uint8_t *plan = arn_model_metadata(&model, "arenite.plan", bytes);
  assert_non_null(plan);
  return f->bytes + (plan - f->bytes);
}

// ---- the plan in parts ----

typedef struct plan_step {
  uint32_t node, port, first, count;
  uint32_t numbers[MAX_NUMBERS], number_count;
} plan_step;

typedef struct plan {
  uint32_t words[MAX_WORDS];   // header, places, nodes, rows
  uint32_t word_count;
  plan_step steps[MAX_STEPS];
  uint32_t step_count;
} plan;

enum { TENSORS = 6, NODES = 7, ROW_WORDS = 8, STEP_BYTES = 9, PROOF_BYTES = 10, STEPS = 11 };

static uint32_t read_number(const uint8_t *bytes, uint32_t *cursor) {
  uint32_t value = 0, shift = 0;
  do {
    value |= (uint32_t)(bytes[*cursor] & 0x7F) << shift;
    shift += 7;
  } while (bytes[(*cursor)++] & 0x80);
  return value;
}

static void write_number(uint8_t *bytes, uint32_t *cursor, uint32_t value) {
  for (; value > 0x7F; value >>= 7) bytes[(*cursor)++] = (uint8_t)(value | 0x80);
  bytes[(*cursor)++] = (uint8_t)value;
}

// Numbers that the proof has for a step: one, and one for each input slot with memory of its own.
static uint32_t numbers_of(const plan *p, const arn_model *m, const plan_step *s) {
  arn_subgraph g;
  arn_node node;
  uint32_t count = 1;
  if (s->node >= p->words[NODES]) return s->node == p->words[NODES] ? 0 : 1;
  assert_int_equal(arn_model_subgraph(m, 0, &g), ARN_OK);
  arn_model_node(m, &g, s->node, &node);
  for (uint32_t i = 0; i < node.input_count; i++) {
    const int32_t t = arn_model_index(m, node.inputs_at, i);
    if (t >= 0 && p->words[HEADER + (uint32_t)t] != NONE) count++;
  }
  return count;
}

static void decode(const file *f, plan *p) {
  arn_model m;
  arn_error error;
  uint32_t bytes;
  const uint8_t *at = plan_of(f, &bytes);
  assert_int_equal(arn_model_open(&m, f->bytes, f->size, &error), ARN_OK);
  memset(p, 0, sizeof *p);
  memcpy(p->words, at, 4 * HEADER);
  p->word_count = HEADER + p->words[TENSORS] + 2 * p->words[NODES] + p->words[ROW_WORDS];
  p->step_count = p->words[STEPS];
  assert_true(p->word_count <= MAX_WORDS && p->step_count <= MAX_STEPS);
  memcpy(p->words, at, 4 * p->word_count);
  uint32_t steps = 4 * p->word_count, proof = steps + ((p->words[STEP_BYTES] + 3) & ~3u);
  for (uint32_t i = 0; i < p->step_count; i++) {
    plan_step *s = &p->steps[i];
    s->node = read_number(at, &steps);
    if (s->node >= p->words[NODES]) s->port = read_number(at, &steps);
    s->first = read_number(at, &steps);
    s->count = read_number(at, &steps);
    s->number_count = numbers_of(p, &m, s);
    for (uint32_t k = 0; k < s->number_count; k++) s->numbers[k] = read_number(at, &proof);
  }
  assert_int_equal(steps, 4 * p->word_count + p->words[STEP_BYTES]);
}

// Returns the bytes of the plan; the header's sizes are made to fit.
static uint32_t encode(plan *p, uint8_t *bytes) {
  uint32_t cursor = 4 * p->word_count;
  for (uint32_t i = 0; i < p->step_count; i++) {
    const plan_step *s = &p->steps[i];
    write_number(bytes, &cursor, s->node);
    if (s->node >= p->words[NODES]) write_number(bytes, &cursor, s->port);
    write_number(bytes, &cursor, s->first);
    write_number(bytes, &cursor, s->count);
  }
  p->words[STEP_BYTES] = cursor - 4 * p->word_count;
  while (cursor % 4 != 0) bytes[cursor++] = 0;
  const uint32_t proof = cursor;
  for (uint32_t i = 0; i < p->step_count; i++) {
    for (uint32_t k = 0; k < p->steps[i].number_count; k++) {
      write_number(bytes, &cursor, p->steps[i].numbers[k]);
    }
  }
  p->words[PROOF_BYTES] = cursor - proof;
  p->words[STEPS] = p->step_count;
  memcpy(bytes, p->words, 4 * p->word_count);
  return cursor;
}

static uint8_t encoded[4 * MAX_WORDS + 64 * MAX_STEPS];

static file with_plan(const file *original, plan *p) {
  const arn_metadata_entry entry = {"arenite.plan", encoded, encode(p, encoded)};
  file f;
  const char *why;
  if (!arn_metadata_add(original->bytes, original->size, &entry, 1, &f.bytes, &f.size, &why)) {
    fail_msg("%s", why);
  }
  return f;
}

static bool plan_is_refused(const file *original, const plan *p, const arn_usage *usage) {
  static plan copy;
  copy = *p;
  const file f = with_plan(original, &copy);
  const bool refused = is_refused(&f, usage);
  free(f.bytes);
  return refused;
}

// ---- the tests ----

static file original, streaming;
static arn_optimized optimised, streamed;
static plan sound, sound_stream;

static int prepare(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof random_weights; i++) {
    random_weights[i] = (int8_t)((i * 2654435761u) >> 24);
  }
  original = network(9, 5);
  optimised = optimise(&original, (host_stream_wish){0, 0});
  streamed = optimise(&original, (host_stream_wish){1, 2});
  streaming = (file){streamed.bytes, streamed.size};
  run_reference(&original);
  const file f = {optimised.bytes, optimised.size};
  decode(&f, &sound);
  decode(&streaming, &sound_stream);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  free(original.bytes);
  free(optimised.bytes);
  free(streamed.bytes);
  return 0;
}

static void an_optimised_file_computes_the_same_in_less(void **state) {
  (void)state;
  static const int32_t sizes[][2] = {{9, 5}, {8, 4}, {7, 3}, {1, 4}, {2, 1}, {12, 6}};
  for (uint32_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
    const file f = network_with(sizes[i / 2][0], sizes[i / 2][1], i % 2);
    for (uint32_t stream = 0; stream < 4; stream++) {
      const arn_optimized o = optimise(&f, (host_stream_wish){stream & 1, stream & 2});
      assert_true(stream || o.row_bytes <= o.whole_bytes);
      assert_true(arn_run_the_same(f.bytes, f.size, o.bytes, o.size, 3));
      free(o.bytes);
    }
    free(f.bytes);
  }
  assert_true(optimised.row_bytes < optimised.whole_bytes);
}

static void the_format_is_as_documented(void **state) {
  (void)state;
  uint32_t bytes;
  const file f = {optimised.bytes, optimised.size};
  const uint8_t *at = plan_of(&f, &bytes);
  assert_memory_equal(at, "ARNP", 4);
  assert_true(encode(&sound, encoded) <= bytes && bytes < encode(&sound, encoded) + 4);
  assert_memory_equal(encoded, at, encode(&sound, encoded));
  assert_false(plan_is_refused(&original, &sound, &optimised.usage));
  assert_false(plan_is_refused(&original, &sound_stream, &optimised.usage));
}

static void damage_every_byte(const file *f, const arn_usage *usage) {
  static const uint8_t masks[] = {0x01, 0x04, 0x40, 0x80, 0xFF};
  uint32_t bytes, refused = 0;
  uint8_t *at = plan_of(f, &bytes);
  for (uint32_t i = 0; i < bytes; i++) {
    for (uint32_t k = 0; k < sizeof masks; k++) {
      at[i] ^= masks[k];
      refused += is_refused(f, usage);
      at[i] ^= masks[k];
    }
  }
  assert_true(refused > bytes * sizeof masks / 2);
  assert_false(is_refused(f, usage));
}

static void a_plan_with_any_byte_changed_is_refused_or_right(void **state) {
  (void)state;
  const file f = {optimised.bytes, optimised.size};
  damage_every_byte(&f, &optimised.usage);
  damage_every_byte(&streaming, &streamed.usage);
}

static void rows_and_places_on_top_of_others_are_refused_or_right(void **state) {
  (void)state;
  const uint32_t rows_at = sound.word_count - sound.words[ROW_WORDS];
  uint32_t tried = 0, refused = 0;
  for (uint32_t i = HEADER; i < sound.word_count; i++) {
    static plan p;
    p = sound;
    const uint32_t other = i < rows_at ? HEADER : rows_at;
    for (uint32_t k = 0; k < 12; k++) {
      const uint32_t span = i < rows_at ? rows_at - HEADER : sound.words[ROW_WORDS];
      p.words[i] = sound.words[other + (i * 7 + k * 5) % span];
      if (p.words[i] == sound.words[i]) continue;
      tried++;
      refused += plan_is_refused(&original, &p, &optimised.usage);
    }
    const uint32_t moves[] = {4, -4u, 1, sound.words[4], sound.words[4] - 4, NONE, 0};
    for (uint32_t k = 0; k < sizeof moves / sizeof moves[0]; k++) {
      p.words[i] = k < 3 ? sound.words[i] + moves[k] : moves[k];
      if (p.words[i] == sound.words[i]) continue;
      tried++;
      refused += plan_is_refused(&original, &p, &optimised.usage);
    }
  }
  assert_true(refused > tried / 2);
}

static void drop(plan *p, uint32_t i) {
  memmove(&p->steps[i], &p->steps[i + 1], (p->step_count - i - 1) * sizeof p->steps[0]);
  p->step_count--;
}

static void steps_left_out_or_doubled_are_refused(void **state) {
  (void)state;
  for (uint32_t which = 0; which < 2; which++) {
    const plan *from = which ? &sound_stream : &sound;
    const arn_usage *usage = which ? &streamed.usage : &optimised.usage;
    for (uint32_t i = 0; i < from->step_count; i++) {
      static plan p;
      p = *from;
      drop(&p, i);
      assert_true(plan_is_refused(&original, &p, usage));
      p = *from;
      drop(&p, i);
      p.steps[p.step_count++] = from->steps[i];
      const bool is_last = i + 1 == from->step_count;
      if (!is_last) (void)plan_is_refused(&original, &p, usage);
      p = *from;
      p.steps[p.step_count++] = from->steps[i];
      assert_true(plan_is_refused(&original, &p, usage));
    }
  }
}

static void steps_in_another_order_are_refused_or_right(void **state) {
  (void)state;
  uint32_t refused = 0, tried = 0;
  for (uint32_t i = 0; i + 1 < sound.step_count; i++) {
    for (uint32_t k = i + 1; k < sound.step_count && k < i + 6; k++) {
      static plan p;
      p = sound;
      p.steps[i] = sound.steps[k];
      p.steps[k] = sound.steps[i];
      tried++;
      refused += plan_is_refused(&original, &p, &optimised.usage);
    }
  }
  assert_true(refused > tried / 2);
}

static void deaths_too_early_are_refused(void **state) {
  (void)state;
  uint32_t refused = 0, tried = 0;
  for (uint32_t i = 0; i < sound.step_count; i++) {
    for (uint32_t k = 0; k < sound.steps[i].number_count; k++) {
      static const uint32_t more[] = {1, 4, 5, 45, 100, 1u << 20};
      for (uint32_t m = 0; m < sizeof more / sizeof more[0]; m++) {
        static plan p;
        p = sound;
        p.steps[i].numbers[k] += more[m];
        tried++;
        refused += plan_is_refused(&original, &p, &optimised.usage);
      }
    }
  }
  assert_true(refused > tried * 3 / 4);
}

static void deaths_too_late_are_refused_or_right(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sound.step_count; i++) {
    for (uint32_t k = 0; k < sound.steps[i].number_count; k++) {
      static plan p;
      if (sound.steps[i].numbers[k] == 0) continue;
      p = sound;
      p.steps[i].numbers[k] = 0;
      (void)plan_is_refused(&original, &p, &optimised.usage);
    }
  }
}

static void a_plan_for_another_model_is_refused(void **state) {
  (void)state;
  const file other = network(9, 4);
  static plan p;
  arn_error error;
  p = sound;
  const file f = with_plan(&other, &p);
  assert_int_equal(run(&f, 0, &error), ARN_ERR_PLAN);
  assert_int_equal(error.what, ARN_WHAT_PLAN_MODEL);
  free(f.bytes);
  free(other.bytes);
}

static void headers_of_other_versions_are_refused(void **state) {
  (void)state;
  static const arn_what whats[] = {ARN_WHAT_PLAN_VERSION, ARN_WHAT_PLAN_VERSION,
                                   ARN_WHAT_PLAN_ENGINE, ARN_WHAT_PLAN_MODEL};
  for (uint32_t i = 0; i < 4; i++) {
    static plan p;
    arn_error error;
    p = sound;
    p.words[i]++;
    const file f = with_plan(&original, &p);
    assert_int_equal(run(&f, 0, &error), ARN_ERR_PLAN);
    assert_int_equal(error.what, whats[i]);
    free(f.bytes);
  }
}

// A list that does not link plans of files refuses this one, and takes it where it is told to run
// without its plan.
static void without_plans_a_list_refuses_the_file(void **state) {
  (void)state;
  const arn_op_list ops = {.ops = arn_ops_all.ops, .count = arn_ops_all.count};
  host_options options = {.config = {.ops = &ops}};
  host_engine e;
  arn_error error;
  static plan p;
  p = sound;
  const file f = with_plan(&original, &p);
  assert_int_equal(host_engine_open(&e, f.bytes, f.size, &options, &error), ARN_ERR_UNSUPPORTED);
  assert_int_equal(error.what, ARN_WHAT_PLAN_UNLINKED);
  options.config.flags = ARN_IGNORE_PLAN;
  assert_int_equal(host_engine_open(&e, f.bytes, f.size, &options, &error), ARN_OK);
  host_engine_close(&e);
  free(f.bytes);
}

// y = not x, z = not y, out = y or z: all true, unless z was written over y.
static file logic(void) {
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  int32_t t[4];
  for (uint32_t i = 0; i < 4; i++) {
    t[i] = add_tensor(b, (arn_build_tensor){.type = ARN_BOOL, .rank = 4, .shape = {1, 4, 1, 1}});
  }
  const arn_build_options none = {.type = 0};
  add_node(b, 87, &t[0], 1, t[1], none);
  add_node(b, 87, &t[1], 1, t[2], none);
  add_node(b, 84, &t[1], 2, t[3], none);
  arn_builder_io(b, &t[0], 1, (int32_t[]){t[3], t[3]}, 2);
  return finish(b);
}

// Four rows of a byte share a granule: where they pass to another tensor one by one, and the
// last one dies, the granule must not be taken for free.
static void rows_that_share_a_granule_pass_together(void **state) {
  (void)state;
  const file f = logic();
  const arn_usage usage = {.arena_bytes = 4096};
  static plan p;
  arn_model m;
  arn_error error;
  run_reference(&f);
  assert_int_equal(arn_model_open(&m, f.bytes, f.size, &error), ARN_OK);
  p = sound;
  p.words[3] = arn__row_plan_fingerprint(&m);
  p.words[4] = 16;
  p.words[TENSORS] = 4;
  p.words[NODES] = 3;
  memset(&p.words[HEADER], 0xFF, 4 * (4 + 2 * 3));
  const uint32_t apart[] = {0, 0, 4, 8}, over[] = {0, 0, 0, 8};
  memcpy(&p.words[HEADER], apart, sizeof apart);
  p.word_count = HEADER + 4 + 2 * 3;
  p.words[ROW_WORDS] = 0;
  p.step_count = 3;
  p.steps[0] = (plan_step){0, 0, 0, 4, {1, 4}, 2};
  p.steps[1] = (plan_step){1, 0, 0, 4, {0, 0}, 2};
  p.steps[2] = (plan_step){2, 0, 0, 4, {0, 4, 4}, 3};
  assert_false(plan_is_refused(&f, &p, &usage));
  memcpy(&p.words[HEADER], over, sizeof over);
  assert_true(plan_is_refused(&f, &p, &usage));
  p.step_count = 6;
  p.steps[4] = p.steps[1];
  p.steps[5] = p.steps[2];
  for (uint32_t i = 0; i < 4; i++) p.steps[i] = (plan_step){0, 0, i, 1, {i == 0, 1}, 2};
  assert_true(plan_is_refused(&f, &p, &usage));
  run_reference(&original);
  free(f.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_optimised_file_computes_the_same_in_less),
      cmocka_unit_test(the_format_is_as_documented),
      cmocka_unit_test(a_plan_with_any_byte_changed_is_refused_or_right),
      cmocka_unit_test(rows_and_places_on_top_of_others_are_refused_or_right),
      cmocka_unit_test(steps_left_out_or_doubled_are_refused),
      cmocka_unit_test(steps_in_another_order_are_refused_or_right),
      cmocka_unit_test(deaths_too_early_are_refused),
      cmocka_unit_test(deaths_too_late_are_refused_or_right),
      cmocka_unit_test(a_plan_for_another_model_is_refused),
      cmocka_unit_test(headers_of_other_versions_are_refused),
      cmocka_unit_test(without_plans_a_list_refuses_the_file),
      cmocka_unit_test(rows_that_share_a_granule_pass_together),
  };
  return cmocka_run_group_tests(tests, prepare, clean_up);
}
