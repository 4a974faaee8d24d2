// SLICE and STRIDED_SLICE: along each dimension of the input, `count` elements from `start` on,
// `step` apart. Constant slices become a nest while preparing; where begin, end or size are only
// known at run time, the same is done at every run, and what comes out must have the output's
// shape.
#include "nest.h"

// What is taken along one dimension of the input.
typedef struct window {
  int32_t start, step, count;
} window;

// How begin, end and strides of a STRIDED_SLICE are to be read, one bit an entry.
typedef struct masks {
  uint16_t begin, end, ellipsis, new_axis, shrink;
  uint16_t offset;  // not a mask: ends are counted from begin
} masks;

// What a slice that is only known at run time needs to know of the tensors.
typedef struct late_slice {
  uint32_t in_row_bytes, out_row_bytes, out_rows;
  uint8_t element, rank, out_rank, entries;
  uint8_t types[3];  // of the index inputs
  uint8_t spare;
  masks masks;
  int32_t dims[ARN_MAX_RANK];      // of the input
  int32_t out_dims[ARN_MAX_RANK];  // of the output
} late_slice;

typedef struct slice_state {
  uint32_t late;  // 0: nest
  union {
    arn__nest nest;
    late_slice late;
  } is;
} slice_state;

// Builds the nest of a slice.
static arn__nest_plan build(arn__nest_plan plan, const int32_t *dims, uint32_t rank,
                            const window *windows) {
  int32_t stride = (int32_t)plan.inner_bytes;
  for (uint32_t i = rank; i-- > 0;) {
    if (windows[i].count > 0) plan.nest->start += windows[i].start * stride;
    arn__nest_wrap(&plan, (uint32_t)windows[i].count, windows[i].step * stride);
    stride *= dims[i];
  }
  return plan;
}

// ---- begin and size -----------------------------------------------------------------------------

// The two (SLICE) or three (STRIDED_SLICE) index inputs.
typedef struct indices {
  const void *data[3];
  uint8_t types[3];
} indices;

static int32_t index_of(const indices *ix, uint32_t which, uint32_t i) {
  return arn__index_at(ix->data[which], ix->types[which], i);
}

// Works the windows of a SLICE out; false where they are not inside the input.
static bool slice_windows(const indices *ix, const int32_t *dims, uint32_t rank, window *windows) {
  for (uint32_t i = 0; i < rank; i++) {
    const int32_t begin = index_of(ix, 0, i);
    int32_t size = index_of(ix, 1, i);
    if (begin < 0 || begin > dims[i]) return false;
    if (size == -1) size = dims[i] - begin;
    if (size < 0 || size > dims[i] - begin) return false;
    windows[i] = (window){begin, 1, size};
  }
  return true;
}

// ---- begin, end, strides, and masks -------------------------------------------------------------

static int32_t clamp_index(int64_t index, int32_t dim, int32_t step) {
  if (index < 0) index += dim;
  const int32_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
  if (index < low) return low;
  return index > high ? high : (int32_t)index;
}

// Entry `i` of begin, end, strides, on a dimension; false where there is no such element.
static bool strided_window(const indices *ix, const masks *m, uint32_t i, int32_t dim, window *w) {
  const int32_t step = index_of(ix, 2, i);
  const bool shrink = m->shrink >> i & 1;
  if (step == 0 || step == INT32_MIN) return false;
  int32_t start = clamp_index(index_of(ix, 0, i), dim, step);
  if (m->begin >> i & 1) start = step > 0 ? 0 : dim - 1;
  *w = (window){start, 1, 1};
  if (shrink) return step > 0 && start < dim;
  int64_t stop = index_of(ix, 1, i);
  if (m->offset) stop += start;
  int32_t end = clamp_index(stop, dim, step);
  if (m->end >> i & 1) end = step > 0 ? dim : -1;
  const int32_t distance = step > 0 ? end - start : start - end;
  const int32_t stride = step > 0 ? step : -step;
  w->count = distance > 0 ? (distance - 1) / stride + 1 : 0;
  if (w->count > 1) w->step = step;  // else it may be huge
  return true;
}

// Where the walk over entries and dimensions is.
typedef struct walk {
  uint32_t entry, dim, out;
} walk;

// The next output dimension must be `count`.
static bool takes_dim(walk *w, const late_slice *s, int32_t count) {
  return w->out < s->out_rank && s->out_dims[w->out++] == count;
}

// Input dimensions that the ellipsis at entry `at` stands for.
static uint32_t ellipsis_length(const late_slice *s, uint32_t at) {
  uint32_t others = 0;
  for (uint32_t i = 0; i < s->entries; i++) others += i != at && !(s->masks.new_axis >> i & 1);
  return others < s->rank ? s->rank - others : 0;
}

static bool take_whole_dims(walk *w, const late_slice *s, uint32_t count, window *windows) {
  for (uint32_t i = 0; i < count; i++, w->dim++) {
    windows[w->dim] = (window){0, 1, s->dims[w->dim]};
    if (!takes_dim(w, s, s->dims[w->dim])) return false;
  }
  return true;
}

static bool take_entry(walk *w, const late_slice *s, const indices *ix, window *windows) {
  const masks *m = &s->masks;
  const uint32_t i = w->entry;
  if (m->ellipsis >> i & 1) return take_whole_dims(w, s, ellipsis_length(s, i), windows);
  if (m->new_axis >> i & 1) return takes_dim(w, s, 1);
  if (w->dim >= s->rank) return false;
  window *taken = &windows[w->dim];
  if (!strided_window(ix, m, i, s->dims[w->dim++], taken)) return false;
  return m->shrink >> i & 1 || takes_dim(w, s, taken->count);
}

// Works the windows of a STRIDED_SLICE out; false where they do not fit input and output.
static bool strided_windows(const late_slice *s, const indices *ix, window *windows) {
  walk w = {0, 0, 0};
  for (; w.entry < s->entries; w.entry++) {
    if (!take_entry(&w, s, ix, windows)) return false;
  }
  return take_whole_dims(&w, s, s->rank - w.dim, windows) && w.out == s->out_rank;
}

// ---- prepare ------------------------------------------------------------------------------------

// Reads index input `1 + which`, a vector. All of them have as many entries.
static arn_status read_index(const arn_prepare *p, uint32_t which, indices *ix, uint32_t *entries) {
  arn__index index;
  ARN__TRY(arn__movement_index(p, 1 + which, &index));
  if (which > 0 && index.count != *entries) return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
  *entries = index.count;
  ix->data[which] = index.data;
  ix->types[which] = index.type;
  return ARN_OK;
}

static void describe(late_slice *s, const arn_tensor *in, const arn_tensor *out, uint32_t entries) {
  s->in_row_bytes = arn__rows_bytes(in);
  s->out_rows = arn__movement_rows(out);
  s->out_row_bytes = out->bytes / s->out_rows;
  s->element = (uint8_t)arn_type_bytes((arn_type)in->type);
  s->rank = in->rank;
  s->out_rank = out->rank;
  s->entries = (uint8_t)entries;
  memcpy(s->dims, in->dims, sizeof s->dims);
  memcpy(s->out_dims, out->dims, sizeof s->out_dims);
}

// The state of a slice that is only known at run time.
static arn_status prepare_late(arn_prepare *p, slice_state *state, const late_slice *s,
                               const arn_tensor *out) {
  state->late = 1;
  state->is.late = *s;
  arn__movement_by_rows(p, out);
  return ARN_OK;
}

static arn_status prepare_nest(arn_prepare *p, slice_state *state, const arn_tensor *in,
                               const arn_tensor *out, const window *windows) {
  arn__nest *nest = &state->is.nest;
  const arn__nest_plan plan =
      build(arn__nest_begin(nest, in, out), in->dims, in->rank, windows);
  ARN__TRY(arn__nest_finish(p, &plan, out));
  p->state_bytes = (uint32_t)offsetof(slice_state, is) + arn__nest_bytes(nest);
  return ARN_OK;
}

static arn_status slice_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  indices ix = {{NULL}, {0}};
  window windows[ARN_MAX_RANK];
  uint32_t entries = 0;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  for (uint32_t i = 0; i < 2; i++) ARN__TRY(read_index(p, i, &ix, &entries));
  if (entries != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  if (ix.data[0] == NULL || ix.data[1] == NULL) {
    late_slice s = {.types = {ix.types[0], ix.types[1], 0}};
    if (out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    describe(&s, &in, &out, entries);
    return prepare_late(p, state, &s, &out);
  }
  if (!slice_windows(&ix, in.dims, in.rank, windows)) {
    return arn_refuse_model(p, ARN_WHAT_INDEX, &in);
  }
  return prepare_nest(p, state, &in, &out, windows);
}

static masks read_masks(const arn_prepare *p) {
  masks m;
  m.begin = (uint16_t)arn_option_i32(p, 0, 0);
  m.end = (uint16_t)arn_option_i32(p, 1, 0);
  m.ellipsis = (uint16_t)arn_option_i32(p, 2, 0);
  m.new_axis = (uint16_t)arn_option_i32(p, 3, 0);
  m.shrink = (uint16_t)arn_option_i32(p, 4, 0);
  m.offset = arn_option_u8(p, 5, 0) != 0;
  // An ellipsis is nothing else; a new axis is not shrunk.
  m.new_axis &= (uint16_t)~m.ellipsis;
  m.shrink &= (uint16_t)~(m.ellipsis | m.new_axis);
  return m;
}

static arn_status strided_slice_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  indices ix = {{NULL}, {0}};
  window windows[ARN_MAX_RANK];
  uint32_t entries = 0;
  ARN__TRY(arn_prepare_counts(p, 4, 4, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  for (uint32_t i = 0; i < 3; i++) ARN__TRY(read_index(p, i, &ix, &entries));
  if (entries > 16) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  late_slice s = {.types = {ix.types[0], ix.types[1], ix.types[2]}, .masks = read_masks(p)};
  if (s.masks.ellipsis & (s.masks.ellipsis - 1)) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  describe(&s, &in, &out, entries);
  if (!ix.data[0] || !ix.data[1] || !ix.data[2]) return prepare_late(p, state, &s, &out);
  if (!strided_windows(&s, &ix, windows)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  return prepare_nest(p, state, &in, &out, windows);
}

// ---- rows and eval ------------------------------------------------------------------------------

// A slice that is only known at run time may read any row.
static void slice_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const slice_state *s = state;
  if (!s->late) {
    arn__nest_rows(&s->is.nest, input, out, in);
  } else if (!arn__movement_is_index(input, in)) {
    uint32_t bytes = s->is.late.element;
    for (uint32_t i = 0; i < s->is.late.rank; i++) bytes *= (uint32_t)s->is.late.dims[i];
    *in = arn__movement_span(0, bytes, s->is.late.in_row_bytes);
  }
}

static void read_late(const arn_eval *e, const late_slice *s, uint32_t count, indices *ix) {
  for (uint32_t i = 0; i < count; i++) {
    ix->data[i] = arn_eval_in(e, 1 + i);
    ix->types[i] = s->types[i];
  }
}

static arn_status run_late(const arn_eval *e, const late_slice *s, const window *windows) {
  arn__nest nest;
  const arn__nest_plan plan =
      build(arn__nest_open(&nest, s->element, s->in_row_bytes, s->out_row_bytes), s->dims, s->rank,
            windows);
  if (plan.full || !arn__nest_close(&plan, s->out_rows)) {
    return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, 0, 0);
  }
  arn__nest_run(&nest, e, 0);
  return ARN_OK;
}

static arn_status slice_eval(const arn_eval *e, const void *state) {
  const slice_state *s = state;
  const late_slice *late = &s->is.late;
  window windows[ARN_MAX_RANK];
  indices ix;
  if (!s->late) return arn__nest_eval(e, &s->is.nest);
  read_late(e, late, 2, &ix);
  bool fits = slice_windows(&ix, late->dims, late->rank, windows);
  for (uint32_t i = 0; i < late->rank && fits; i++) fits = windows[i].count == late->out_dims[i];
  return fits ? run_late(e, late, windows) : arn_eval_fail(e, ARN_WHAT_DATA_INDEX, 0, 0);
}

static arn_status strided_slice_eval(const arn_eval *e, const void *state) {
  const slice_state *s = state;
  window windows[ARN_MAX_RANK];
  indices ix;
  if (!s->late) return arn__nest_eval(e, &s->is.nest);
  read_late(e, &s->is.late, 3, &ix);
  if (!strided_windows(&s->is.late, &ix, windows)) {
    return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, 0, 0);
  }
  return run_late(e, &s->is.late, windows);
}

const arn_op arn_op_slice = {"SLICE", 65, sizeof(slice_state), ARN__MOVEMENT_TYPES, 0, NULL,
                             slice_prepare, slice_rows, slice_eval};
const arn_op arn_op_strided_slice = {"STRIDED_SLICE", 45, sizeof(slice_state),
                                     ARN__MOVEMENT_TYPES, 0, NULL,
                                     strided_slice_prepare, slice_rows, strided_slice_eval};
