// TRANSPOSE_CONV, CONV_3D and CONV_3D_TRANSPOSE over random shapes against their definitions
// written plainly. Float values are small integers, so that sums are exact.
#include <math.h>

#include "src/kernels/requant.h"
#include "tests/unit/op_rig.h"

enum { TRANSPOSE_CONV = 67, CONV_3D = 132, CONV_3D_TRANSPOSE = 141 };
enum { AXES = 3, CHANNELS = 4 };  // of five-dimensional shapes; images get one plane

static rig r;
static rig_tensor *in, *w, *bias;
static rig_tensor *const out = &r.out[0];

typedef struct side {
  int32_t in, out, filter, stride, dilation, pad;
} side;

static side sides[AXES];
static int32_t batches, in_channels, out_channels;

static void begin(int32_t code) {
  memset(&r, 0, offsetof(rig, in));
  for (uint32_t i = 0; i < RIG_TENSORS; i++) memset(&r.in[i], 0, offsetof(rig_tensor, bytes));
  memset(out, 0, offsetof(rig_tensor, bytes));
  r.code = code;
  r.outputs = 1;
  in = &r.in[code == CONV_3D ? 0 : 2];
  w = &r.in[1];
  bias = &r.in[code == CONV_3D ? 2 : 3];
  r.inputs = (code == CONV_3D ? 2 : 3) + draw(2);
}

// ---- values -------------------------------------------------------------------------------------

static int32_t get(const rig_tensor *t, uint32_t i) {
  float real;
  int32_t value;
  if (t->type == ARN_INT8) return (int8_t)t->bytes[i];
  memcpy(&value, t->bytes + 4 * i, sizeof value);
  memcpy(&real, t->bytes + 4 * i, sizeof real);
  return t->type == ARN_INT32 ? value : (int32_t)real;
}

static void fill(rig_tensor *t) {
  assert_true(rig_size(t) <= RIG_BYTES);
  for (uint32_t i = 0; i < rig_count(t); i++) {
    const int32_t value = (int32_t)draw(31) - 15;
    const float real = (float)value;
    if (t->type == ARN_INT8) t->bytes[i] = (uint8_t)draw(256);
    else memcpy(t->bytes + 4 * i, t->type == ARN_FLOAT32 ? (const void *)&real : &value, 4);
  }
}

static void set_shape(rig_tensor *t, bool planes, const int32_t *dims) {
  t->rank = planes ? 5 : 4;
  t->dims[0] = dims[0];
  memcpy(t->dims + 1, dims + (planes ? 1 : 2), (t->rank - 1) * sizeof *dims);
}

// ---- shapes -------------------------------------------------------------------------------------

// The longer side of an axis (the output of a transposed convolution) settles the shorter.
static void draw_side(side *s, bool transposed, bool same, bool dilates) {
  const int32_t length = 1 + (int32_t)draw(8);
  s->filter = 1 + (int32_t)draw(4);
  s->stride = 1 + (int32_t)draw(3);
  s->dilation = dilates ? 1 + (int32_t)draw(2) : 1;
  const int32_t reach = (s->filter - 1) * s->dilation + 1;
  const int32_t from = same || length >= reach ? length : reach;
  const int32_t to = same ? (from + s->stride - 1) / s->stride : (from - reach) / s->stride + 1;
  const int32_t more = (to - 1) * s->stride + reach - from;
  s->pad = same && more > 0 ? more / 2 : 0;
  s->in = transposed ? to : from;
  s->out = transposed ? from : to;
}

static void draw_shapes(int32_t code) {
  const bool transposed = code != CONV_3D, planes = code != TRANSPOSE_CONV, same = draw(2);
  static const int32_t channels[] = {1, 2, 3, 8, 17};
  for (uint32_t i = 0; i < AXES; i++) draw_side(&sides[i], transposed, same, planes);
  if (!planes) sides[0] = (side){1, 1, 1, 1, 1, 0};
  if (draw(4) == 0) sides[1] = (side){1, 1, 1, 1, 1, 0};
  batches = draw(4) ? 1 : 2;
  in_channels = channels[draw(5)];
  out_channels = channels[draw(5)];
  const int32_t in_dims[] = {batches, sides[0].in, sides[1].in, sides[2].in, in_channels};
  const int32_t out_dims[] = {batches, sides[0].out, sides[1].out, sides[2].out, out_channels};
  const int32_t f[] = {sides[0].filter, sides[1].filter, sides[2].filter};
  set_shape(in, planes, in_dims);
  set_shape(out, planes, out_dims);
  const int32_t filters[][5] = {{out_channels, 1, f[1], f[2], in_channels},
                                {f[0], f[1], f[2], out_channels, in_channels},
                                {f[0], f[1], f[2], in_channels, out_channels}};
  set_shape(w, planes, filters[!planes ? 0 : transposed ? 1 : 2]);
  bias->rank = 1;
  bias->dims[0] = out_channels;
  r.options_type = planes ? ARN_OPTIONS_CONV_3D : ARN_OPTIONS_TRANSPOSE_CONV;
  r.options[0] = !same;
  if (planes) {
    r.options[1] = sides[0].stride, r.options[2] = sides[2].stride;
    r.options[3] = sides[1].stride, r.options[5] = sides[0].dilation;
    r.options[6] = sides[2].dilation, r.options[7] = sides[1].dilation;
  } else {
    r.options[1] = sides[2].stride, r.options[2] = sides[1].stride;
  }
}

// ---- definitions --------------------------------------------------------------------------------

static uint32_t filter_at(int32_t code, const int32_t *tap, int32_t ic, int32_t oc) {
  const int32_t at = (tap[0] * sides[1].filter + tap[1]) * sides[2].filter + tap[2];
  const int32_t taps = sides[0].filter * sides[1].filter * sides[2].filter;
  const int32_t i = code == TRANSPOSE_CONV ? (oc * taps + at) * in_channels + ic
                    : code == CONV_3D      ? (at * in_channels + ic) * out_channels + oc
                                           : (at * out_channels + oc) * in_channels + ic;
  return (uint32_t)i;
}

// Says whether input i and tap f of an axis make up output o.
static bool meets(int32_t code, const side *s, int32_t i, int32_t f, int32_t o) {
  return code == CONV_3D ? o * s->stride + f * s->dilation == i + s->pad
                         : i * s->stride + f * s->dilation == o + s->pad;
}

static int32_t tap_of(int32_t code, const side *s, int32_t i, int32_t o) {
  for (int32_t f = 0; f < s->filter; f++) {
    if (meets(code, s, i, f, o)) return f;
  }
  return -1;
}

// Adds what the input pixel at flat index `pixel` of a batch gives to channel `oc` of an output.
static int64_t share_of(int32_t code, int32_t pixel, const int32_t *o, int32_t oc, int32_t batch) {
  const int32_t i[AXES] = {pixel / sides[2].in / sides[1].in, pixel / sides[2].in % sides[1].in,
                           pixel % sides[2].in};
  int32_t tap[AXES];
  int64_t sum = 0;
  for (uint32_t a = 0; a < AXES; a++) {
    tap[a] = tap_of(code, &sides[a], i[a], o[a]);
    if (tap[a] < 0) return 0;
  }
  const int32_t pixels = sides[0].in * sides[1].in * sides[2].in;
  for (int32_t ic = 0; ic < in_channels; ic++) {
    const int32_t at = (batch * pixels + pixel) * in_channels + ic;
    sum += (get(in, (uint32_t)at) - in->zero) * get(w, filter_at(code, tap, ic, oc));
  }
  return sum;
}

static void want(uint32_t i, int64_t sum) {
  if (out->type == ARN_FLOAT32) {
    const float value = sum < 0 ? 0.0f : (float)sum;  // RELU
    memcpy(out->bytes + 4 * i, &value, sizeof value);
    return;
  }
  const double real = (double)in->scale * (double)w->scale / (double)out->scale;
  const int32_t value = arn__requantise((int32_t)sum, arn__requant_of(real));
  const arn__clamp clamp = {(int32_t)out->zero, 127};
  out->bytes[i] = (uint8_t)arn__clamp_s32(value + (int32_t)out->zero, clamp);
}

static void want_all(int32_t code) {
  const int32_t pixels = sides[0].in * sides[1].in * sides[2].in;
  uint32_t at = 0;
  for (int32_t b = 0; b < batches; b++) {
    int32_t o[AXES];
    for (o[0] = 0; o[0] < sides[0].out; o[0]++) {
      for (o[1] = 0; o[1] < sides[1].out; o[1]++) {
        for (o[2] = 0; o[2] < sides[2].out; o[2]++) {
          for (int32_t oc = 0; oc < out_channels; oc++) {
            int64_t sum = bias == &r.in[r.inputs - 1] ? get(bias, (uint32_t)oc) : 0;
            for (int32_t i = 0; i < pixels; i++) sum += share_of(code, i, o, oc, b);
            want(at++, sum);
          }
        }
      }
    }
  }
}

static void set_types(bool is_float) {
  in->type = out->type = w->type = is_float ? ARN_FLOAT32 : ARN_INT8;
  bias->type = is_float ? ARN_FLOAT32 : ARN_INT32;
  w->is_constant = bias->is_constant = true;
  if (is_float) return;
  in->scale = 0.5f, w->scale = 0.25f, out->scale = 23.0f, bias->scale = 0.125f;
  in->zero = (int64_t)draw(256) - 128;
  out->zero = (int64_t)draw(200) - 128;
}

static void try_convolution(rig_tally *tally, int32_t code) {
  begin(code);
  draw_shapes(code);
  set_types(draw(2));
  r.options[code == TRANSPOSE_CONV ? 3 : 4] = 1;  // RELU
  if (rig_size(w) > RIG_BYTES || rig_size(in) > RIG_BYTES || rig_size(out) > RIG_BYTES) return;
  if (code != CONV_3D) {
    rig_tensor *shape = &r.in[0];
    shape->type = ARN_INT32;
    shape->rank = 1;
    shape->dims[0] = (int32_t)out->rank;
    shape->is_constant = true;
    memcpy(shape->bytes, out->dims, out->rank * sizeof out->dims[0]);
  }
  fill(in), fill(w), fill(bias);
  want_all(code);
  rig_tally_check(tally, &r);
}

static void transposed_images_are_their_definition(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 500; i++) try_convolution(&tally, TRANSPOSE_CONV);
  assert_true(tally.by_rows > 200);
}

static void volumes_are_their_definition(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 200; i++) try_convolution(&tally, CONV_3D);
  for (uint32_t i = 0; i < 200; i++) try_convolution(&tally, CONV_3D_TRANSPOSE);
  assert_true(tally.by_rows > 150);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transposed_images_are_their_definition),
      cmocka_unit_test(volumes_are_their_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
