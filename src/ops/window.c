// REDUCE_WINDOW, STABLEHLO_REDUCE_WINDOW: what a window over any axes sees of the input is reduced
// to one output, from an initial value on. StableHLO also pads the input, or cuts it off, and puts
// its elements apart (base dilation); what is there instead of elements is the initial value.
//
// Axes along which nothing happens stay together. What is left is a list of axes: the first is that
// of the rows (or a single one), the last the innermost on which something happens, with `inner`
// elements behind it. An output line, all outputs on the last axis, is reduced where it lies: for
// each place in the window on the other axes, in ascending order, one call of a kernel takes all
// outputs of the line whose window is not cut.
#include "stablehlo.h"

enum { AXES = 8, MOST = 1 << 30, MOST_PADDED_TAPS = 1 << 16 };

// One axis: output o sees the elements o * stride + t * dilation - low, t < taps, of an input whose
// elements are `base` apart.
typedef struct window_axis {
  uint32_t in, out, taps;
  int32_t low;
  uint32_t stride, dilation;
  uint16_t base;
  uint16_t period;  // taps from one that meets an element to the next
} window_axis;

static const window_axis single = {1, 1, 1, 0, 1, 1, 1, 1};

// A prefix of this, as long as its axes, is the prepared state.
typedef struct window_state {
  uint32_t in_row_bytes, out_row_bytes;
  uint32_t inner;  // elements
  uint8_t body, type, element;
  uint8_t axes;
  window_axis axis[AXES];
} window_state;

// What prepare knows of all axes of the tensors.
typedef struct windows {
  int32_t taps[ARN_MAX_RANK], strides[ARN_MAX_RANK], dilations[ARN_MAX_RANK];
  int32_t bases[ARN_MAX_RANK], padding[2 * ARN_MAX_RANK];
  arn_tensor in, out;
} windows;

// ---- prepare ------------------------------------------------------------------------------------

static uint32_t common_divisor(uint32_t a, uint32_t b) {
  while (b > 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Checks that the output has the size that follows on axis `i`.
static arn_status check_axis(const arn_prepare *p, const windows *w, uint32_t i) {
  const int32_t in = w->in.dims[i], low = w->padding[2 * i];
  const int64_t dilated = in > 0 ? (int64_t)(in - 1) * w->bases[i] + 1 : 0;
  const int64_t length = dilated + low + w->padding[2 * i + 1];
  const int64_t reach = (int64_t)(w->taps[i] - 1) * w->dilations[i] + 1;
  const int64_t count = length < reach ? 0 : (length - reach) / w->strides[i] + 1;
  if (w->out.dims[i] != count) return arn_refuse_model(p, ARN_WHAT_SHAPE, &w->out);
  const bool large = dilated > MOST || length > MOST || low > MOST || low < -MOST;
  return large || w->bases[i] > UINT16_MAX ? arn_refuse(p, ARN_WHAT_LIMIT, &w->in) : ARN_OK;
}

static window_axis axis_of(const windows *w, uint32_t i) {
  window_axis a = {.in = (uint32_t)w->in.dims[i],
                   .out = (uint32_t)w->out.dims[i],
                   .taps = (uint32_t)w->taps[i],
                   .low = w->padding[2 * i],
                   .stride = w->out.dims[i] > 1 ? (uint32_t)w->strides[i] : 1,
                   .dilation = w->taps[i] > 1 ? (uint32_t)w->dilations[i] : 1,
                   .base = (uint16_t)w->bases[i]};
  a.period = (uint16_t)(a.base / common_divisor(a.base, a.dilation));
  return a;
}

static bool is_plain(const window_axis *a) {
  return a->taps == 1 && a->low == 0 && a->in == a->out && (a->in <= 1 || a->stride == a->base);
}

static bool is_padded(const window_axis *a) {
  const int64_t reach = (int64_t)(a->taps - 1) * a->dilation - a->low;
  const int64_t last = (int64_t)(a->out - 1) * a->stride + reach;
  return a->base > 1 || a->low > 0 || (a->out > 0 && last >= a->in);
}

// Windows that see more than elements are bounded: a tap costs time, not memory.
static bool is_bounded(const windows *w) {
  uint64_t taps = 1;
  bool padded = false;
  for (uint32_t i = 0; i < w->in.rank; i++) {
    const window_axis a = axis_of(w, i);
    padded = padded || is_padded(&a);
    taps *= a.taps;
    if (taps > INT32_MAX) return false;
  }
  return !padded || taps <= MOST_PADDED_TAPS;
}

static bool add_axis(window_state *s, const window_axis *a) {
  window_axis *before = &s->axis[s->axes - 1], added = *a;
  if (is_plain(a)) {
    if (a->in == 1) return true;
    added = single;
    added.in = added.out = a->in;
    if (s->axes > 1 && is_plain(before)) {
      before->in *= a->in;
      before->out *= a->in;
      return true;
    }
  }
  if (s->axes == AXES) return false;
  s->axis[s->axes++] = added;
  return true;
}

// Says whether rows of both tensors run along the same axis, and nothing happens in front of it.
static bool same_rows(const windows *w) {
  const int32_t axis = arn__rows_of(&w->out).axis;
  if (axis < 0 || arn__rows_of(&w->in).axis != axis) return false;
  for (int32_t i = 0; i < axis; i++) {
    const window_axis a = axis_of(w, (uint32_t)i);
    if (!is_plain(&a)) return false;
  }
  return true;
}

// Lists the axes; false where there are too many.
static bool build(arn_prepare *p, window_state *s, const windows *w) {
  uint32_t first = 0, end = w->in.rank;
  s->axis[0] = single;
  s->axes = 1;
  if (same_rows(w)) {
    arn__movement_by_rows(p, &w->out);
    if (p->work == ARN_ROWS) first = (uint32_t)arn__rows_of(&w->out).axis + 1;
  }
  if (first > 0) s->axis[0] = axis_of(w, first - 1);
  s->in_row_bytes = arn__movement_product(&w->in, first, w->in.rank) * s->element;
  s->out_row_bytes = arn__movement_product(&w->out, first, w->out.rank) * s->element;
  for (; end > first; end--) {
    const window_axis a = axis_of(w, end - 1);
    if (!is_plain(&a)) break;
  }
  s->inner = arn__movement_product(&w->in, end, w->in.rank);
  for (uint32_t i = first; i < end; i++) {
    const window_axis a = axis_of(w, i);
    if (!add_axis(s, &a)) return false;
  }
  if (s->axes == 1) s->axis[s->axes++] = single;
  return true;
}

static arn_status check_initial(const arn_prepare *p, const window_state *s, const windows *w) {
  const arn__shlo_body body = (arn__shlo_body)s->body;
  arn_tensor initial;
  ARN__TRY(arn_prepare_input(p, 1, &initial));
  if (initial.type != w->in.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &initial);
  if (initial.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &initial);
  ARN__TRY(arn__shlo_check_scales(p, body, &w->in, &initial));
  return arn__shlo_check_scales(p, body, &w->in, &w->out);
}

static arn_status prepare_axes(arn_prepare *p, window_state *s, const windows *w) {
  ARN__TRY(check_initial(p, s, w));
  for (uint32_t i = 0; i < w->in.rank; i++) ARN__TRY(check_axis(p, w, i));
  if (!is_bounded(w)) return arn_refuse(p, ARN_WHAT_LIMIT, &w->in);
  s->type = w->in.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)w->in.type);
  if (!build(p, s, w)) return arn_refuse(p, ARN_WHAT_RANK, &w->in);
  p->state_bytes = (uint32_t)(offsetof(window_state, axis) + s->axes * sizeof s->axis[0]);
  return ARN_OK;
}

// Input `i` of REDUCE_WINDOW: a constant of `count` numbers above 0.
static arn_status read_numbers(const arn_prepare *p, uint32_t i, uint32_t count, int32_t *numbers) {
  arn__index index;
  ARN__TRY(arn__movement_index(p, i, &index));
  if (index.count != count) return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
  if (index.data == NULL && count > 0) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, NULL);
  for (uint32_t k = 0; k < count; k++) {
    numbers[k] = arn__index_at(index.data, index.type, k);
    const bool good = numbers[k] > 0 && numbers[k] < INT32_MAX;
    if (!good) return arn_refuse_model(p, ARN_WHAT_STRIDE, NULL);
  }
  return ARN_OK;
}

// Reads input and output, whose rank the options follow.
static arn_status read_tensors(const arn_prepare *p, windows *w) {
  ARN__TRY(arn__movement_pair(p, 0, &w->in, &w->out));
  return w->out.rank == w->in.rank ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &w->out);
}

static arn_status set_body(const arn_prepare *p, window_state *s, const windows *w,
                           arn__shlo_body body) {
  arn__reducer how;
  if (body == ARN__SHLO_UPDATE) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  s->body = (uint8_t)body;
  if (arn__shlo_reducer(body, w->in.type, &how)) return ARN_OK;
  return arn_refuse(p, ARN_WHAT_TYPE, &w->in);
}

// The enumeration ReduceWindowFunction has the order of arn__shlo_body.
static arn_status builtin_prepare(arn_prepare *p, void *state) {
  window_state *s = state;
  windows w;
  const int32_t function = arn__shlo_i32(p, 0, 0);
  ARN__TRY(arn_prepare_counts(p, 5, 5, 1));
  ARN__TRY(read_tensors(p, &w));
  if (function < ARN__SHLO_ADD || function > ARN__SHLO_ANY) {
    return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  }
  ARN__TRY(set_body(p, s, &w, (arn__shlo_body)function));
  ARN__TRY(read_numbers(p, 2, w.in.rank, w.taps));
  ARN__TRY(read_numbers(p, 3, w.in.rank, w.strides));
  ARN__TRY(read_numbers(p, 4, w.in.rank, w.dilations));
  for (uint32_t i = 0; i < w.in.rank; i++) {
    w.bases[i] = 1;
    w.padding[2 * i] = w.padding[2 * i + 1] = 0;
  }
  return prepare_axes(p, s, &w);
}

static arn_status stablehlo_prepare(arn_prepare *p, void *state) {
  window_state *s = state;
  windows w;
  arn__shlo_body body;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(read_tensors(p, &w));
  ARN__TRY(arn__shlo_read_body(p, arn__shlo_i32(p, 5, 0), w.in.type, &body));
  ARN__TRY(set_body(p, s, &w, body));
  ARN__TRY(arn__shlo_numbers(p, 0, w.in.rank, 1, 0, w.taps));
  ARN__TRY(arn__shlo_numbers(p, 1, w.in.rank, 1, 1, w.strides));
  ARN__TRY(arn__shlo_numbers(p, 2, w.in.rank, 1, 1, w.bases));
  ARN__TRY(arn__shlo_numbers(p, 3, w.in.rank, 1, 1, w.dilations));
  ARN__TRY(arn__shlo_numbers(p, 4, 2u * w.in.rank, INT32_MIN + 1, 0, w.padding));
  return prepare_axes(p, s, &w);
}

// ---- what an output sees ------------------------------------------------------------------------

// Elements of the input that an output sees along an axis: `count` from `at` on, `step` apart.
typedef struct seen {
  uint32_t at, count, step;
} seen;

// The elements of the input at places [from, to] of its dilated form.
static arn_span elements_between(const window_axis *a, int32_t from, int32_t to) {
  const int32_t base = a->base, last = (int32_t)a->in - 1;
  const int32_t first = from > 0 ? (from + base - 1) / base : 0;
  const int32_t end = to < 0 ? 0 : (to / base < last ? to / base : last) + 1;
  return first < end ? (arn_span){(uint32_t)first, (uint32_t)(end - first)} : (arn_span){0, 0};
}

// An output that may not see an element with every tap.
static seen look_closely(const window_axis *a, uint32_t o) {
  const int32_t start = (int32_t)(o * a->stride) - a->low, dilation = (int32_t)a->dilation;
  uint32_t tap = start < 0 ? (uint32_t)((dilation - 1 - start) / dilation) : 0;
  const int32_t end = a->in > 0 ? (int32_t)(a->in - 1) * a->base : -1;  // the last element
  for (uint32_t k = 0; k < a->period && tap < a->taps; k++, tap++) {
    const int32_t at = start + (int32_t)tap * dilation;
    if (at > end) break;
    if (at % a->base != 0) continue;
    const uint32_t element = (uint32_t)at / a->base, step = a->dilation / (a->base / a->period);
    const uint32_t room = (a->in - 1 - element) / step, more = (a->taps - 1 - tap) / a->period;
    return (seen){element, 1 + (more < room ? more : room), step};
  }
  return (seen){0, 0, 0};
}

static seen look(const window_axis *a, uint32_t o) {
  const int32_t start = (int32_t)(o * a->stride) - a->low;
  const uint32_t end = (uint32_t)start + (a->taps - 1) * a->dilation;
  if (a->base > 1 || start < 0 || end >= a->in) return look_closely(a, o);
  return (seen){(uint32_t)start, a->taps, a->dilation};
}

static void window_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const window_axis *a = &((const window_state *)state)->axis[0];
  if (arn__movement_is_index(input, in)) return;
  *in = (arn_span){0, 0};
  if (out.count == 0) return;
  const int32_t from = (int32_t)(out.first * a->stride) - a->low;
  const int32_t to = from + (int32_t)((out.count - 1) * a->stride + (a->taps - 1) * a->dilation);
  *in = elements_between(a, from, to);
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct job {
  const window_state *s;
  arn__reducer how;      // its identity is the initial value
  arn_rows in, out;
  uint32_t unit;         // bytes of an output of a line
  uint32_t whole_from, whole_to;  // outputs of a line whose window is not cut
  arn__reduce_box whole;          // of these
  uint32_t taps;         // of the whole window
  bool counts;           // there are places without an element, and they change the result
} job;

static const window_axis *last_axis(const window_state *s) { return &s->axis[s->axes - 1]; }

// Sets which outputs of a line see an element with every tap.
static void find_whole(job *j) {
  const window_axis *a = last_axis(j->s);
  const int32_t stride = (int32_t)a->stride;
  const int32_t room = (int32_t)a->in - 1 - (int32_t)((a->taps - 1) * a->dilation) + a->low;
  const uint32_t from = a->low > 0 ? (uint32_t)((a->low + stride - 1) / stride) : 0;
  const uint32_t to = room >= 0 ? (uint32_t)(room / stride) + 1 : 0;
  if (a->base > 1) return;
  j->whole_to = to < a->out ? to : a->out;
  j->whole_from = from < j->whole_to ? from : j->whole_to;
  j->whole = (arn__reduce_box){.outer = j->whole_to - j->whole_from,
                               .outer_stride = a->stride * j->s->inner,
                               .rows = a->taps,
                               .row_stride = a->dilation * j->s->inner,
                               .inner = j->s->inner,
                               .run = 1};
}

static bool is_neutral(const job *j) {
  const uint32_t value = (uint32_t)j->how.identity;
  const bool real = j->how.type == ARN_FLOAT32;
  if (j->s->body == ARN__SHLO_ADD) return j->how.identity == 0;
  if (j->s->body == ARN__SHLO_MULTIPLY) return real ? value == 0x3F800000u : j->how.identity == 1;
  return true;
}

static void job_open(job *j, const arn_eval *e, const window_state *s) {
  memset(j, 0, sizeof *j);
  j->s = s;
  (void)arn__shlo_reducer((arn__shlo_body)s->body, s->type, &j->how);
  j->how.identity = arn__shlo_initial(arn_eval_in(e, 1), &j->how);
  j->in = arn_eval_input(e, 0, s->in_row_bytes);
  j->out = arn_eval_output(e, 0, s->out_row_bytes);
  j->unit = s->inner * s->element;
  j->taps = 1;
  for (uint32_t i = 0; i < s->axes; i++) {
    j->taps *= s->axis[i].taps;
    j->counts = j->counts || is_padded(&s->axis[i]);
  }
  j->counts = j->counts && !is_neutral(j);
  find_whole(j);
}

// Folds what output `o` of a line sees of an input line, where its window is cut.
static void fold_cut(const job *j, uint8_t *line, const uint8_t *in, uint32_t o) {
  const uint32_t inner = j->s->inner;
  const seen sees = look(last_axis(j->s), o);
  const arn__reduce_box box = {
      .outer = 1, .rows = sees.count, .row_stride = sees.step * inner, .inner = inner, .run = 1};
  if (sees.count > 0) j->how.fold(line + o * j->unit, in + sees.at * j->unit, &box);
}

// The outputs that see an element with every tap. Where elements follow each other, the first taps
// of all windows, as many as the windows are apart, are runs that follow each other as well.
static void fold_whole(const job *j, uint8_t *acc, const uint8_t *in) {
  arn__reduce_box box = j->whole;
  const uint32_t run = box.outer_stride;
  if (box.inner == 1 && box.row_stride == 1 && run > 1) {
    const arn__reduce_box runs = {.outer = 1, .rows = 1, .inner = box.outer, .run = run};
    for (; box.rows >= run; box.rows -= run, in += run * j->unit) j->how.fold(acc, in, &runs);
  }
  if (box.rows > 0) j->how.fold(acc, in, &box);
}

static void fold_line(const job *j, uint8_t *line, const uint8_t *in) {
  const window_axis *a = last_axis(j->s);
  const uint32_t from = j->whole_from, to = j->whole_to;
  for (uint32_t o = 0; o < from; o++) fold_cut(j, line, in, o);
  if (from < to) {
    const uint32_t first = from * a->stride - (uint32_t)a->low;
    fold_whole(j, line + from * j->unit, in + first * j->unit);
  }
  for (uint32_t o = to; o < a->out; o++) fold_cut(j, line, in, o);
}

// Folds the initial value into a line, once for each place without an element; `around` is how
// often the other axes show elements.
static void fold_padding(const job *j, uint8_t *line, uint32_t around) {
  const window_axis *a = last_axis(j->s);
  for (uint32_t o = 0; o < a->out; o++, line += j->unit) {
    const uint32_t unseen = j->taps - around * look(a, o).count;
    const arn__reduce_box box = {.outer = j->s->inner, .rows = unseen, .inner = 1, .run = 1};
    if (unseen > 0) j->how.fold(line, &j->how.identity, &box);
  }
}

// A place in the window on all axes but the last: what their outputs see, and element k of that.
typedef struct place {
  seen sees[AXES];
  uint32_t k[AXES];
} place;

static const uint8_t *input_line(const job *j, const place *at) {
  const window_state *s = j->s;
  uint32_t index = 0;
  for (uint32_t i = 1; i + 1 < s->axes; i++) {
    index = index * s->axis[i].in + at->sees[i].at + at->k[i] * at->sees[i].step;
  }
  const uint8_t *row = arn_row(&j->in, at->sees[0].at + at->k[0] * at->sees[0].step);
  return row + index * last_axis(s)->in * j->unit;
}

// Computes line `number` of an output row, which sees `rows` of the input. Needs: it is filled with
// the initial value.
static void run_line(const job *j, seen rows, uint32_t number, uint8_t *line) {
  const window_state *s = j->s;
  const uint32_t axes = s->axes - 1u;
  uint32_t around = rows.count;
  place at;
  at.sees[0] = rows;
  at.k[0] = 0;
  for (uint32_t i = axes; i-- > 1; number /= s->axis[i].out) {
    at.sees[i] = look(&s->axis[i], number % s->axis[i].out);
    at.k[i] = 0;
    around *= at.sees[i].count;
  }
  if (j->counts) fold_padding(j, line, around);
  for (uint32_t n = 0; n < around; n++) {
    fold_line(j, line, input_line(j, &at));
    for (uint32_t i = axes; i-- > 0 && ++at.k[i] == at.sees[i].count;) at.k[i] = 0;
  }
}

static arn_status window_eval(const arn_eval *e, const void *state) {
  const window_state *s = state;
  job j;
  if (s->out_row_bytes == 0) return ARN_OK;
  job_open(&j, e, s);
  const uint32_t line_bytes = last_axis(s)->out * j.unit, lines = s->out_row_bytes / line_bytes;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    const seen rows = look(&s->axis[0], r);
    uint8_t *line = arn_row(&j.out, r);
    arn__move_fill(line, &j.how.identity, s->element, s->out_row_bytes / s->element);
    for (uint32_t i = 0; i < lines; i++, line += line_bytes) run_line(&j, rows, i, line);
  }
  return ARN_OK;
}

#define TYPES                                                                              \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |          \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64) |           \
   ARN_TYPE_BIT(ARN_BOOL))

const arn_op arn_op_reduce_window = {
    .name = "REDUCE_WINDOW",
    .code = 205,
    .state_bytes = sizeof(window_state),
    .types = TYPES,
    .prepare = builtin_prepare,
    .rows = window_rows,
    .eval = window_eval,
};
const arn_op arn_op_stablehlo_reduce_window = {
    .name = "STABLEHLO_REDUCE_WINDOW",
    .code = 198,
    .state_bytes = sizeof(window_state),
    .types = TYPES,
    .prepare = stablehlo_prepare,
    .rows = window_rows,
    .eval = window_eval,
};
