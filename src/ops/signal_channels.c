// SignalFilterBank, SignalFilterBankSquareRoot, SignalFilterBankSpectralSubtraction, SignalPCAN,
// SignalFilterBankLog (custom): from the energies of a spectrum to the logarithms of its channels.
#include "../kernels/signal.h"
#include "signal.h"

// Reads an input or output whose elements correspond to those of `like`.
static arn_status channels_input(const arn_prepare *p, uint32_t i, uint32_t type,
                                 const arn_tensor *like) {
  arn_tensor t;
  ARN__TRY(arn__signal_input(p, i, type, 1, &t));
  return t.count == like->count ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
}

static arn_status channels_output(const arn_prepare *p, uint32_t i, uint32_t type,
                                  const arn_tensor *like) {
  arn_tensor t;
  ARN__TRY(arn__signal_output(p, i, type, 1, &t));
  return t.count == like->count ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
}

// ---- SignalFilterBank ---------------------------------------------------------------------------

enum { IN_ENERGY, IN_WEIGHTS, IN_UNWEIGHTS, IN_ENERGY_STARTS, IN_WEIGHT_STARTS, IN_WIDTHS };

typedef struct filter_state {
  uint32_t channels;
  uint32_t energies, weights;  // how many there are
  uint32_t unchecked;          // the indices are only known at run time
} filter_state;

// Says whether all indices stay inside their arrays. A width below 1 takes nothing.
static bool inside(const filter_state *s, const arn__signal_filters *f) {
  for (uint32_t c = 0; c <= s->channels; c++) {
    const int32_t energy = f->energy_starts[c], weight = f->weight_starts[c], width = f->widths[c];
    if (width <= 0) continue;
    if (energy < 0 || (uint32_t)(energy + width) > s->energies) return false;
    if (weight < 0 || (uint32_t)(weight + width) > s->weights) return false;
  }
  return true;
}

static arn_status prepare_indices(const arn_prepare *p, filter_state *s) {
  const void *data[3];
  for (uint32_t i = 0; i < 3; i++) {
    arn_tensor t;
    ARN__TRY(arn__signal_input(p, IN_ENERGY_STARTS + i, ARN_INT16, 1, &t));
    if (t.count <= s->channels) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
    data[i] = arn_tensor_data(p->model, &t);
  }
  const arn__signal_filters f = {NULL, NULL, data[0], data[1], data[2], s->channels};
  s->unchecked = data[0] == NULL || data[1] == NULL || data[2] == NULL;
  if (!s->unchecked && !inside(s, &f)) return arn_refuse_model(p, ARN_WHAT_INDEX, NULL);
  return ARN_OK;
}

static arn_status prepare_filters(arn_prepare *p, void *state) {
  filter_state *s = state;
  arn_tensor energy, weights, unweights, out;
  int32_t channels;
  ARN__TRY(arn_prepare_counts(p, 6, 6, 1));
  ARN__TRY(arn__signal_input(p, IN_ENERGY, ARN_UINT32, 1, &energy));
  ARN__TRY(arn__signal_input(p, IN_WEIGHTS, ARN_INT16, 1, &weights));
  ARN__TRY(arn__signal_input(p, IN_UNWEIGHTS, ARN_INT16, 1, &unweights));
  ARN__TRY(arn__signal_output(p, 0, ARN_UINT64, 1, &out));
  ARN__TRY(arn__signal_option(p, "num_channels", 1, INT16_MAX, &channels));
  if (out.count > (uint32_t)channels) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->channels = out.count;
  s->energies = energy.count;
  s->weights = weights.count < unweights.count ? weights.count : unweights.count;
  p->work = ARN_WHOLE;
  return prepare_indices(p, s);
}

static arn_status eval_filters(const arn_eval *e, const void *state) {
  const filter_state *s = state;
  const arn__signal_filters f = {arn_eval_in(e, IN_WEIGHTS),       arn_eval_in(e, IN_UNWEIGHTS),
                                 arn_eval_in(e, IN_ENERGY_STARTS), arn_eval_in(e, IN_WEIGHT_STARTS),
                                 arn_eval_in(e, IN_WIDTHS),        s->channels};
  if (s->unchecked && !inside(s, &f)) return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, 0, 0);
  arn__signal_filter_u32(arn_eval_out(e, 0), arn_eval_in(e, IN_ENERGY), &f);
  return ARN_OK;
}

const arn_op arn_op_signal_filter_bank = {
    .name = "SignalFilterBank",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(filter_state),
    .types = ARN_TYPE_BIT(ARN_UINT32),
    .prepare = prepare_filters,
    .eval = eval_filters,
};

// ---- SignalFilterBankSquareRoot -----------------------------------------------------------------

typedef struct count_state {
  uint32_t count;
} count_state;

static arn_status prepare_sqrt(arn_prepare *p, void *state) {
  count_state *s = state;
  arn_tensor in, bits;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__signal_input(p, 0, ARN_UINT64, 1, &in));
  ARN__TRY(arn__signal_input(p, 1, ARN_INT32, 0, &bits));
  ARN__TRY(channels_output(p, 0, ARN_UINT32, &in));
  p->work = ARN_WHOLE;
  p->in_place = 1;
  s->count = in.count;
  return ARN_OK;
}

static arn_status eval_sqrt(const arn_eval *e, const void *state) {
  const count_state *s = state;
  const int32_t shift = *(const int32_t *)arn_eval_in(e, 1);
  if (shift < 0 || shift > 31) return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 31, (uint32_t)shift);
  arn__signal_sqrt_u64(arn_eval_out(e, 0), arn_eval_in(e, 0), s->count, (uint32_t)shift);
  return ARN_OK;
}

const arn_op arn_op_signal_filter_bank_square_root = {
    .name = "SignalFilterBankSquareRoot",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(count_state),
    .types = ARN_TYPE_BIT(ARN_UINT64),
    .prepare = prepare_sqrt,
    .eval = eval_sqrt,
};

// ---- SignalFilterBankSpectralSubtraction --------------------------------------------------------
//
// The noise estimates of the channels are kept between invocations, and are output 1 too.

typedef struct denoise_state {
  uint32_t count;
  uint32_t smoothing[2], one_minus_smoothing[2];
  uint32_t least_left;
  uint8_t bits, smoothing_bits, clamp;
  uint8_t spare;
} denoise_state;

static arn_status denoise_options(const arn_prepare *p, denoise_state *s) {
  static const char *const names[] = {"smoothing",           "alternate_smoothing",
                                      "one_minus_smoothing", "alternate_one_minus_smoothing",
                                      "min_signal_remaining"};
  uint32_t *const targets[] = {&s->smoothing[0], &s->smoothing[1], &s->one_minus_smoothing[0],
                               &s->one_minus_smoothing[1], &s->least_left};
  int32_t value;
  for (uint32_t i = 0; i < 5; i++) {
    ARN__TRY(arn__signal_option(p, names[i], 0, INT32_MAX, &value));
    *targets[i] = (uint32_t)value;
  }
  ARN__TRY(arn__signal_option(p, "spectral_subtraction_bits", 0, 31, &value));
  s->bits = (uint8_t)value;
  ARN__TRY(arn__signal_option(p, "smoothing_bits", 0, 31, &value));
  s->smoothing_bits = (uint8_t)value;
  ARN__TRY(arn__signal_option(p, "clamping", 0, 1, &value));
  s->clamp = (uint8_t)value;
  return ARN_OK;
}

static arn_status prepare_denoise(arn_prepare *p, void *state) {
  denoise_state *s = state;
  arn_tensor in;
  int32_t channels;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 2));
  ARN__TRY(arn__signal_input(p, 0, ARN_UINT32, 1, &in));
  ARN__TRY(channels_output(p, 0, ARN_UINT32, &in));
  ARN__TRY(channels_output(p, 1, ARN_UINT32, &in));
  ARN__TRY(arn__signal_option(p, "num_channels", 0, INT32_MAX, &channels));
  if ((uint32_t)channels != in.count) return arn_refuse_model(p, ARN_WHAT_OPTION, &in);
  ARN__TRY(denoise_options(p, s));
  s->count = in.count;
  p->work = ARN_WHOLE;
  p->in_place = 1;
  return arn__signal_keep(p, 0, in.count, sizeof(uint32_t));
}

static arn_status eval_denoise(const arn_eval *e, const void *state) {
  const denoise_state *s = state;
  const arn__signal_denoise how = {
      .smoothing = {s->smoothing[0], s->smoothing[1]},
      .one_minus_smoothing = {s->one_minus_smoothing[0], s->one_minus_smoothing[1]},
      .least_left = s->least_left,
      .bits = s->bits,
      .smoothing_bits = s->smoothing_bits,
      .clamp = s->clamp != 0};
  void *noise = arn_eval_out(e, 1);
  arn__signal_denoise_u32(arn_eval_out(e, 0), e->persistent, arn_eval_in(e, 0), s->count, &how);
  if (noise && s->count > 0) memcpy(noise, e->persistent, s->count * sizeof(uint32_t));
  return ARN_OK;
}

const arn_op arn_op_signal_filter_bank_spectral_subtraction = {
    .name = "SignalFilterBankSpectralSubtraction",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(denoise_state),
    .types = ARN_TYPE_BIT(ARN_UINT32),
    .prepare = prepare_denoise,
    .eval = eval_denoise,
};

// ---- SignalPCAN ---------------------------------------------------------------------------------
//
// Channels, noise estimates, a table of gains. A shorter table than the largest estimate may need
// is taken: then each estimate is looked at before.

typedef struct gain_state {
  uint32_t count;
  uint32_t entries;
  uint32_t shift;
} gain_state;

static arn_status prepare_gain(arn_prepare *p, void *state) {
  gain_state *s = state;
  arn_tensor in, table;
  int32_t shift;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn__signal_input(p, 0, ARN_UINT32, 1, &in));
  ARN__TRY(channels_input(p, 1, ARN_UINT32, &in));
  ARN__TRY(arn__signal_input(p, 2, ARN_INT16, 1, &table));
  ARN__TRY(channels_output(p, 0, ARN_UINT32, &in));
  ARN__TRY(arn__signal_option(p, "snr_shift", 0, 63, &shift));
  p->work = ARN_WHOLE;
  p->in_place = 3;
  *s = (gain_state){in.count, table.count, (uint32_t)shift};
  return ARN_OK;
}

static arn_status eval_gain(const arn_eval *e, const void *state) {
  const gain_state *s = state;
  const uint32_t *noise = arn_eval_in(e, 1);
  const arn__signal_gain how = {arn_eval_in(e, 2), s->shift};
  if (s->entries < arn__signal_gain_entries(UINT32_MAX)) {
    for (uint32_t i = 0; i < s->count; i++) {
      const uint32_t need = arn__signal_gain_entries(noise[i]);
      if (need > s->entries) return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, need, s->entries);
    }
  }
  arn__signal_gain_u32(arn_eval_out(e, 0), arn_eval_in(e, 0), noise, s->count, &how);
  return ARN_OK;
}

const arn_op arn_op_signal_pcan = {
    .name = "SignalPCAN",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(gain_state),
    .types = ARN_TYPE_BIT(ARN_UINT32),
    .prepare = prepare_gain,
    .eval = eval_gain,
};

// ---- SignalFilterBankLog ------------------------------------------------------------------------

typedef struct log_state {
  uint32_t count;
  uint32_t scale, shift;
} log_state;

static arn_status prepare_log(arn_prepare *p, void *state) {
  log_state *s = state;
  arn_tensor in;
  int32_t scale, shift;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__signal_input(p, 0, ARN_UINT32, 1, &in));
  ARN__TRY(channels_output(p, 0, ARN_INT16, &in));
  ARN__TRY(arn__signal_option(p, "output_scale", INT32_MIN, INT32_MAX, &scale));
  ARN__TRY(arn__signal_option(p, "input_correction_bits", 0, 31, &shift));
  p->work = ARN_WHOLE;
  p->in_place = 1;
  *s = (log_state){in.count, (uint32_t)scale, (uint32_t)shift};
  return ARN_OK;
}

static arn_status eval_log(const arn_eval *e, const void *state) {
  const log_state *s = state;
  const arn__signal_log how = {s->scale, s->shift};
  arn__signal_log_u32(arn_eval_out(e, 0), arn_eval_in(e, 0), s->count, &how);
  return ARN_OK;
}

const arn_op arn_op_signal_filter_bank_log = {
    .name = "SignalFilterBankLog",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(log_state),
    .types = ARN_TYPE_BIT(ARN_UINT32),
    .prepare = prepare_log,
    .eval = eval_log,
};
