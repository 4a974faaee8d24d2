// SignalDelay, SignalFramer, SignalStacker, SignalOverlapAdd (custom): streams of samples or
// frames, of which a part is kept between invocations, in persistent memory that starts at zero.
#include "../kernels/elementwise.h"
#include "../kernels/signal.h"
#include "signal.h"

// Copies `count` samples from place `from` on of a sequence that is `kept` samples at `old` and
// then `in`.
static void copy_joined(int16_t *out, const int16_t *old, uint32_t kept, const int16_t *in,
                        uint32_t from, uint32_t count) {
  const uint32_t first = from < kept ? kept - from : 0;  // samples that are still old
  const uint32_t olds = first < count ? first : count;
  if (olds > 0) memmove(out, old + from, olds * sizeof *out);
  if (count > olds) {
    memcpy(out + olds, in + (from + olds - kept), (count - olds) * sizeof *out);
  }
}

// ---- SignalDelay --------------------------------------------------------------------------------
//
// Streams [..., size], each late by `delay_length` samples: a ring of as many samples a stream,
// where every sample is put in the place of the one that leaves.

typedef struct delay_state {
  uint32_t streams, size, delay;
} delay_state;

typedef struct delay_memory {
  uint32_t place;      // where the oldest sample is, in all rings
  int16_t rings[];     // [streams][delay]
} delay_memory;

static arn_status prepare_delay(arn_prepare *p, void *state) {
  delay_state *s = state;
  arn_tensor in, out;
  int32_t delay;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__signal_input(p, 0, ARN_INT16, ARN__SIGNAL_ANY_RANK, &in));
  ARN__TRY(arn__signal_output(p, 0, ARN_INT16, in.rank, &out));
  ARN__TRY(arn__signal_option(p, "delay_length", 0, INT32_MAX, &delay));
  if (in.rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, &in);
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->streams = arn__signal_outer(&in, 1);
  s->size = (uint32_t)in.dims[in.rank - 1];
  s->delay = (uint32_t)delay;
  p->work = ARN_WHOLE;
  p->in_place = 1;
  return arn__signal_keep(p, sizeof(delay_memory), (uint64_t)s->streams * s->delay,
                          sizeof(int16_t));
}

// What is in the ring goes out, what comes in takes its place. `out` may be `in`.
ARN__KERNEL static void exchange(int16_t *out, const int16_t *in, int16_t *ring, uint32_t n) {
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < n; i++) {
    const int16_t sample = in[i];
    out[i] = ring[i];
    ring[i] = sample;
  }
}

// Returns the place after `count` samples.
static uint32_t delay_stream(int16_t *out, const int16_t *in, int16_t *ring,
                             const delay_state *s, uint32_t place) {
  for (uint32_t i = 0; i < s->size;) {
    const uint32_t room = s->delay - place, left = s->size - i, n = left < room ? left : room;
    exchange(out + i, in + i, ring + place, n);
    i += n;
    place = n < room ? place + n : 0;
  }
  return place;
}

static arn_status eval_delay(const arn_eval *e, const void *state) {
  const delay_state *s = state;
  delay_memory *memory = e->persistent;
  const int16_t *in = arn_eval_in(e, 0);
  int16_t *out = arn_eval_out(e, 0);
  uint32_t place = memory->place;
  if (s->streams * s->size == 0) return ARN_OK;
  if (s->delay == 0) {
    memmove(out, in, s->streams * s->size * sizeof *out);
    return ARN_OK;
  }
  for (uint32_t i = 0; i < s->streams; i++) {
    place = delay_stream(out + i * s->size, in + i * s->size, memory->rings + i * s->delay, s,
                         memory->place);
  }
  memory->place = place;
  return ARN_OK;
}

const arn_op arn_op_signal_delay = {
    .name = "SignalDelay",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(delay_state),
    .types = ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_delay,
    .eval = eval_delay,
};

// ---- SignalFramer -------------------------------------------------------------------------------
//
// Streams [..., n * step] become frames [..., n, size] that begin `step` samples apart. The first
// ones wait for `size` samples, unless `prefill` puts zeros before. Output 1 says whether all
// frames are whole; those that are not have zeros where nothing has come yet.

typedef struct framer_state {
  uint32_t streams, frames, size, step;
  uint32_t kept;  // samples of a stream
  uint32_t wait;  // steps before the first whole frame
} framer_state;

typedef struct framer_memory {
  uint32_t steps;     // seen, up to `wait`
  int16_t samples[];  // [streams][kept]
} framer_memory;

static arn_status framer_shapes(const arn_prepare *p, framer_state *s, const arn_tensor *in,
                                const arn_tensor *out) {
  if (in->rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  const uint32_t samples = (uint32_t)in->dims[in->rank - 1];
  if (samples == 0 || samples % s->step != 0) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  s->streams = arn__signal_outer(in, 1);
  s->frames = samples / s->step;
  const bool fits = arn__signal_same_outer(in, out, 1) &&
                    (uint32_t)out->dims[out->rank - 2] == s->frames &&
                    (uint32_t)out->dims[out->rank - 1] == s->size;
  return fits ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, out);
}

static arn_status prepare_framer(arn_prepare *p, void *state) {
  framer_state *s = state;
  arn_tensor in, out, valid;
  int32_t size, step, prefill;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 2));
  ARN__TRY(arn__signal_input(p, 0, ARN_INT16, ARN__SIGNAL_ANY_RANK, &in));
  ARN__TRY(arn__signal_output(p, 0, ARN_INT16, in.rank + 1u, &out));
  ARN__TRY(arn__signal_output(p, 1, ARN_BOOL, 0, &valid));
  ARN__TRY(arn__signal_option(p, "frame_size", 1, 1 << 28, &size));
  ARN__TRY(arn__signal_option(p, "frame_step", 1, 1 << 28, &step));
  ARN__TRY(arn__signal_option(p, "prefill", 0, 1, &prefill));
  if (prefill && step > size) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  s->size = (uint32_t)size;
  s->step = (uint32_t)step;
  ARN__TRY(framer_shapes(p, s, &in, &out));
  s->wait = prefill ? 0 : (s->size - 1) / s->step;
  s->kept = prefill ? s->size - s->step : s->wait * s->step;
  p->work = ARN_WHOLE;
  return arn__signal_keep(p, sizeof(framer_memory), (uint64_t)s->streams * s->kept,
                          sizeof(int16_t));
}

static void frame_stream(int16_t *out, const int16_t *in, int16_t *old, const framer_state *s) {
  for (uint32_t f = 0; f < s->frames; f++) {
    copy_joined(out + f * s->size, old, s->kept, in, f * s->step, s->size);
  }
  copy_joined(old, old, s->kept, in, s->frames * s->step, s->kept);
}

static arn_status eval_framer(const arn_eval *e, const void *state) {
  const framer_state *s = state;
  framer_memory *memory = e->persistent;
  const int16_t *in = arn_eval_in(e, 0);
  int16_t *out = arn_eval_out(e, 0);
  uint8_t *valid = arn_eval_out(e, 1);
  for (uint32_t i = 0; i < s->streams; i++) {
    frame_stream(out + i * s->frames * s->size, in + i * s->frames * s->step,
                 memory->samples + i * s->kept, s);
  }
  if (valid) *valid = memory->steps >= s->wait;
  const uint32_t left = s->wait - memory->steps;
  memory->steps += s->frames < left ? s->frames : left;
  return ARN_OK;
}

const arn_op arn_op_signal_framer = {
    .name = "SignalFramer",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(framer_state),
    .types = ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_framer,
    .eval = eval_framer,
};

// ---- SignalStacker ------------------------------------------------------------------------------
//
// A stack is left + 1 + right frames [channels], made at every `step`-th frame; the first frame
// also stands for the left context that it has not. Output 1 says whether this frame completed a
// stack; if not, output 0 is the last one.

typedef struct stacker_state {
  uint32_t channels;
  uint32_t frames;  // of a stack
  uint32_t right, step;
} stacker_state;

typedef struct stacker_memory {
  uint32_t wait;     // frames until the next stack, this one included; 0 before the first frame
  uint32_t stacks : 1;  // 1 after the first stack
  uint32_t first : 31;  // frame of the ring where the last stack begins, or so far the last frames
  int16_t ring[];    // [frames + spare][channels]
} stacker_memory;

// Returns how many frames of the next stack are kept at most, beside the last stack.
static uint32_t spare_frames(const stacker_state *s) {
  return (s->step < s->frames ? s->step : s->frames) - 1;
}

static arn_status prepare_stacker(arn_prepare *p, void *state) {
  stacker_state *s = state;
  arn_tensor in, out, valid;
  int32_t channels, left, right, step;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 2));
  ARN__TRY(arn__signal_input(p, 0, ARN_INT16, 1, &in));
  ARN__TRY(arn__signal_output(p, 0, ARN_INT16, 1, &out));
  ARN__TRY(arn__signal_output(p, 1, ARN_BOOL, 0, &valid));
  ARN__TRY(arn__signal_option(p, "num_channels", 1, 1 << 28, &channels));
  ARN__TRY(arn__signal_option(p, "stacker_left_context", 0, INT16_MAX, &left));
  ARN__TRY(arn__signal_option(p, "stacker_right_context", 0, INT16_MAX, &right));
  ARN__TRY(arn__signal_option(p, "stacker_step", 1, INT32_MAX, &step));
  *s = (stacker_state){.channels = (uint32_t)channels, .frames = (uint32_t)(left + right + 1),
                       .right = (uint32_t)right, .step = (uint32_t)step};
  if (in.count != s->channels) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  if (out.count != (uint64_t)s->channels * s->frames) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  p->work = ARN_WHOLE;
  return arn__signal_keep(p, sizeof(stacker_memory),
                          (uint64_t)s->channels * (s->frames + spare_frames(s)), sizeof(int16_t));
}

// Puts a frame `behind` frames after the end of the stack, from where on the ring begins anew.
static void put_frame(stacker_memory *memory, const int16_t *in, const stacker_state *s,
                      uint32_t behind) {
  const uint32_t frames = s->frames + spare_frames(s), at = memory->first + s->frames + behind;
  const uint32_t place = at < frames ? at : at - frames;
  memcpy(memory->ring + (size_t)place * s->channels, in, s->channels * sizeof *in);
}

// Drops the oldest frames of the stack for as many behind it.
static void advance_stack(stacker_memory *memory, const stacker_state *s, uint32_t count) {
  const uint32_t frames = s->frames + spare_frames(s), at = memory->first + count;
  memory->first = (at < frames ? at : at - frames) & 0x7FFFFFFFu;
}

// Before the first stack, each frame moves it on; later, it moves by as many as have been kept.
static void take_frame(stacker_memory *memory, const int16_t *in, const stacker_state *s) {
  const uint32_t spare = spare_frames(s);
  if (memory->stacks == 0) {
    put_frame(memory, in, s, 0);
    advance_stack(memory, s, 1);
  } else if (memory->wait <= spare) {
    put_frame(memory, in, s, spare - memory->wait);
    if (memory->wait == 0) advance_stack(memory, s, spare + 1);
  }
}

static void begin_stack(stacker_memory *memory, const int16_t *in, const stacker_state *s) {
  for (uint32_t i = 0; i < s->frames; i++) {
    memcpy(memory->ring + (size_t)i * s->channels, in, s->channels * sizeof *in);
  }
  memory->wait = s->right + 1;
}

static void write_stack(int16_t *out, const stacker_memory *memory, const stacker_state *s) {
  const uint32_t left = s->frames + spare_frames(s) - memory->first;  // up to the ring's end
  const uint32_t frames = s->frames < left ? s->frames : left;
  const size_t samples = (size_t)frames * s->channels;
  arn__move_many(out, memory->ring + (size_t)memory->first * s->channels, samples * sizeof *out);
  arn__move_many(out + samples, memory->ring,
                 (s->frames - frames) * s->channels * sizeof *out);
}

static arn_status eval_stacker(const arn_eval *e, const void *state) {
  const stacker_state *s = state;
  stacker_memory *memory = e->persistent;
  const int16_t *in = arn_eval_in(e, 0);
  uint8_t *valid = arn_eval_out(e, 1);
  if (memory->wait == 0) begin_stack(memory, in, s);
  const bool ready = --memory->wait == 0;
  take_frame(memory, in, s);
  if (ready) {
    memory->wait = s->step;
    memory->stacks = 1;
  }
  if (valid) *valid = ready;
  write_stack(arn_eval_out(e, 0), memory, s);
  return ARN_OK;
}

const arn_op arn_op_signal_stacker = {
    .name = "SignalStacker",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(stacker_state),
    .types = ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_stacker,
    .eval = eval_stacker,
};

// ---- SignalOverlapAdd ---------------------------------------------------------------------------
//
// Frames [..., n, size] that begin `frame_step` samples apart become streams [..., n * frame_step].
// What the last frame leaves over is kept.

typedef struct overlap_state {
  uint32_t streams, frames, size, step;
  uint32_t type;
} overlap_state;

static arn_status prepare_overlap(arn_prepare *p, void *state) {
  overlap_state *s = state;
  arn_tensor in, out;
  int32_t step;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__signal_pair(p, &in, &out));
  if (in.rank < 2) return arn_refuse_model(p, ARN_WHAT_RANK, &in);
  if (out.rank + 1 != in.rank) return arn_refuse_model(p, ARN_WHAT_RANK, &out);
  *s = (overlap_state){.streams = arn__signal_outer(&in, 2),
                       .frames = (uint32_t)in.dims[in.rank - 2],
                       .size = (uint32_t)in.dims[in.rank - 1],
                       .type = in.type};
  ARN__TRY(arn__signal_option(p, "frame_step", 1, in.dims[in.rank - 1], &step));
  s->step = (uint32_t)step;
  const bool fits = arn__signal_same_outer(&out, &in, 1) &&
                    (uint64_t)out.dims[out.rank - 1] == (uint64_t)s->frames * s->step;
  if (!fits) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  p->work = ARN_WHOLE;
  p->in_place = 1;
  return arn__signal_keep(p, 0, (uint64_t)s->streams * (s->size - s->step),
                          arn_type_bytes((arn_type)in.type));
}

static arn_status eval_overlap(const arn_eval *e, const void *state) {
  const overlap_state *s = state;
  const arn__signal_overlap how = {s->size, s->step};
  const uint32_t kept = s->size - s->step;
  const uint32_t bytes = s->type == ARN_INT16 ? sizeof(int16_t) : sizeof(float);
  uint8_t *held = e->persistent;  // NULL where frames do not overlap
  for (uint32_t i = 0; i < s->streams * s->frames; i++) {
    const uint32_t out = i * s->step, in = i * s->size, over = i / s->frames * kept;
    void *tail = held ? held + over * bytes : NULL;
    if (s->type == ARN_INT16) {
      arn__signal_overlap_s16((int16_t *)arn_eval_out(e, 0) + out, tail,
                              (const int16_t *)arn_eval_in(e, 0) + in, &how);
    } else {
      arn__signal_overlap_f32((float *)arn_eval_out(e, 0) + out, tail,
                              (const float *)arn_eval_in(e, 0) + in, &how);
    }
  }
  return ARN_OK;
}

const arn_op arn_op_signal_overlap_add = {
    .name = "SignalOverlapAdd",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(overlap_state),
    .types = ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_overlap,
    .eval = eval_overlap,
};
