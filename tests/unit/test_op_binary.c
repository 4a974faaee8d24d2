// What the operator packs cannot show of elementwise operators: broadcasting over every kind of
// shape with rows scattered in memory, and kernels against their definitions over whole ranges of
// values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/graph/place.h"
#include "../../src/graph/rows.h"
#include "../../src/kernels/arithmetic.h"
#include "../../src/kernels/compare.h"
#include "../../src/kernels/divide.h"
#include "../../src/kernels/fixed.h"
#include "../../src/kernels/narrow.h"
#include "../../src/kernels/prelu.h"
#include "../../src/ops/broadcast_common.h"

static uint32_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(seed >> 1) * below >> 31);
}

// ---- broadcasting over scattered rows -----------------------------------------------------------

#define MOST_TENSORS 4  // three inputs, the output
#define MEMORY_BYTES (1u << 18)
#define MOST_ROWS 8

struct rig {
  uint32_t inputs;
  arn_tensor tensors[MOST_TENSORS];  // the last one used is the output
  uint8_t *original[MOST_TENSORS];   // contiguous bytes of the inputs
  uint32_t tables[MOST_TENSORS][1 + MOST_ROWS];  // bytes of a row, then where each is
  uint32_t places[MOST_TENSORS];
  int32_t indices[MOST_TENSORS];
  uint8_t *memory;
  arn__broadcast state;
  arn_prepare prepare;
};

static uint64_t read_element(const void *at, uint32_t bytes, uint32_t i) {
  uint64_t x = 0;
  memcpy(&x, (const uint8_t *)at + (size_t)i * bytes, bytes);
  return x;
}

struct mix {
  uint32_t inputs, in_bytes[3], out_bytes;
};

static uint64_t mix_of(const uint64_t *x, uint32_t inputs) {
  uint64_t sum = 1;
  for (uint32_t i = 0; i < inputs; i++) sum = sum * 31 + x[i];
  return sum;
}

// Depends on every input's every bit, up to the width of the output.
static bool mix_kernel(const void *params, void *out, const void *const *in, uint32_t count) {
  const struct mix *m = params;
  assert_true(count > 0);
  for (uint32_t n = 0; n < count; n++) {
    uint64_t x[3];
    for (uint32_t i = 0; i < m->inputs; i++) x[i] = read_element(in[i], m->in_bytes[i], n);
    const uint64_t mixed = mix_of(x, m->inputs);
    memcpy((uint8_t *)out + (size_t)n * m->out_bytes, &mixed, m->out_bytes);
  }
  return true;
}

static const uint8_t types[] = {ARN_INT8, ARN_INT16, ARN_INT32, ARN_INT64};

static void finish_tensor(arn_tensor *t) {
  t->count = 1;
  for (uint32_t d = 0; d < t->rank; d++) t->count *= (uint32_t)t->dims[d];
  t->bytes = t->count * arn_type_bytes((arn_type)t->type);
}

// Draws an output shape, and inputs with some dimensions of it 1 and some leading ones left out.
static void draw_shapes(struct rig *r) {
  static const int32_t sizes[] = {1, 1, 2, 3, 5, 7, 40};
  arn_tensor *out = &r->tensors[r->inputs];
  memset(r->tensors, 0, sizeof r->tensors);
  out->rank = (uint8_t)draw(ARN_MAX_RANK + 1);
  out->type = types[draw(4)];
  uint32_t count = 1;
  for (uint32_t d = 0; d < out->rank; d++) {
    int32_t size = sizes[draw(count > 200 ? 3 : 7)];
    if (d == 0 && draw(3) > 0) size = 1;
    if (d < out->rank - 1u && size > MOST_ROWS) size = MOST_ROWS;
    out->dims[d] = size;
    count *= (uint32_t)size;
  }
  finish_tensor(out);
  for (uint32_t i = 0; i < r->inputs; i++) {
    arn_tensor *in = &r->tensors[i];
    const uint32_t skip = i == 0 ? 0 : draw(3) == 0 ? draw(out->rank + 1u) : 0;
    in->rank = (uint8_t)(out->rank - skip);
    in->type = draw(2) ? out->type : types[draw(4)];
    in->flags = (uint8_t)(draw(4) == 0 ? ARN_TENSOR_CONST : 0);
    const bool whole = draw(2) == 0;
    for (uint32_t d = 0; d < in->rank; d++) {
      in->dims[d] = whole || draw(2) ? out->dims[d + skip] : 1;
    }
    finish_tensor(in);
  }
}

// Gives every tensor that may be scattered rows in random order, and the others one block. Now and
// then nothing is scattered, which is what a plan of whole tensors looks like.
static void scatter(struct rig *r) {
  const bool by_rows = r->prepare.work == ARN_ROWS && draw(3) > 0;
  uint32_t at = 0;
  for (uint32_t i = 0; i <= r->inputs; i++) {
    const arn_tensor *t = &r->tensors[i];
    const uint32_t rows = arn__rows_of(t).rows, row_bytes = arn__rows_bytes(t);
    const bool fixed = !by_rows || (t->flags & ARN_TENSOR_CONST) != 0;
    r->indices[i] = (int32_t)i;
    r->places[i] = fixed ? arn__place(ARN__PLACE_DYNAMIC, at)
                         : arn__place(ARN__PLACE_ROWS, i * (1 + MOST_ROWS));
    if (fixed) {
      r->tables[i][1] = at;
      at += (t->bytes + 7u) / 8 * 8 + 8;
      continue;
    }
    assert_true(rows <= MOST_ROWS);
    r->tables[i][0] = row_bytes;
    for (uint32_t n = 0; n < rows; n++) {
      const uint32_t k = draw(n + 1);  // shuffles as it goes
      r->tables[i][1 + n] = r->tables[i][1 + k];
      r->tables[i][1 + k] = at;
      at += (row_bytes + 7) / 8 * 8 + 8 * draw(3);
    }
  }
  assert_true(at <= MEMORY_BYTES);
}

static void place_output_in(struct rig *r, uint32_t input) {
  memcpy(r->tables[r->inputs] + 1, r->tables[input] + 1, MOST_ROWS * sizeof r->tables[0][0]);
  r->tables[r->inputs][0] = arn__rows_bytes(&r->tensors[r->inputs]);
  const bool fixed = arn__place_kind(r->places[input]) != ARN__PLACE_ROWS;
  r->places[r->inputs] =
      fixed ? r->places[input] : arn__place(ARN__PLACE_ROWS, r->inputs * (1 + MOST_ROWS));
}

static uint8_t *row_of(struct rig *r, uint32_t tensor, uint32_t row) {
  if (arn__place_kind(r->places[tensor]) == ARN__PLACE_ROWS) {
    return r->memory + r->tables[tensor][1 + row];
  }
  const uint32_t row_bytes = arn__rows_bytes(&r->tensors[tensor]);
  return r->memory + r->tables[tensor][1] + (size_t)row * row_bytes;
}

static void write_rows(struct rig *r, uint32_t tensor, arn_span span) {
  const uint32_t row_bytes = arn__rows_bytes(&r->tensors[tensor]);
  const uint32_t rows = arn__rows_of(&r->tensors[tensor]).rows;
  for (uint32_t n = span.first; n < span.first + span.count && n < rows; n++) {
    memcpy(row_of(r, tensor, n), r->original[tensor] + (size_t)n * row_bytes, row_bytes);
  }
}

// Writes what the step may read, and rubbish over everything else.
static void show_only(struct rig *r, arn_span out) {
  for (uint32_t i = 0; i < r->inputs; i++) {
    arn_span span = {0, MOST_ROWS};
    write_rows(r, i, span);
    if (arn__place_kind(r->places[i]) != ARN__PLACE_ROWS) continue;
    for (uint32_t n = 0; n < arn__rows_of(&r->tensors[i]).rows; n++) {
      memset(row_of(r, i, n), 0xEE, arn__rows_bytes(&r->tensors[i]));
    }
    arn__broadcast_rows(&r->state, i, out, &span);
    write_rows(r, i, span);
  }
}

static void run_steps(struct rig *r, const arn__elementwise *job, bool show) {
  const arn_model model = {.bytes = (const uint8_t *)r->indices, .size_bytes = sizeof r->indices};
  arn_eval e = {.model = &model, .dynamic = r->memory, .places = r->places,
                .tables = &r->tables[0][0], .inputs_at = 0, .input_count = r->inputs,
                .outputs_at = 4 * r->inputs, .output_count = 1};
  for (uint32_t first = 0; first < r->prepare.rows;) {
    const uint32_t count = 1 + draw(r->prepare.rows - first);
    e.span = (arn_span){first, count};
    if (show) show_only(r, e.span);
    assert_int_equal(arn__broadcast_run(&e, &r->state, job), ARN_OK);
    first += count;
  }
}

// Element `n` of the output, straight from the definition.
static uint64_t expected(const struct rig *r, uint32_t n) {
  const arn_tensor *out = &r->tensors[r->inputs];
  uint64_t x[3];
  for (uint32_t i = 0; i < r->inputs; i++) {
    const arn_tensor *in = &r->tensors[i];
    uint32_t rest = n, at = 0, stride = 1;
    for (int32_t k = 0; k < out->rank; k++) {
      const uint32_t size = (uint32_t)out->dims[out->rank - 1 - k], digit = rest % size;
      rest /= size;
      if (k >= in->rank) continue;
      const uint32_t own = (uint32_t)in->dims[in->rank - 1 - k];
      at += own == 1 ? 0 : digit * stride;
      stride *= own;
    }
    x[i] = read_element(r->original[i], arn_type_bytes((arn_type)in->type), at);
  }
  return mix_of(x, r->inputs);
}

static void check_output(struct rig *r) {
  const arn_tensor *out = &r->tensors[r->inputs];
  const uint32_t bytes = arn_type_bytes((arn_type)out->type);
  const uint32_t row_count = arn__rows_of(out).row_count;
  for (uint32_t n = 0; n < out->count; n++) {
    const uint64_t want = expected(r, n);
    const bool cut = r->prepare.work == ARN_ROWS;
    const uint8_t *row = row_of(r, r->inputs, cut ? n / row_count : 0);
    assert_memory_equal(row + (size_t)(cut ? n % row_count : n) * bytes, &want, bytes);
  }
}

static void open_rig(struct rig *r, uint32_t inputs) {
  memset(r, 0, sizeof *r);
  r->inputs = inputs;
  r->memory = malloc(MEMORY_BYTES);
  assert_non_null(r->memory);
  draw_shapes(r);
  for (uint32_t i = 0; i < inputs; i++) {
    r->original[i] = malloc(r->tensors[i].bytes + 1);
    assert_non_null(r->original[i]);
    for (uint32_t n = 0; n < r->tensors[i].bytes; n++) r->original[i][n] = (uint8_t)draw(256);
  }
  arn__broadcast_prepare(&r->prepare, &r->state, r->tensors, inputs, &r->tensors[inputs]);
  assert_true(r->prepare.state_bytes <= sizeof r->state && r->prepare.state_bytes % 4 == 0);
}

static void close_rig(struct rig *r) {
  for (uint32_t i = 0; i < r->inputs; i++) free(r->original[i]);
  free(r->memory);
}

static void broadcast_case(uint32_t inputs, uint32_t *cut, uint32_t *in_place) {
  struct rig r;
  open_rig(&r, inputs);
  struct mix m = {.inputs = inputs,
                  .out_bytes = arn_type_bytes((arn_type)r.tensors[inputs].type)};
  arn__elementwise job = {mix_kernel, &m, ARN_WHAT_DATA_VALUE, (uint8_t)inputs,
                          (uint8_t)m.out_bytes, {0, 0, 0}};
  for (uint32_t i = 0; i < inputs; i++) {
    m.in_bytes[i] = arn_type_bytes((arn_type)r.tensors[i].type);
    job.in_bytes[i] = (uint8_t)m.in_bytes[i];
  }
  scatter(&r);
  run_steps(&r, &job, true);
  check_output(&r);
  *cut += r.prepare.work == ARN_ROWS;
  for (uint32_t i = 0; i < inputs; i++) {
    if (!(r.prepare.in_place >> i & 1) || (r.tensors[i].flags & ARN_TENSOR_CONST)) continue;
    scatter(&r);
    place_output_in(&r, i);
    for (uint32_t k = 0; k < inputs; k++) write_rows(&r, k, (arn_span){0, MOST_ROWS});
    run_steps(&r, &job, false);
    check_output(&r);
    *in_place += 1;
  }
  close_rig(&r);
}

static void broadcasting_is_its_definition(void **unused) {
  (void)unused;
  uint32_t cut = 0, in_place = 0;
  for (uint32_t n = 0; n < 6000; n++) broadcast_case(1 + n % 3, &cut, &in_place);
  assert_true(cut > 500 && in_place > 500);  // the draw does reach what it is meant to
}

static arn_tensor tensor_of(uint32_t rank, int32_t a, int32_t b, int32_t c, int32_t d) {
  arn_tensor t = {.type = ARN_INT8, .rank = (uint8_t)rank, .dims = {a, b, c, d}};
  finish_tensor(&t);
  return t;
}

static void state_follows_the_shape(void **unused) {
  (void)unused;
  arn_prepare p = {0};
  arn__broadcast b;
  const arn_tensor same[] = {tensor_of(4, 1, 8, 4, 16), tensor_of(4, 1, 8, 4, 16)};
  arn__broadcast_prepare(&p, &b, same, 2, &same[0]);
  assert_int_equal(p.state_bytes, 12);
  assert_int_equal(p.rows, 8);
  assert_int_equal(p.in_place, 3);
  arn_tensor channels[] = {same[0], tensor_of(1, 16, 0, 0, 0)};
  arn__broadcast_prepare(&p, &b, channels, 2, &same[0]);
  assert_int_equal(p.state_bytes, 16);
  assert_int_equal(p.in_place, 1);
  // An input with several rows of its own along another axis, not constant: nothing is cut.
  channels[1] = tensor_of(4, 1, 1, 4, 16);
  arn__broadcast_prepare(&p, &b, channels, 2, &same[0]);
  assert_int_equal(p.work, ARN_WHOLE);
  channels[1].flags = ARN_TENSOR_CONST;
  arn__broadcast_prepare(&p, &b, channels, 2, &same[0]);
  assert_int_equal(p.work, ARN_ROWS);
}

static void shapes_that_do_not_fit_are_refused(void **unused) {
  (void)unused;
  arn_error error;
  const arn_prepare p = {.error = &error};
  const arn_tensor in[] = {tensor_of(2, 3, 4, 0, 0), tensor_of(1, 4, 0, 0, 0)};
  const arn_tensor good = tensor_of(3, 1, 3, 4, 0), scalar = tensor_of(0, 0, 0, 0, 0);
  const arn_tensor turned = tensor_of(2, 4, 3, 0, 0), other[] = {in[0], tensor_of(1, 3, 0, 0, 0)};
  assert_int_equal(arn__broadcast_check(&p, in, 2, &good), ARN_OK);
  assert_int_equal(arn__broadcast_check(&p, in, 2, &scalar), ARN_ERR_MODEL);
  assert_int_equal(error.what, ARN_WHAT_SHAPE);
  assert_int_equal(arn__broadcast_check(&p, in, 2, &turned), ARN_ERR_MODEL);
  assert_int_equal(arn__broadcast_check(&p, other, 2, &good), ARN_ERR_MODEL);
}

static void empty_tensors_run_nothing(void **unused) {
  (void)unused;
  arn_prepare p = {0};
  arn__broadcast b;
  const arn_tensor in[] = {tensor_of(2, 0, 4, 0, 0), tensor_of(1, 4, 0, 0, 0)};
  arn__broadcast_prepare(&p, &b, in, 2, &in[0]);
  const arn_eval e = {.span = {0, 1}};
  const arn__elementwise job = {NULL, NULL, ARN_WHAT_DATA_VALUE, 2, 1, {1, 1, 1}};
  assert_int_equal(arn__broadcast_run(&e, &b, &job), ARN_OK);
}

// ---- kernels against their definitions ----------------------------------------------------------

#define BYTES 256u
#define PAIRS (BYTES * BYTES)

static uint8_t left_bytes[PAIRS], right_bytes[PAIRS], out_bytes[PAIRS];

static const void *const byte_pairs[] = {left_bytes, right_bytes};

// Every pair of bytes.
static void fill_pairs(void) {
  for (uint32_t i = 0; i < PAIRS; i++) {
    left_bytes[i] = (uint8_t)(i / BYTES);
    right_bytes[i] = (uint8_t)i;
  }
}

// A multiplier with a shift in [low, high].
static arn__requant draw_requant(int32_t low, int32_t high) {
  const uint32_t kind = draw(8);
  const uint32_t q = kind == 0 ? 1u << 30 : kind == 1 ? INT32_MAX : (1u << 30) + draw(1u << 30);
  return (arn__requant){(int32_t)q, low + (int32_t)draw((uint32_t)(high - low) + 1)};
}

static uint8_t as_byte(int32_t scaled, int32_t zero_out, uint8_t flip) {
  const arn__clamp range = flip ? (arn__clamp){-128, 127} : (arn__clamp){0, 255};
  return (uint8_t)arn__clamp_s32(scaled + zero_out, range);
}

// The number that a byte stands for, without its zero point.
static int32_t from_byte(uint8_t byte, int32_t zero, uint8_t flip) {
  return (flip ? (int8_t)byte : byte) - zero;
}

static void round_by_is_a_rounding_divide(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 100000; n++) {
    const int32_t x = (int32_t)(draw(1u << 31) * 2 + draw(2) - draw(2)) >> draw(32);
    const int32_t exponent = 1 + (int32_t)draw(31);
    if (x == INT32_MIN) continue;
    assert_int_equal(arn__round_by(x, exponent - 1), arn__rounding_divide(x, exponent));
  }
}

static void narrow_is_requantise(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 4000; n++) {
    const arn__requant r = draw_requant(-31, 14);
    const arn__narrow narrow = arn__narrow_of(r);
    const int32_t most = r.shift > 0 ? 65280 >> r.shift : 65280;  // no further: requantise wraps
    for (int32_t x = -most; x <= most; x += 1 + (int32_t)draw(997)) {
      assert_int_equal(arn__requantise_narrow(x, narrow), arn__requantise(x, r));
    }
    assert_int_equal(arn__requantise_narrow(most, narrow), arn__requantise(most, r));
  }
}

// What is drawn for operators of two bytes.
struct bytes_case {
  uint8_t flip;
  int32_t zero[2], zero_out;  // as tensors have them
  arn__clamp clamp;           // as kernels want it
};

static struct bytes_case draw_bytes_case(void) {
  struct bytes_case c = {.flip = draw(2) ? 0x80 : 0};
  const int32_t low = c.flip ? -128 : 0;
  c.zero[0] = low + (int32_t)draw(BYTES);
  c.zero[1] = low + (int32_t)draw(BYTES);
  c.zero_out = low + (int32_t)draw(BYTES);
  c.clamp = (arn__clamp){low - c.zero_out, low + 255 - c.zero_out};
  return c;
}

static const arn__requant half = {1 << 30, 0};

// The multiplier of the smaller scale into twice the larger: up to one half.
static arn__requant draw_small(void) { return draw(5) == 0 ? half : draw_requant(-31, -1); }

static void sums_of_bytes_requantise_three_times(void **unused) {
  (void)unused;
  fill_pairs();
  for (uint32_t n = 0; n < 60; n++) {
    const struct bytes_case c = draw_bytes_case();
    const arn__requant small = draw_small(), to_out = draw_requant(-31, -1);
    const uint32_t which = draw(2);
    const int32_t sign = draw(2) ? 1 : -1;
    const arn__rescale_params p = {which, {c.zero[0] + c.flip, c.zero[1] + c.flip},
                                   small, to_out, c.clamp, c.zero_out, c.flip};
    assert_true((sign < 0 ? arn__arithmetic_sub_s8 : arn__arithmetic_add_s8)(&p, out_bytes,
                                                                            byte_pairs, PAIRS));
    for (uint32_t i = 0; i < PAIRS; i++) {
      const int32_t a = from_byte(left_bytes[i], c.zero[0], c.flip) * (1 << 20);
      const int32_t b = from_byte(right_bytes[i], c.zero[1], c.flip) * (1 << 20);
      const int32_t sum = arn__requantise(a, which == 0 ? small : half) +
                          arn__requantise(b, which == 1 ? small : half) * sign;
      assert_int_equal(out_bytes[i], as_byte(arn__requantise(sum, to_out), c.zero_out, c.flip));
    }
  }
}

static void squares_of_bytes_requantise_three_times(void **unused) {
  (void)unused;
  fill_pairs();
  for (uint32_t n = 0; n < 60; n++) {
    const struct bytes_case c = draw_bytes_case();
    const arn__requant small = draw_small(), to_out = draw_requant(-31, 0);
    const uint32_t which = draw(2);
    const arn__rescale_params p = {which, {c.zero[0] + c.flip, c.zero[1] + c.flip},
                                   small, to_out, c.clamp, c.zero_out, c.flip};
    assert_true(arn__arithmetic_squared_difference_s8(&p, out_bytes, byte_pairs, PAIRS));
    for (uint32_t i = 0; i < PAIRS; i++) {
      const int32_t a = from_byte(left_bytes[i], c.zero[0], c.flip) * (1 << 7);
      const int32_t b = from_byte(right_bytes[i], c.zero[1], c.flip) * (1 << 7);
      const int32_t difference = arn__requantise(a, which == 0 ? small : half) -
                                 arn__requantise(b, which == 1 ? small : half);
      const int32_t scaled = arn__requantise(difference * difference, to_out);
      assert_int_equal(out_bytes[i], as_byte(scaled, c.zero_out, c.flip));
    }
  }
}

static void products_of_bytes_requantise_once(void **unused) {
  (void)unused;
  fill_pairs();
  for (uint32_t n = 0; n < 60; n++) {
    const struct bytes_case c = draw_bytes_case();
    const arn__requant to_out = draw_requant(-31, 30);
    const arn__product_params p = {{c.zero[0] + c.flip, c.zero[1] + c.flip}, to_out, c.clamp,
                                   c.zero_out, c.flip};
    assert_true(arn__arithmetic_mul_s8(&p, out_bytes, byte_pairs, PAIRS));
    for (uint32_t i = 0; i < PAIRS; i++) {
      const int32_t product = from_byte(left_bytes[i], c.zero[0], c.flip) *
                              from_byte(right_bytes[i], c.zero[1], c.flip);
      // Where the shift to the left would leave 32 bits, the product is beyond any byte.
      const int32_t beyond = product < 0 ? -100000 : 100000;
      const bool fits = to_out.shift < 15 || product == 0;
      const int32_t scaled = fits ? arn__requantise(product, to_out) : beyond;
      assert_int_equal(out_bytes[i], as_byte(scaled, c.zero_out, c.flip));
    }
  }
}

// From the reference's formula, with counted bits where the kernel compares.
static int32_t quotient_of(int32_t a, int32_t b, arn__requant to_out) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const int32_t zeros = arn__fixed_leading_zeros((uint32_t)b);
  const uint32_t shifted = ((uint32_t)b << zeros) - (1u << 31);
  const int32_t inverse = arn__fixed_one_over((int32_t)shifted);
  const uint32_t magnitude = (uint32_t)(a < 0 ? ~a : a);
  const int32_t headroom = arn__fixed_leading_zeros(magnitude) - 1;
  const int32_t quotient = arn__fixed_mul((int32_t)((uint32_t)a << headroom), inverse);
  const int32_t scaled = arn__fixed_mul(quotient, to_out.q);
  const int32_t right = 31 - zeros + headroom - to_out.shift;
  if (right > 31) return 0;
  if (right < 0) return scaled == 0 ? 0 : scaled < 0 ? -100000 : 100000;
  return arn__rounding_divide(scaled, right);
}

static void quotients_of_bytes_go_through_the_reciprocal(void **unused) {
  (void)unused;
  fill_pairs();
  for (uint32_t n = 0; n < 60; n++) {
    const struct bytes_case c = draw_bytes_case();
    const arn__requant to_out = draw_requant(-31, 30);
    const arn__quotient_params p = {{c.zero[0] + c.flip, c.zero[1] + c.flip}, to_out, c.clamp,
                                    c.zero_out, c.flip};
    assert_false(arn__divide_s8(&p, out_bytes, byte_pairs, PAIRS));  // some divisors are zero
    for (uint32_t i = 0; i < PAIRS; i++) {
      const int32_t a = from_byte(left_bytes[i], c.zero[0], c.flip);
      const int32_t b = from_byte(right_bytes[i], c.zero[1], c.flip);
      if (b == 0) continue;
      assert_int_equal(out_bytes[i], as_byte(quotient_of(a, b, to_out), c.zero_out, c.flip));
    }
  }
}

static void bytes_are_compared_as_multiples_of_a_256th(void **unused) {
  (void)unused;
  fill_pairs();
  for (uint32_t n = 0; n < 60; n++) {
    const struct bytes_case c = draw_bytes_case();
    const arn__requant r[] = {draw_requant(-12, 0), draw_requant(-12, 0)};
    const uint32_t left = draw(2), invert = draw(2);
    const arn__compare_scales scales = {
        {c.zero[0] + c.flip, c.zero[1] + c.flip}, {r[0], r[1]}, c.flip};
    const arn__compare_params p = {(uint8_t)left, (uint8_t)invert, scales};
    const bool equal = draw(2);
    assert_true((equal ? arn__compare_equal_s8 : arn__compare_less_s8)(&p, out_bytes, byte_pairs,
                                                                      PAIRS));
    for (uint32_t i = 0; i < PAIRS; i++) {
      const int32_t v[] = {
          arn__requantise(from_byte(left_bytes[i], c.zero[0], c.flip) * 256, r[0]),
          arn__requantise(from_byte(right_bytes[i], c.zero[1], c.flip) * 256, r[1])};
      const bool holds = equal ? v[0] == v[1] : v[left] < v[left ^ 1];
      assert_int_equal(out_bytes[i], holds ^ invert);
    }
  }
}

static void prelu_of_bytes_requantises_each_side(void **unused) {
  (void)unused;
  fill_pairs();
  for (uint32_t n = 0; n < 60; n++) {
    const struct bytes_case c = draw_bytes_case();
    const arn__requant up = draw_requant(-31, 7), down = draw_requant(-31, 7);
    const arn__prelu_params p = {c.zero[0] + c.flip, c.zero[1] + c.flip, up, down, c.clamp,
                                 c.zero_out, c.flip};
    assert_true(arn__prelu_s8(&p, out_bytes, byte_pairs, PAIRS));
    for (uint32_t i = 0; i < PAIRS; i++) {
      const int32_t value = from_byte(left_bytes[i], c.zero[0], c.flip);
      const int32_t alpha = from_byte(right_bytes[i], c.zero[1], c.flip);
      const int32_t scaled =
          value >= 0 ? arn__requantise(value, up) : arn__requantise(value * alpha, down);
      assert_int_equal(out_bytes[i], as_byte(scaled, c.zero_out, c.flip));
    }
  }
}

// ---- int16 --------------------------------------------------------------------------------------

#define WORDS 4096u

static int16_t left_words[WORDS], right_words[WORDS], out_words[WORDS];

static const void *const word_pairs[] = {left_words, right_words};

// Random pairs, each end of the range against everything, and pairs that differ by little.
static void fill_words(void) {
  static const int16_t ends[] = {INT16_MIN, INT16_MIN + 1, -1, 0, 1, INT16_MAX};
  for (uint32_t i = 0; i < WORDS; i++) {
    left_words[i] = (int16_t)draw(65536);
    right_words[i] = (int16_t)draw(65536);
    if (i % 4 == 1) left_words[i] = ends[i / 4 % 6];
    if (i % 8 == 1) right_words[i] = ends[i / 24 % 6];
    if (i % 4 == 2) right_words[i] = (int16_t)(left_words[i] + (int32_t)draw(3) - 1);
  }
}

static void sums_of_words_requantise_three_times(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 400; n++) {
    fill_words();
    const arn__requant small = draw_small(), to_out = draw_requant(-31, -1);
    const uint32_t which = draw(2);
    const int32_t sign = draw(2) ? 1 : -1;
    const int32_t zero[] = {draw(2) ? INT16_MIN : INT16_MAX, (int32_t)draw(100)};
    const arn__clamp clamp = {INT16_MIN, INT16_MAX};
    const arn__rescale_params p = {which, {zero[0], zero[1]}, small, to_out, clamp, 0, 0};
    assert_true((sign < 0 ? arn__arithmetic_sub_s16 : arn__arithmetic_add_s16)(&p, out_words,
                                                                              word_pairs, WORDS));
    for (uint32_t i = 0; i < WORDS; i++) {
      const int32_t a = (left_words[i] - zero[0]) * (1 << 15);
      const int32_t b = (right_words[i] - zero[1]) * (1 << 15);
      const int32_t sum = arn__requantise(a, which == 0 ? small : half) +
                          arn__requantise(b, which == 1 ? small : half) * sign;
      assert_int_equal(out_words[i], arn__clamp_s32(arn__requantise(sum, to_out), clamp));
    }
  }
}

static void squares_of_words_requantise_three_times(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 400; n++) {
    fill_words();
    const arn__requant small = draw_small(), to_out = draw_requant(-31, 0);
    const uint32_t which = draw(2);
    const arn__clamp clamp = {INT16_MIN, INT16_MAX};
    const arn__rescale_params p = {which, {0, 0}, small, to_out, clamp, 0, 0};
    assert_true(arn__arithmetic_squared_difference_s16(&p, out_words, word_pairs, WORDS));
    for (uint32_t i = 0; i < WORDS; i++) {
      const int32_t difference = arn__requantise(left_words[i], which == 0 ? small : half) -
                                 arn__requantise(right_words[i], which == 1 ? small : half);
      const int32_t scaled = arn__requantise(difference * difference, to_out);
      assert_int_equal(out_words[i], arn__clamp_s32(scaled, clamp));
    }
  }
}

// With one scale, and with scales that are a power of two apart, int16 compares without error.
static void words_are_compared_exactly(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 200; n++) {
    fill_words();
    const int32_t apart = (int32_t)draw(8);  // the right input's scale is 2^-apart of the left's
    const arn__compare_params p = {0, 0, {{5, -7}, {half, {1 << 30, -apart}}, 0}};
    const bool equal = draw(2);
    assert_true((equal ? arn__compare_equal_s16 : arn__compare_less_s16)(&p, out_bytes, word_pairs,
                                                                        WORDS));
    for (uint32_t i = 0; i < WORDS; i++) {
      const int64_t a = (int64_t)(left_words[i] - 5) * (1 << apart), b = right_words[i] + 7;
      assert_int_equal(out_bytes[i], equal ? a == b : a < b);
    }
  }
}

// ---- integers that are not quantised ------------------------------------------------------------

static void integer_division_rounds_and_wraps(void **unused) {
  (void)unused;
  const int32_t a[] = {7, -7, 7, -7, INT32_MIN, INT32_MIN, 0, 6};
  const int32_t b[] = {2, 2, -2, -2, -1, 1, 5, -3};
  const int32_t quotient[] = {3, -3, -3, 3, INT32_MIN, INT32_MIN, 0, -2};
  const int32_t floored[] = {3, -4, -4, 3, INT32_MIN, INT32_MIN, 0, -2};
  const int32_t rest[] = {1, 1, -1, -1, 0, 0, 0, 0};
  const arn__clamp all = {INT32_MIN, INT32_MAX};
  const void *const in[] = {a, b};
  int32_t out[8];
  assert_true(arn__divide_s32(&all, out, in, 8));
  assert_memory_equal(out, quotient, sizeof out);
  assert_true(arn__divide_floor_s32(NULL, out, in, 8));
  assert_memory_equal(out, floored, sizeof out);
  assert_true(arn__divide_modulo_s32(NULL, out, in, 8));
  assert_memory_equal(out, rest, sizeof out);
}

static void a_divisor_of_zero_is_reported(void **unused) {
  (void)unused;
  const int64_t a[] = {1, INT64_MIN}, b[] = {1, 0};
  const void *const in[] = {a, b};
  int64_t out[2];
  assert_false(arn__divide_floor_s64(NULL, out, in, 2));
  assert_false(arn__divide_modulo_s64(NULL, out, in, 2));
  assert_true(arn__divide_floor_s64(NULL, out, in, 1));
  const int32_t ones[] = {1, 1}, zero_last[] = {1, 0};
  const void *const narrow[] = {ones, zero_last};
  const arn__clamp all = {INT32_MIN, INT32_MAX};
  int32_t narrow_out[2];
  assert_false(arn__divide_s32(&all, narrow_out, narrow, 2));
  assert_true(arn__divide_s32(&all, narrow_out, narrow, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broadcasting_is_its_definition),
      cmocka_unit_test(state_follows_the_shape),
      cmocka_unit_test(shapes_that_do_not_fit_are_refused),
      cmocka_unit_test(empty_tensors_run_nothing),
      cmocka_unit_test(round_by_is_a_rounding_divide),
      cmocka_unit_test(narrow_is_requantise),
      cmocka_unit_test(sums_of_bytes_requantise_three_times),
      cmocka_unit_test(squares_of_bytes_requantise_three_times),
      cmocka_unit_test(products_of_bytes_requantise_once),
      cmocka_unit_test(quotients_of_bytes_go_through_the_reciprocal),
      cmocka_unit_test(bytes_are_compared_as_multiples_of_a_256th),
      cmocka_unit_test(prelu_of_bytes_requantises_each_side),
      cmocka_unit_test(sums_of_words_requantise_three_times),
      cmocka_unit_test(squares_of_words_requantise_three_times),
      cmocka_unit_test(words_are_compared_exactly),
      cmocka_unit_test(integer_division_rounds_and_wraps),
      cmocka_unit_test(a_divisor_of_zero_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
