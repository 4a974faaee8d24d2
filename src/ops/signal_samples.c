// SignalWindow, SignalFftAutoScale, SignalEnergy (custom): what stands around the Fourier transform
// of an audio front end.
#include "../kernels/signal.h"
#include "signal.h"

// ---- SignalWindow -------------------------------------------------------------------------------
//
// Samples in [..., n * size], a window [size]: products, shifted right and clamped.

typedef struct window_state {
  uint32_t size, windows;  // of a row
  uint32_t shift;
} window_state;

static arn_status prepare_window(arn_prepare *p, void *state) {
  window_state *s = state;
  arn_tensor in, window, out;
  int32_t shift;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__signal_input(p, 0, ARN_INT16, ARN__SIGNAL_ANY_RANK, &in));
  ARN__TRY(arn__signal_input(p, 1, ARN_INT16, 1, &window));
  ARN__TRY(arn__signal_output(p, 0, ARN_INT16, in.rank, &out));
  ARN__TRY(arn__signal_option(p, "shift", 0, 31, &shift));
  if (in.rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, &in);
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  if (window.count == 0 || in.count % window.count != 0) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &window);
  }
  const arn__rows_shape rows = arn__rows_of(&out);
  const bool by_rows = rows.row_count % window.count == 0;
  if (by_rows) arn__movement_by_rows(p, &out);
  p->in_place = 1;
  s->size = window.count;
  s->windows = in.count / window.count / (by_rows ? p->rows : 1);
  s->shift = (uint32_t)shift;
  return ARN_OK;
}

static arn_status eval_window(const arn_eval *e, const void *state) {
  const window_state *s = state;
  const uint32_t bytes = s->windows * s->size * 2;
  const arn_rows in = arn_eval_input(e, 0, bytes), out = arn_eval_output(e, 0, bytes);
  const int16_t *window = arn_eval_in(e, 1);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    for (uint32_t i = 0; i < s->windows; i++) {
      const uint32_t at = i * s->size * 2;
      arn__signal_window_s16((void *)(arn_row(&out, r) + at), (void *)(arn_row(&in, r) + at),
                             window, s->size, s->shift);
    }
  }
  return ARN_OK;
}

const arn_op arn_op_signal_window = {
    .name = "SignalWindow",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(window_state),
    .types = ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_window,
    .rows = arn__signal_rows,
    .eval = eval_window,
};

// ---- SignalFftAutoScale -------------------------------------------------------------------------
//
// Samples [n], shifted left as far as none overflows; and by how much.

typedef struct scale_state {
  uint32_t count;
} scale_state;

static arn_status prepare_scale(arn_prepare *p, void *state) {
  scale_state *s = state;
  arn_tensor in, out, bits;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 2));
  ARN__TRY(arn__signal_input(p, 0, ARN_INT16, 1, &in));
  ARN__TRY(arn__signal_output(p, 0, ARN_INT16, 1, &out));
  ARN__TRY(arn__signal_output(p, 1, ARN_INT32, 0, &bits));
  if (in.count != out.count) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  p->work = ARN_WHOLE;
  p->in_place = 1;
  s->count = in.count;
  return ARN_OK;
}

static arn_status eval_scale(const arn_eval *e, const void *state) {
  const scale_state *s = state;
  const int16_t *in = arn_eval_in(e, 0);
  int32_t *bits = arn_eval_out(e, 1);
  const uint32_t magnitude = arn__signal_magnitude_s16(in, s->count);
  uint32_t shift = 0;
  while (magnitude > 0 && magnitude << (shift + 1) <= INT16_MAX) shift++;
  arn__signal_shift_s16(arn_eval_out(e, 0), in, s->count, shift);
  if (bits) *bits = (int32_t)shift;
  return ARN_OK;
}

const arn_op arn_op_signal_fft_auto_scale = {
    .name = "SignalFftAutoScale",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(scale_state),
    .types = ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_scale,
    .eval = eval_scale,
};

// ---- SignalEnergy -------------------------------------------------------------------------------
//
// Complex points [2 n], their energies [n] within [start_index, end_index); zero elsewhere.

typedef struct energy_state {
  uint32_t first, count, rest;  // rest: outputs behind the energies
} energy_state;

static arn_status prepare_energy(arn_prepare *p, void *state) {
  energy_state *s = state;
  arn_tensor in, out;
  int32_t start, end;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__signal_input(p, 0, ARN_INT16, 1, &in));
  ARN__TRY(arn__signal_output(p, 0, ARN_UINT32, 1, &out));
  ARN__TRY(arn__signal_option(p, "start_index", 0, INT32_MAX, &start));
  ARN__TRY(arn__signal_option(p, "end_index", 0, INT32_MAX, &end));
  if (end < start) end = start;
  if ((uint32_t)end > in.count / 2) return arn_refuse_model(p, ARN_WHAT_OPTION, &in);
  if ((uint32_t)end > out.count) return arn_refuse_model(p, ARN_WHAT_OPTION, &out);
  p->work = ARN_WHOLE;
  p->in_place = out.bytes <= in.bytes;
  s->first = (uint32_t)start;
  s->count = (uint32_t)(end - start);
  s->rest = out.count - (uint32_t)end;
  return ARN_OK;
}

static arn_status eval_energy(const arn_eval *e, const void *state) {
  const energy_state *s = state;
  const int16_t *in = arn_eval_in(e, 0);
  uint32_t *out = arn_eval_out(e, 0);
  if (s->first + s->count + s->rest == 0) return ARN_OK;
  memset(out, 0, s->first * sizeof *out);
  arn__signal_energy_s16(out + s->first, in + 2 * s->first, s->count);
  memset(out + s->first + s->count, 0, s->rest * sizeof *out);
  return ARN_OK;
}

const arn_op arn_op_signal_energy = {
    .name = "SignalEnergy",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(energy_state),
    .types = ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_energy,
    .eval = eval_energy,
};
