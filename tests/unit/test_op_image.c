// Pools and resizing over random shapes against their definitions written plainly. The packs hold
// images of at most 12 by 12 by 9: no block of channels is ever full, and few nodes have rows to
// fold.
#include <math.h>

#include "tests/unit/op_rig.h"

enum { AVERAGE = 1, L2 = 12, MAX = 17, BILINEAR = 23, NEAREST = 97 };
enum { MOST = RIG_BYTES / 4 };

static rig r;
static rig_tensor *const in = &r.in[0], *const out = &r.out[0];

static void begin(int32_t op, uint32_t inputs, arn_type type) {
  memset(&r, 0, offsetof(rig, in));
  r.code = op;
  r.inputs = inputs;
  r.outputs = 1;
  in->type = out->type = type;
  in->rank = out->rank = 4;
  in->scale = out->scale = 0.0f;
}

static void set_dims(rig_tensor *t, int32_t n, int32_t h, int32_t w, int32_t c) {
  const int32_t dims[] = {n, h, w, c};
  memcpy(t->dims, dims, sizeof dims);
}

static float draw_float(float low, float high) {
  return low + (high - low) * (float)draw(1u << 24) * 0x1p-24f;
}

static void fill_values(rig_tensor *t) {
  rig_fill(t);
  for (uint32_t i = 0; i < rig_count(t) && t->type == ARN_FLOAT32; i++) {
    const float x = draw_float(-2.0f, 2.0f);
    memcpy(t->bytes + 4 * i, &x, sizeof x);
  }
}

static double read_value(const rig_tensor *t, uint32_t i) {
  float x;
  int16_t s16;
  switch (t->type) {
    case ARN_INT8: return (int8_t)t->bytes[i];
    case ARN_UINT8: return t->bytes[i];
    case ARN_INT16: memcpy(&s16, t->bytes + 2 * i, sizeof s16); return s16;
    default: memcpy(&x, t->bytes + 4 * i, sizeof x); return (double)x;
  }
}

static void write_value(rig_tensor *t, uint32_t i, double value) {
  const float x = (float)value;
  const int32_t integer = t->type == ARN_FLOAT32 ? 0 : (int32_t)value;
  memcpy(t->bytes + i * rig_element(t), t->type == ARN_FLOAT32 ? (const void *)&x : &integer,
         rig_element(t));
}

// ---- pools --------------------------------------------------------------------------------------

// One axis of the window.
typedef struct side {
  int32_t filter, stride, pad;
} side;

static side y, x;

static int32_t draw_side(side *s, int32_t size, bool same) {
  s->filter = 1 + (int32_t)draw(draw(4) ? 4 : (uint32_t)size + 2);
  if (!same && s->filter > size) s->filter = size;
  s->stride = 1 + (int32_t)draw(3);
  const int32_t outs = same ? (size + s->stride - 1) / s->stride
                            : (size - s->filter) / s->stride + 1;
  const int32_t reach = (outs - 1) * s->stride + s->filter - size;
  s->pad = same && reach > 0 ? reach / 2 : 0;
  return outs;
}

static double bound(double value, double zero, double scale, double low, double high) {
  const double q = zero + round((double)((float)value / (float)scale));
  return q < low ? low : q > high ? high : q;
}

// The bounds of the output under activation RELU6, or none.
static void find_bounds(bool relu6, double *low, double *high) {
  const arn_type type = out->type;
  *low = type == ARN_INT8 ? -128 : type == ARN_UINT8 ? 0 : type == ARN_INT16 ? -32768 : -INFINITY;
  *high = type == ARN_INT8 ? 127 : type == ARN_UINT8 ? 255 : type == ARN_INT16 ? 32767 : INFINITY;
  if (!relu6) return;
  if (type == ARN_FLOAT32) {
    *low = 0.0;
    *high = 6.0;
  } else {
    const double least = *low, most = *high;
    *low = bound(0.0, (double)out->zero, (double)out->scale, least, most);
    *high = bound(6.0, (double)out->zero, (double)out->scale, least, most);
  }
}

// Folds the window of one output in the order of the image. Floats are added as floats are.
static double pooled(int32_t op, int32_t b, int32_t row, int32_t column, int32_t c) {
  const bool is_float = in->type == ARN_FLOAT32;
  double sum = 0.0, most = -INFINITY;
  int32_t count = 0;
  for (int32_t i = 0; i < y.filter; i++) {
    for (int32_t k = 0; k < x.filter; k++) {
      const int32_t at[] = {b, row * y.stride - y.pad + i, column * x.stride - x.pad + k, c};
      if (at[1] < 0 || at[1] >= in->dims[1] || at[2] < 0 || at[2] >= in->dims[2]) continue;
      const double value = read_value(in, rig_join(in, at));
      if (value > most) most = value;
      sum += op == L2 ? (double)((float)value * (float)value) : value;
      if (is_float) sum = (double)(float)sum;
      count++;
    }
  }
  assert_true(count > 0);
  if (op == MAX) return most;
  if (op == L2) return (double)sqrtf((float)sum / (float)count);
  return is_float ? (double)((float)sum / (float)count) : round(sum / count);
}

static void want_pooled(int32_t op, bool relu6) {
  double low, high;
  find_bounds(relu6, &low, &high);
  const uint32_t count = rig_count(out);
  for (uint32_t i = 0; i < count; i++) {
    int32_t at[4];
    rig_split(out, i, at);
    const double value = pooled(op, at[0], at[1], at[2], at[3]);
    write_value(out, i, value < low ? low : value > high ? high : value);
  }
}

static void try_pool(rig_tally *tally, int32_t op, arn_type type) {
  static const int32_t channels[] = {1, 2, 3, 8, 16, 63, 64, 65, 130, 257};
  begin(op, 1, type);
  const bool same = draw(2), relu6 = draw(2);
  set_dims(in, draw(4) ? 1 : 2, 1 + (int32_t)draw(7), 1 + (int32_t)draw(7), channels[draw(10)]);
  if (draw(4) == 0) in->dims[1] = 1;
  while (rig_size(in) > RIG_BYTES) in->dims[1]--;
  const int32_t high = draw_side(&y, in->dims[1], same), wide = draw_side(&x, in->dims[2], same);
  set_dims(out, in->dims[0], high, wide, in->dims[3]);
  if (type != ARN_FLOAT32) {
    in->scale = out->scale = draw_float(0.01f, 0.1f);
    in->zero = out->zero = type == ARN_INT16 ? 0 : (int64_t)draw(256) - (type == ARN_INT8
                                                                         ? 128 : 0);
  }
  r.options_type = ARN_OPTIONS_POOL_2D;
  const double options[] = {!same, x.stride, y.stride, x.filter, y.filter, relu6 ? 3 : 0};
  memcpy(r.options, options, sizeof options);
  fill_values(in);
  want_pooled(op, relu6);
  rig_tally_check(tally, &r);
}

static void pools_are_their_definitions(void **unused) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT8, ARN_UINT8, ARN_INT16};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 700; i++) {
    const uint32_t kind = draw(5);
    if (kind == 0) {
      try_pool(&tally, L2, ARN_FLOAT32);
    } else {
      try_pool(&tally, kind < 3 ? AVERAGE : MAX, types[draw(4)]);
    }
  }
  assert_true(tally.by_rows > 200);
}

static void a_window_of_nothing_is_refused(void **unused) {
  static const double options[][6] = {
      {1, 0, 1, 2, 2, 0}, {1, 1, 0, 2, 2, 0},  {1, 1, 1, 0, 2, 0}, {1, 1, 1, 2, 0, 0},
      {1, 1, 1, 2, -1, 0}, {1, 9, 1, 2, 2, 0}, {2, 1, 1, 2, 2, 0},
  };
  (void)unused;
  for (uint32_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    begin(MAX, 1, ARN_FLOAT32);
    set_dims(in, 1, 4, 4, 1);
    set_dims(out, 1, 3, 3, 1);
    r.options_type = ARN_OPTIONS_POOL_2D;
    memcpy(r.options, options[i], sizeof options[i]);
    rig_refuse(&r, ARN_ERR_MODEL);
  }
}

// ---- resizing -----------------------------------------------------------------------------------

static bool aligned, half;

static int32_t limited(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

// Where an output position lies in the input, in 1/1024; beyond the image is its border.
static int32_t position(int32_t i, int32_t from, int32_t to) {
  int32_t step = (1024 * from + to / 2) / to;
  if (aligned && to > 1) step = (1024 * (from - 1) + (to - 1) / 2) / (to - 1);
  const int32_t at = half ? i * step + step / 2 - 512 : i * step;
  return limited(at, 0, 1024 * (from - 1));
}

static double bilinear(const int32_t *at) {
  const int32_t v = position(at[1], in->dims[1], out->dims[1]);
  const int32_t u = position(at[2], in->dims[2], out->dims[2]);
  double sum = 0.0;
  for (int32_t corner = 0; corner < 4; corner++) {
    const int32_t row = v / 1024 + corner / 2, column = u / 1024 + corner % 2;
    const int32_t high = corner / 2 ? v % 1024 : 1024 - v % 1024;
    const int32_t wide = corner % 2 ? u % 1024 : 1024 - u % 1024;
    const int32_t from[] = {at[0], limited(row, 0, in->dims[1] - 1),
                            limited(column, 0, in->dims[2] - 1), at[3]};
    sum += read_value(in, rig_join(in, from)) * high * wide;
  }
  return round(sum / 0x1p20);
}

static int32_t nearest_position(int32_t i, int32_t from, int32_t to) {
  const float step = aligned && to > 1 ? (float)(from - 1) / (float)(to - 1)
                                       : (float)from / (float)to;
  const float at = ((float)i + (half ? 0.5f : 0.0f)) * step;
  return limited((int32_t)(aligned ? roundf(at) : floorf(at)), 0, from - 1);
}

static double nearest(const int32_t *at) {
  const int32_t from[] = {at[0], nearest_position(at[1], in->dims[1], out->dims[1]),
                          nearest_position(at[2], in->dims[2], out->dims[2]), at[3]};
  return read_value(in, rig_join(in, from));
}

static int32_t draw_size(void) { return draw(4) ? 1 + (int32_t)draw(9) : 1; }

static void set_resize(int32_t op) {
  r.options_type = op == BILINEAR ? ARN_OPTIONS_RESIZE_BILINEAR
                                  : ARN_OPTIONS_RESIZE_NEAREST_NEIGHBOR;
  r.options[0] = aligned;
  r.options[1] = half;
  r.in[1].type = ARN_INT32;
  r.in[1].rank = 1;
  r.in[1].dims[0] = 2;
  r.in[1].is_constant = true;
  memcpy(r.in[1].bytes, &out->dims[1], 8);
}

static void want_resized(int32_t op) {
  const uint32_t count = rig_count(out);
  for (uint32_t i = 0; i < count; i++) {
    int32_t at[4];
    rig_split(out, i, at);
    write_value(out, i, op == BILINEAR ? bilinear(at) : nearest(at));
  }
}

static void try_resize(rig_tally *tally, int32_t op, arn_type type) {
  static const int32_t channels[] = {1, 2, 3, 4, 8, 17, 64};
  begin(op, 2, type);
  aligned = draw(3) == 0;
  half = (op == NEAREST || !aligned) && draw(2);
  set_dims(in, draw(4) ? 1 : 2, draw_size(), draw_size(), channels[draw(7)]);
  set_dims(out, in->dims[0], draw_size(), draw_size(), in->dims[3]);
  set_resize(op);
  fill_values(in);
  want_resized(op);
  rig_tally_check(tally, &r);
}

static void resized_images_are_their_definitions(void **unused) {
  static const arn_type types[] = {ARN_INT8, ARN_UINT8, ARN_INT16, ARN_FLOAT32};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 600; i++) {
    const int32_t op = draw(2) ? BILINEAR : NEAREST;
    try_resize(&tally, op, types[draw(op == BILINEAR ? 3 : 4)]);
  }
  assert_true(tally.by_rows > 150);
}

// Between scales: real arithmetic, within one step.
static double rescaled(const int32_t *at, double low, double high) {
  const double scale = (double)in->scale / (double)out->scale;
  double sum = 0.0;
  if (r.code == NEAREST) {
    sum = (nearest(at) - (double)in->zero) * scale + (double)out->zero;
    return fmin(fmax(sum, low), high);
  }
  const int32_t v = position(at[1], in->dims[1], out->dims[1]);
  const int32_t u = position(at[2], in->dims[2], out->dims[2]);
  for (int32_t corner = 0; corner < 4; corner++) {
    const int32_t row = v / 1024 + corner / 2, column = u / 1024 + corner % 2;
    const int32_t tall = corner / 2 ? v % 1024 : 1024 - v % 1024;
    const int32_t wide = corner % 2 ? u % 1024 : 1024 - u % 1024;
    const int32_t from[] = {at[0], limited(row, 0, in->dims[1] - 1),
                            limited(column, 0, in->dims[2] - 1), at[3]};
    sum += (read_value(in, rig_join(in, from)) - (double)in->zero) * tall * wide / 0x1p20;
  }
  return fmin(fmax(sum * scale + (double)out->zero, low), high);
}

static void compare_rescaled(const host_engine *engine, double low, double high) {
  static rig_tensor got;
  got = *out;
  memcpy(got.bytes, arn_output(&engine->nn, 0).data, rig_size(out));
  for (uint32_t i = 0; i < rig_count(out); i++) {
    int32_t at[4];
    rig_split(out, i, at);
    assert_true(fabs(read_value(&got, i) - rescaled(at, low, high)) < 0.51);
  }
}

static void scales_may_change_on_the_way(void **unused) {
  static const struct {
    arn_type type;
    double low, high;
  } types[] = {{ARN_INT8, -128, 127}, {ARN_UINT8, 0, 255}, {ARN_INT16, -32768, 32767}};
  (void)unused;
  for (uint32_t i = 0; i < 200; i++) {
    const uint32_t k = draw(3);
    const double low = types[k].low, high = types[k].high;
    const int32_t op = draw(2) ? BILINEAR : NEAREST;
    begin(op, 2, types[k].type);
    aligned = half = false;
    set_dims(in, 1, draw_size(), draw_size(), 5);
    set_dims(out, 1, draw_size(), draw_size(), 5);
    set_resize(op);
    in->scale = draw_float(0.001f, 0.1f);
    out->scale = draw_float(0.001f, 0.1f);
    in->zero = k == 2 ? 0 : (int64_t)(draw(2) ? low : high);
    out->zero = k == 2 ? 0 : (int64_t)(draw(2) ? low : low + draw(256));
    fill_values(in);
    host_engine engine;
    size_t size;
    uint8_t *model = rig_model(&r, &size);
    assert_int_equal(rig_start(&r, model, size, ARN_KEEP_ALL, &engine), ARN_OK);
    compare_rescaled(&engine, low, high);
    const host_rows_result rows = host_rows_check(&engine, 0, i);
    assert_true(rows == HOST_ROWS_SAME || rows == HOST_ROWS_WHOLE);
    host_engine_close(&engine);
    free(model);
  }
}

// Enlarged this much, a step rounded to 1/1024 leads beyond the image.
static void large_images_stay_inside_the_small_one(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 3; i++) {
    begin(BILINEAR, 2, ARN_INT8);
    aligned = false;
    half = i == 1;
    set_dims(in, 1, i == 2 ? 1 : 3, 3, 1);
    set_dims(out, 1, i == 2 ? 1 : 1501, i == 2 ? 1501 : 2, 1);
    set_resize(BILINEAR);
    fill_values(in);
    want_resized(BILINEAR);
    rig_tally_check(&tally, &r);
  }
  assert_int_equal(tally.by_rows, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pools_are_their_definitions),
      cmocka_unit_test(a_window_of_nothing_is_refused),
      cmocka_unit_test(resized_images_are_their_definitions),
      cmocka_unit_test(scales_may_change_on_the_way),
      cmocka_unit_test(large_images_stay_inside_the_small_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
