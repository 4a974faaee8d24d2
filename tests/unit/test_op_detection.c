// Detection post-processing with quantised inputs and several classes a box, and
// NON_MAX_SUPPRESSION, against plain selections; the packs hold neither. And L2_NORMALIZATION's
// multiplier, CIRCULAR_BUFFER's start.
#include <math.h>

#include "src/kernels/l2norm.h"
#include "tests/unit/op_rig.h"

enum { NMS_V4 = 120, NMS_V5 = 121, IN_SIGMA = 5 };
enum { MOST_BOXES = 60, MOST_CLASSES = 6, MOST_LISTED = 40 };

static float draw_float(float low, float high) {
  return low + (high - low) * (float)draw(1u << 24) * 0x1p-24f;
}

typedef struct box {
  float low[2], high[2];
} box;

static float overlap_of(const box *a, const box *b) {
  float area_a = 1.0f, area_b = 1.0f, common = 1.0f;
  for (uint32_t i = 0; i < 2; i++) {
    const float side = fminf(a->high[i], b->high[i]) - fmaxf(a->low[i], b->low[i]);
    area_a *= a->high[i] - a->low[i];
    area_b *= b->high[i] - b->low[i];
    common *= fmaxf(side, 0.0f);
  }
  return area_a > 0.0f && area_b > 0.0f ? common / (area_a + area_b - common) : 0.0f;
}

// ---- custom options -----------------------------------------------------------------------------

typedef struct option {
  const char *name;
  double value;
  bool is_float;
} option;

typedef struct options {
  uint8_t bytes[512];
  uint32_t size;
} options;

static void put(options *o, const void *bytes, uint32_t count) {
  assert_true(o->size + count <= sizeof o->bytes);
  memcpy(o->bytes + o->size, bytes, count);
  o->size += count;
}

static void put_u32(options *o, uint32_t value) { put(o, &value, sizeof value); }

// A FlexBuffer map, cells of 4 bytes.
static void make_options(options *o, const option *list, uint32_t count) {
  uint32_t names[16];
  o->size = 0;
  for (uint32_t i = 0; i < count; i++) {
    names[i] = o->size;
    put(o, list[i].name, (uint32_t)strlen(list[i].name) + 1);
  }
  put_u32(o, count);
  const uint32_t keys = o->size;
  for (uint32_t i = 0; i < count; i++) put_u32(o, o->size - names[i]);
  put_u32(o, o->size - keys);
  put_u32(o, 4);
  put_u32(o, count);
  const uint32_t values = o->size;
  for (uint32_t i = 0; i < count; i++) {
    const float real = (float)list[i].value;
    const int32_t integer = (int32_t)list[i].value;
    put(o, list[i].is_float ? (const void *)&real : &integer, 4);
  }
  for (uint32_t i = 0; i < count; i++) put(o, &(uint8_t){list[i].is_float ? 3 << 2 : 1 << 2}, 1);
  put(o, (const uint8_t[]){(uint8_t)(o->size - values), 9 << 2 | 2, 1}, 3);
}

// ---- detection post-processing ------------------------------------------------------------------

enum { BOXES, SCORES, ANCHORS, MOST_VALUES = MOST_BOXES * (MOST_CLASSES + 1) };

typedef struct detector {
  arn_type type;
  uint32_t boxes, classes, background;
  uint32_t most, per_class, per_box;
  bool regular;
  float score_limit, overlap_limit;
  float values[3][MOST_VALUES];        // of the inputs
  uint8_t stored[3][MOST_VALUES * 4];  // the same in the inputs' type
  float scales[3];
  int64_t zeros[3];
} detector;

typedef struct detection {
  box place;
  float class_number, score;
} detection;

static detector d;
static detection listed[MOST_LISTED];

static uint32_t input_width(uint32_t input) {
  return input == SCORES ? d.classes + d.background : 4;
}

static void draw_input(uint32_t input, float low, float high) {
  const uint32_t count = d.boxes * input_width(input);
  d.scales[input] = (high - low) / 255.0f;
  d.zeros[input] = (int64_t)roundf(-low / d.scales[input]) - (d.type == ARN_INT8 ? 128 : 0);
  for (uint32_t i = 0; i < count; i++) {
    float *value = &d.values[input][i];
    *value = draw_float(low, high);
    if (d.type == ARN_FLOAT32) {
      memcpy(d.stored[input] + 4 * i, value, 4);
    } else {
      // Not the least value: 0 is no size of an anchor.
      const int32_t q = 1 + (int32_t)draw(255) - (d.type == ARN_INT8 ? 128 : 0);
      d.stored[input][i] = (uint8_t)q;
      *value = (float)(q - (int32_t)d.zeros[input]) * d.scales[input];
    }
  }
}

// Anchors overlap a lot; quantised scores are often equal.
static void draw_detector(void) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_UINT8, ARN_INT8};
  memset(&d, 0, sizeof d);
  d.type = types[draw(3)];
  d.boxes = 1 + draw(MOST_BOXES);
  d.classes = 1 + draw(MOST_CLASSES);
  d.background = draw(2);
  d.regular = draw(2);
  d.most = 1 + draw(12);
  d.per_class = 1 + draw(6);
  d.per_box = 1 + draw(3);
  d.score_limit = draw(2) ? 0.0f : draw_float(0.1f, 0.9f);
  d.overlap_limit = draw_float(0.05f, 0.7f);
  draw_input(BOXES, -3.0f, 3.0f);
  draw_input(SCORES, 0.0f, 1.0f);
  draw_input(ANCHORS, 0.0f, 0.9f);
}

static float score_of(uint32_t i, uint32_t c) {
  return d.values[SCORES][i * input_width(SCORES) + d.background + c];
}

static box place_of(uint32_t i) {
  box b;
  for (uint32_t side = 0; side < 2; side++) {
    const float *v = &d.values[BOXES][4 * i + side], *a = &d.values[ANCHORS][4 * i + side];
    const float middle = v[0] / 10.0f * a[2] + a[0], half = 0.5f * expf(v[2] / 5.0f) * a[2];
    b.low[side] = middle - half;
    b.high[side] = middle + half;
  }
  return b;
}

// Selects boxes by `scores`: the best one left, of equals the first, unless it overlaps a selected
// one.
static uint32_t select_boxes(const float *scores, uint32_t most, uint32_t *selected) {
  bool used[MOST_BOXES] = {false};
  uint32_t count = 0;
  while (count < most) {
    uint32_t best = d.boxes;
    for (uint32_t i = 0; i < d.boxes; i++) {
      if (used[i] || scores[i] < d.score_limit) continue;
      if (best == d.boxes || scores[i] > scores[best]) best = i;
    }
    if (best == d.boxes) break;
    used[best] = true;
    bool free_place = true;
    for (uint32_t i = 0; i < count; i++) {
      const box a = place_of(best), b = place_of(selected[i]);
      if (overlap_of(&a, &b) > d.overlap_limit) free_place = false;
    }
    if (free_place) selected[count++] = best;
  }
  return count;
}

// Returns the class of box `i` that has `rank` better ones, or equal ones of lower number.
static uint32_t class_of_rank(uint32_t i, uint32_t rank) {
  for (uint32_t c = 0; c < d.classes; c++) {
    uint32_t better = 0;
    for (uint32_t k = 0; k < d.classes; k++) {
      better += score_of(i, k) > score_of(i, c) || (score_of(i, k) == score_of(i, c) && k < c);
    }
    if (better == rank) return c;
  }
  fail_msg("no such class");
  return 0;
}

static uint32_t want_fast(void) {
  float best[MOST_BOXES];
  uint32_t selected[MOST_BOXES];
  for (uint32_t i = 0; i < d.boxes; i++) best[i] = score_of(i, class_of_rank(i, 0));
  const uint32_t count = select_boxes(best, d.most, selected);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t rank = 0; rank < d.per_box && rank < d.classes; rank++) {
      const uint32_t c = class_of_rank(selected[i], rank);
      listed[i * d.per_box + rank] =
          (detection){place_of(selected[i]), (float)c, score_of(selected[i], c)};
    }
  }
  return count;
}

static uint32_t want_regular(void) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < d.classes; c++) {
    float scores[MOST_BOXES];
    uint32_t selected[MOST_BOXES];
    for (uint32_t i = 0; i < d.boxes; i++) scores[i] = score_of(i, c);
    const uint32_t found = select_boxes(scores, d.per_class, selected);
    for (uint32_t i = 0; i < found; i++) {
      const detection next = {place_of(selected[i]), (float)c, scores[selected[i]]};
      uint32_t at = count;
      while (at > 0 && listed[at - 1].score < next.score) at--;
      memmove(&listed[at + 1], &listed[at], (count - at) * sizeof next);
      listed[at] = next;
      if (count < d.most) count++;
    }
  }
  memset(&listed[count], 0, (MOST_LISTED - count) * sizeof listed[0]);
  return count;
}

static void add_tensor(arn_builder *b, int32_t *index, arn_build_tensor t, uint32_t input) {
  t.name = "t";
  if (input < 3 && d.type != ARN_FLOAT32) {
    t.quant = (arn_build_quant){&d.scales[input], &d.zeros[input], 1, 0};
  }
  *index = arn_builder_tensor(b, &t);
}

static void make_detector_options(options *o) {
  const option list[] = {
      {"detections_per_class", d.per_class, false},
      {"h_scale", 5, true},
      {"max_classes_per_detection", d.per_box, false},
      {"max_detections", d.most, false},
      {"nms_iou_threshold", (double)d.overlap_limit, true},
      {"nms_score_threshold", (double)d.score_limit, true},
      {"num_classes", d.classes, false},
      {"use_regular_nms", d.regular, false},
      {"w_scale", 5, true},
      {"x_scale", 10, true},
      {"y_scale", 10, true},
  };
  make_options(o, list, sizeof list / sizeof list[0]);
}

static uint8_t *make_detector(size_t *size) {
  int32_t in[3], out[4];
  options custom;
  uint8_t *bytes = NULL;
  arn_builder *b = arn_builder_new();
  const int32_t boxes = (int32_t)d.boxes, room = (int32_t)(d.most * d.per_box);
  arn_builder_subgraph(b, "main");
  for (uint32_t i = 0; i < 3; i++) {
    arn_build_tensor t = {.type = d.type, .rank = 3, .shape = {1, boxes, (int32_t)input_width(i)}};
    if (i == ANCHORS) t = (arn_build_tensor){.type = d.type, .rank = 2, .shape = {boxes, 4}};
    if (i == ANCHORS) t.data = d.stored[i];
    if (i == ANCHORS) t.data_bytes = 4 * d.boxes * arn_type_bytes(d.type);
    add_tensor(b, &in[i], t, i);
  }
  for (uint32_t i = 0; i < 4; i++) {
    const arn_build_tensor t = {
        .type = ARN_FLOAT32, .rank = i == 0 ? 3 : i < 3 ? 2 : 1, .shape = {1, room, 4}};
    add_tensor(b, &out[i], t, 3);
  }
  make_detector_options(&custom);
  arn_builder_operator(b, &(arn_build_operator){.code = ARN_CODE_CUSTOM,
                                                .custom_name = "TFLite_Detection_PostProcess",
                                                .inputs = in,
                                                .input_count = 3,
                                                .outputs = out,
                                                .output_count = 4,
                                                .custom_options = custom.bytes,
                                                .custom_bytes = custom.size});
  arn_builder_io(b, in, 2, out, 4);
  if (!arn_builder_finish(b, &bytes, size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}

static void check_detections(const host_engine *engine, uint32_t count) {
  const box *places = arn_output(&engine->nn, 0).data;
  const float *classes = arn_output(&engine->nn, 1).data;
  const float *scores = arn_output(&engine->nn, 2).data;
  assert_true(*(const float *)arn_output(&engine->nn, 3).data == (float)count);
  for (uint32_t i = 0; i < d.most * d.per_box; i++) {
    assert_memory_equal(&classes[i], &listed[i].class_number, 4);
    assert_memory_equal(&scores[i], &listed[i].score, 4);
    assert_memory_equal(&places[i], &listed[i].place, sizeof(box));
  }
}

static void detections_are_a_plain_selection(void **unused) {
  uint32_t found = 0;
  (void)unused;
  for (uint32_t trial = 0; trial < 300; trial++) {
    host_engine engine;
    arn_error error = {0};
    size_t size;
    draw_detector();
    memset(listed, 0, sizeof listed);
    const uint32_t count = d.regular ? want_regular() : want_fast();
    uint8_t *model = make_detector(&size);
    const host_options how = {.fill = HOST_FILL_RANDOM};
    assert_int_equal(host_engine_open(&engine, model, size, &how, &error), ARN_OK);
    for (uint32_t i = 0; i < 2; i++) {
      const arn_tensor_view view = arn_input(&engine.nn, i);
      memcpy(view.data, d.stored[i], view.bytes);
    }
    assert_int_equal(arn_invoke(&engine.nn, &error), ARN_OK);
    assert_true(host_engine_is_intact(&engine));
    check_detections(&engine, count);
    found += count;
    host_engine_close(&engine);
    free(model);
  }
  assert_true(found > 300);
}

// ---- NON_MAX_SUPPRESSION ------------------------------------------------------------------------

static rig r;

static void set_tensor(rig_tensor *t, arn_type type, uint32_t rank, int32_t first) {
  t->type = type;
  t->rank = rank;
  t->dims[0] = first;
  t->dims[1] = 4;
}

static void set_scalar(rig_tensor *t, arn_type type, const void *value) {
  set_tensor(t, type, 0, 1);
  t->is_constant = draw(2);
  memcpy(t->bytes, value, 4);
}

// Corners may be given in any order.
static void draw_boxes(uint32_t count, box *boxes, float *scores) {
  for (uint32_t i = 0; i < count; i++) {
    float corners[4];
    for (uint32_t side = 0; side < 2; side++) {
      boxes[i].low[side] = draw_float(0.0f, 0.5f);
      boxes[i].high[side] = boxes[i].low[side] + draw_float(0.1f, 0.5f);
      const bool swapped = draw(2);
      corners[side] = swapped ? boxes[i].high[side] : boxes[i].low[side];
      corners[side + 2] = swapped ? boxes[i].low[side] : boxes[i].high[side];
    }
    scores[i] = (float)draw(20) / 20.0f;
    memcpy(r.in[0].bytes + 16 * i, corners, sizeof corners);
    memcpy(r.in[1].bytes + 4 * i, &scores[i], 4);
  }
}

typedef struct suppression {
  uint32_t boxes, most;
  float overlap_limit, score_limit, sigma;
} suppression;

// The definition: again and again the best box left is selected, and weakens or removes the others.
static uint32_t want_suppressed(const suppression *s, const box *boxes, float *scores,
                                int32_t *selected, float *final) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->boxes; i++) {
    if (!(scores[i] > s->score_limit)) scores[i] = -1.0f;
  }
  while (count < s->most) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < s->boxes; i++) {
      if (scores[i] > scores[best]) best = i;
    }
    if (scores[best] < 0.0f) break;
    final[count] = scores[best];
    selected[count++] = (int32_t)best;
    scores[best] = -1.0f;
    for (uint32_t i = 0; i < s->boxes; i++) {
      const float overlap = overlap_of(&boxes[i], &boxes[best]);
      if (scores[i] < 0.0f) continue;
      if (s->sigma > 0.0f) scores[i] *= expf(-0.5f / s->sigma * overlap * overlap);
      if (overlap >= s->overlap_limit || !(scores[i] > s->score_limit)) scores[i] = -1.0f;
    }
  }
  return count;
}

static void draw_suppression(suppression *s, bool soft) {
  memset(&r, 0, offsetof(rig, in));
  s->boxes = 1 + draw(MOST_BOXES);
  s->most = 1 + draw(20);
  s->overlap_limit = draw_float(0.1f, 1.1f);
  s->score_limit = draw_float(0.0f, 0.6f);
  s->sigma = soft && draw(4) ? draw_float(0.1f, 1.0f) : 0.0f;
  r.code = soft ? NMS_V5 : NMS_V4;
  r.inputs = soft ? 6 : 5;
  r.outputs = soft ? 3 : 2;
  set_tensor(&r.in[0], ARN_FLOAT32, 2, (int32_t)s->boxes);
  set_tensor(&r.in[1], ARN_FLOAT32, 1, (int32_t)s->boxes);
  set_scalar(&r.in[2], ARN_INT32, &s->most);
  set_scalar(&r.in[3], ARN_FLOAT32, &s->overlap_limit);
  set_scalar(&r.in[4], ARN_FLOAT32, &s->score_limit);
  set_scalar(&r.in[5], ARN_FLOAT32, &s->sigma);
  set_tensor(&r.out[0], ARN_INT32, 1, (int32_t)s->most);
  set_tensor(&r.out[1], soft ? ARN_FLOAT32 : ARN_INT32, soft ? 1 : 0, (int32_t)s->most);
  set_tensor(&r.out[2], ARN_INT32, 0, 1);
}

static void hard_suppression_is_its_definition(void **unused) {
  (void)unused;
  for (uint32_t trial = 0; trial < 300; trial++) {
    suppression s;
    box boxes[MOST_BOXES];
    float scores[MOST_BOXES], final[MOST_BOXES] = {0};
    int32_t selected[MOST_BOXES] = {0};
    const bool v5 = trial % 2;
    draw_suppression(&s, v5);
    s.sigma = 0.0f;
    memset(r.in[IN_SIGMA].bytes, 0, 4);
    draw_boxes(s.boxes, boxes, scores);
    const uint32_t count = want_suppressed(&s, boxes, scores, selected, final);
    memcpy(r.out[0].bytes, selected, 4 * s.most);
    if (v5) memcpy(r.out[1].bytes, final, 4 * s.most);
    memcpy(r.out[1 + v5].bytes, &count, 4);
    rig_check(&r);
  }
}

// A score that several boxes weaken is multiplied in another order here: it may differ in the last
// bits.
static void soft_suppression_is_its_definition(void **unused) {
  (void)unused;
  for (uint32_t trial = 0; trial < 300; trial++) {
    suppression s;
    box boxes[MOST_BOXES];
    float scores[MOST_BOXES], final[MOST_BOXES] = {0};
    int32_t selected[MOST_BOXES] = {0};
    host_engine engine;
    size_t size;
    draw_suppression(&s, true);
    draw_boxes(s.boxes, boxes, scores);
    const uint32_t count = want_suppressed(&s, boxes, scores, selected, final);
    uint8_t *model = rig_model(&r, &size);
    assert_int_equal(rig_start(&r, model, size, 0, &engine), ARN_OK);
    const float *got = arn_output(&engine.nn, 1).data;
    assert_int_equal(*(const int32_t *)arn_output(&engine.nn, 2).data, count);
    for (uint32_t i = 0; i < s.most; i++) assert_true(fabsf(got[i] - final[i]) <= 1e-5f);
    host_engine_close(&engine);
    free(model);
  }
}

static void more_boxes_than_there_is_room_for_are_an_error(void **unused) {
  suppression s;
  box boxes[MOST_BOXES];
  float scores[MOST_BOXES];
  (void)unused;
  draw_suppression(&s, false);
  draw_boxes(s.boxes, boxes, scores);
  for (int32_t i = 0; i < 2; i++) {
    const int32_t most = i ? -1 : (int32_t)s.most + 1;
    memcpy(r.in[2].bytes, &most, 4);
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

// ---- L2_NORMALIZATION, CIRCULAR_BUFFER ----------------------------------------------------------

static void inverse_roots_are_near(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 20000; i++) {
    const int32_t square = (int32_t)(draw(INT32_MAX) >> draw(30)) + 2;
    const arn__requant root = arn__l2norm_inverse_root(square);
    const double got = ldexp((double)root.q, root.shift - 31), want = 1.0 / sqrt(square);
    assert_true(fabs(got - want) <= 2e-6 * want);
    assert_true(root.q > 0 && root.shift <= 0);
  }
  assert_int_equal(arn__l2norm_inverse_root(0).q, INT32_MAX);
  assert_int_equal(arn__l2norm_inverse_root(1).q, INT32_MAX);
}

static void uint8_vectors_get_unit_length(void **unused) {
  (void)unused;
  uint8_t in[64], out[64];
  for (uint32_t trial = 0; trial < 500; trial++) {
    const arn__l2norm_shape shape = {1, 1 + draw(64), (int32_t)draw(256)};
    double square = 0.0;
    for (uint32_t i = 0; i < shape.depth; i++) {
      in[i] = (uint8_t)draw(256);
      square += (in[i] - shape.zero) * (in[i] - shape.zero);
    }
    arn__l2norm_u8(out, in, &shape);
    for (uint32_t i = 0; i < shape.depth && square > 0.0; i++) {
      const double want = 128.0 + 128.0 * (in[i] - shape.zero) / sqrt(square);
      assert_true(fabs(out[i] - fmin(want, 255.0)) <= 0.76);  // rounded twice
    }
  }
}

// The output before the buffer is full holds zeros of the quantised kind, which no case looks at.
static void a_stream_starts_at_the_zero_point(void **unused) {
  static const option cycles = {"cycles_max", 2, false};
  static const float scale = 0.5f;
  static const int64_t zero = -7;
  static const int8_t want[][3] = {{-7, -7, 1}, {-7, 1, 2}, {1, 2, 3}, {2, 3, 4}};
  (void)unused;
  options custom;
  host_engine engine;
  arn_error error = {0};
  int32_t in, out;
  uint8_t *model = NULL;
  size_t size;
  make_options(&custom, &cycles, 1);
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  arn_build_tensor t = {.name = "t", .type = ARN_INT8, .rank = 4, .shape = {1, 1, 1, 1},
                        .quant = {&scale, &zero, 1, 0}};
  in = arn_builder_tensor(b, &t);
  t.shape[1] = 3;
  out = arn_builder_tensor(b, &t);
  arn_builder_operator(b, &(arn_build_operator){.code = ARN_CODE_CUSTOM,
                                                .custom_name = "CIRCULAR_BUFFER",
                                                .inputs = &in,
                                                .input_count = 1,
                                                .outputs = &out,
                                                .output_count = 1,
                                                .custom_options = custom.bytes,
                                                .custom_bytes = custom.size});
  arn_builder_io(b, &in, 1, &out, 1);
  assert_true(arn_builder_finish(b, &model, &size));
  arn_builder_free(b);
  const host_options how = {.fill = HOST_FILL_RANDOM};
  assert_int_equal(host_engine_open(&engine, model, size, &how, &error), ARN_OK);
  for (uint32_t k = 0; k < 8; k++) {
    if (k == 4) assert_int_equal(arn_reset(&engine.nn), ARN_OK);
    *(int8_t *)arn_input(&engine.nn, 0).data = (int8_t)(k % 4 + 1);
    assert_int_equal(arn_invoke(&engine.nn, &error), k % 2 ? ARN_OK : ARN_STOPPED);
    assert_memory_equal(arn_output(&engine.nn, 0).data, want[k % 4], 3);
  }
  host_engine_close(&engine);
  free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(detections_are_a_plain_selection),
      cmocka_unit_test(hard_suppression_is_its_definition),
      cmocka_unit_test(soft_suppression_is_its_definition),
      cmocka_unit_test(more_boxes_than_there_is_room_for_are_an_error),
      cmocka_unit_test(inverse_roots_are_near),
      cmocka_unit_test(uint8_vectors_get_unit_length),
      cmocka_unit_test(a_stream_starts_at_the_zero_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
