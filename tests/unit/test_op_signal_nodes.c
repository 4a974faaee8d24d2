// Signal operators as nodes of models that the packs have not: by rows, and with values at the
// ends. Every row is wanted to be what the portable kernel makes of it (the library may choose
// another), and all of it in any spans of scattered rows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host/check/rows_check.h"
#include "host/rewrite/builder.h"
#include "src/kernels/fft.h"
#include "src/kernels/signal.h"

static uint32_t draw(uint32_t below) {
  static uint64_t seed = 1;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

// ---- custom options -----------------------------------------------------------------------------

typedef struct option {
  const char *name;  // in alphabetic order
  int32_t value;
} option;

static void put_32(uint8_t *at, uint32_t value) { memcpy(at, &value, sizeof value); }

// Writes a FlexBuffer map of integers; returns its size. Names, their distances, values, types,
// root.
static size_t write_map(uint8_t *to, const option *options, uint32_t count) {
  size_t names[8], at = 0;
  for (uint32_t i = 0; i < count; i++) {
    names[i] = at;
    memcpy(to + at, options[i].name, strlen(options[i].name) + 1);
    at += strlen(options[i].name) + 1;
  }
  to[at++] = (uint8_t)count;
  const size_t keys = at;
  for (uint32_t i = 0; i < count; i++, at++) to[at] = (uint8_t)(at - names[i]);
  while (at % 4 != 0) to[at++] = 0;
  put_32(to + at, (uint32_t)(at - keys));
  put_32(to + at + 4, 1);  // width of a distance to a name
  put_32(to + at + 8, count);
  at += 12;
  const size_t values = at;
  for (uint32_t i = 0; i < count; i++, at += 4) put_32(to + at, (uint32_t)options[i].value);
  for (uint32_t i = 0; i < count; i++) to[at++] = 1 << 2 | 2;  // an integer of 4 bytes
  to[at] = (uint8_t)(at - values);
  to[at + 1] = 9 << 2 | 2;  // a map of cells of 4 bytes
  to[at + 2] = 1;
  return at + 3;
}

// ---- models -------------------------------------------------------------------------------------

typedef struct node {
  const char *name;
  option options[2];
  uint32_t option_count;
  arn_type type;
  int32_t rows, in, out;  // elements of a row
  const int16_t *window;  // constant input 1, of as many elements as a row has, or NULL
} node;

static uint8_t *model_of(const node *n, size_t *size) {
  uint8_t map[128], *bytes = NULL;
  const size_t map_bytes = write_map(map, n->options, n->option_count);
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  arn_build_tensor x = {.name = "x", .type = n->type, .rank = 3, .shape = {1, n->rows, n->in}};
  arn_build_tensor w = {.name = "w", .type = ARN_INT16, .rank = 1, .shape = {n->in}};
  int32_t inputs[2] = {arn_builder_tensor(b, &x), -1};
  w.data = n->window;
  w.data_bytes = 2 * (size_t)n->in;
  if (n->window) inputs[1] = arn_builder_tensor(b, &w);
  x.name = "y";
  x.shape[2] = n->out;
  const int32_t out = arn_builder_tensor(b, &x);
  arn_builder_operator(b, &(arn_build_operator){.code = ARN_CODE_CUSTOM,
                                                .custom_name = n->name,
                                                .inputs = inputs,
                                                .input_count = n->window ? 2 : 1,
                                                .outputs = &out,
                                                .output_count = 1,
                                                .custom_options = map,
                                                .custom_bytes = map_bytes});
  arn_builder_io(b, inputs, 1, &out, 1);
  if (!arn_builder_finish(b, &bytes, size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}

// What one row becomes, by the kernel.
typedef void row_of(const node *n, void *out, const void *in);

static void run(const node *n, row_of *want) {
  const size_t in_bytes = (size_t)n->in * arn_type_bytes(n->type);
  const size_t out_bytes = (size_t)n->out * arn_type_bytes(n->type);
  const host_options options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM};
  host_engine engine;
  arn_error error = {0};
  size_t size;
  uint8_t *model = model_of(n, &size), *row = malloc(out_bytes);
  assert_int_equal(host_engine_open(&engine, model, size, &options, &error), ARN_OK);
  const arn_tensor_view in = arn_input(&engine.nn, 0);
  host_generate_input(&in, draw(100), 0);
  assert_int_equal(arn_invoke(&engine.nn, &error), ARN_OK);
  const uint8_t *out = arn_output(&engine.nn, 0).data;
  for (int32_t r = 0; r < n->rows; r++) {
    want(n, row, (const uint8_t *)in.data + (size_t)r * in_bytes);
    assert_memory_equal(out + (size_t)r * out_bytes, row, out_bytes);
  }
  for (uint64_t seed = 1; seed <= 4; seed++) {
    assert_int_equal(host_rows_check(&engine, 0, seed), HOST_ROWS_SAME);
  }
  host_engine_close(&engine);
  free(model);
  free(row);
}

// ---- SignalRfft, SignalIrfft --------------------------------------------------------------------

static void *roots_of(const node *n, uint32_t length, bool inverse) {
  const uint32_t count = arn__fft_room(length);
  if (count == 0) return NULL;
  void *room = malloc((size_t)count * 2 * arn_type_bytes(n->type));
  assert_non_null(room);
  if (n->type == ARN_INT16) arn__fft_roots_s16(room, length, inverse);
  else if (n->type == ARN_INT32) arn__fft_roots_s32(room, length, inverse);
  else arn__fft_roots_f32(room, length, inverse);
  return room;
}

static void forward(const node *n, void *out, const void *in) {
  const uint32_t length = (uint32_t)n->out - 2;
  const arn__fft fft = {length, (uint32_t)n->in, roots_of(n, length, false)};
  if (n->type == ARN_INT16) arn__fft_forward_s16_portable(out, in, &fft);
  else if (n->type == ARN_INT32) arn__fft_forward_s32_portable(out, in, &fft);
  else arn__fft_forward_f32_portable(out, in, &fft);
  free(fft.room);
}

static void inverse(const node *n, void *out, const void *in) {
  const uint32_t length = (uint32_t)n->out;
  const arn__fft fft = {length, 0, roots_of(n, length, true)};
  if (n->type == ARN_INT16) arn__fft_inverse_s16_portable(out, in, &fft);
  else if (n->type == ARN_INT32) arn__fft_inverse_s32_portable(out, in, &fft);
  else arn__fft_inverse_f32_portable(out, in, &fft);
  free(fft.room);
}

static const arn_type types[] = {ARN_INT16, ARN_INT32, ARN_FLOAT32};

static void test_transforms(void **unused) {
  static const int32_t lengths[] = {2, 6, 8, 64, 98, 128, 256, 480, 512, 1024, 2048};
  (void)unused;
  for (uint32_t i = 0; i < 3 * sizeof lengths / sizeof *lengths; i++) {
    const int32_t length = lengths[i / 3], rows = 2 + (int32_t)draw(5);
    node n = {.name = "SignalRfft",
              .options = {{"T", (int32_t)types[i % 3]}, {"fft_length", length}},
              .option_count = 2,
              .type = types[i % 3],
              .rows = rows,
              .in = 1 + (int32_t)draw((uint32_t)length),
              .out = length + 2};
    run(&n, forward);
    n.name = "SignalIrfft";
    n.in = length + 2;
    n.out = length;
    run(&n, inverse);
  }
}

// ---- SignalWindow -------------------------------------------------------------------------------

static int16_t window[64];

static void windowed(const node *n, void *out, const void *in) {
  arn__signal_window_s16_portable(out, in, window, (uint32_t)n->in, (uint32_t)n->options[0].value);
}

static void test_window(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 20; i++) {
    const int32_t size = 1 + (int32_t)draw(64);
    const node n = {.name = "SignalWindow",
                    .options = {{"shift", (int32_t)draw(16)}},
                    .option_count = 1,
                    .type = ARN_INT16,
                    .rows = 2 + (int32_t)draw(6),
                    .in = size,
                    .out = size,
                    .window = window};
    for (uint32_t k = 0; k < 64; k++) window[k] = (int16_t)draw(1 << 16);
    run(&n, windowed);
  }
}

// ---- SignalFilterBankSquareRoot -----------------------------------------------------------------

enum { ROOTS = 500 };

static uint8_t *square_root_model(size_t *size) {
  uint8_t *bytes = NULL;
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  const int32_t inputs[2] = {
      arn_builder_tensor(
          b, &(arn_build_tensor){.name = "x", .type = ARN_UINT64, .rank = 1, .shape = {ROOTS}}),
      arn_builder_tensor(b, &(arn_build_tensor){.name = "bits", .type = ARN_INT32})};
  const int32_t out = arn_builder_tensor(
      b, &(arn_build_tensor){.name = "y", .type = ARN_UINT32, .rank = 1, .shape = {ROOTS}});
  arn_builder_operator(b, &(arn_build_operator){.code = ARN_CODE_CUSTOM,
                                                .custom_name = "SignalFilterBankSquareRoot",
                                                .inputs = inputs,
                                                .input_count = 2,
                                                .outputs = &out,
                                                .output_count = 1});
  arn_builder_io(b, inputs, 2, &out, 1);
  if (!arn_builder_finish(b, &bytes, size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}

// Values of all magnitudes, and around squares and the ends.
static uint64_t draw_square(void) {
  const uint64_t any = (uint64_t)draw(1u << 31) << 33 ^ (uint64_t)draw(1u << 31) << 2 ^ draw(4);
  const uint64_t root = any >> 32;
  switch (draw(4)) {
    case 0: return root * root + draw(3) - 1;
    case 1: return ~(any >> (1 + draw(63)));
    case 2: return root * root + root + draw(3) - 1;
    default: return any >> draw(64);
  }
}

static void test_square_roots(void **unused) {
  const host_options options = {.fill = HOST_FILL_RANDOM};
  host_engine engine;
  arn_error error = {0};
  size_t size;
  uint8_t *model = square_root_model(&size);
  (void)unused;
  assert_int_equal(host_engine_open(&engine, model, size, &options, &error), ARN_OK);
  for (int32_t bits = -1; bits <= 32; bits++) {
    uint64_t x[ROOTS];
    uint32_t want[ROOTS];
    for (uint32_t i = 0; i < ROOTS; i++) x[i] = draw_square();
    memcpy(arn_input(&engine.nn, 0).data, x, sizeof x);
    memcpy(arn_input(&engine.nn, 1).data, &bits, sizeof bits);
    if (bits < 0 || bits > 31) {
      assert_int_equal(arn_invoke(&engine.nn, &error), ARN_ERR_DATA);
      continue;
    }
    assert_int_equal(arn_invoke(&engine.nn, &error), ARN_OK);
    arn__signal_sqrt_u64_portable(want, x, ROOTS, (uint32_t)bits);
    assert_memory_equal(arn_output(&engine.nn, 0).data, want, sizeof want);
  }
  host_engine_close(&engine);
  free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transforms),
      cmocka_unit_test(test_window),
      cmocka_unit_test(test_square_roots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
