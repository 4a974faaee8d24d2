// REVERSE_V2: the order of elements reversed along some axes. REVERSE_SEQUENCE: along one axis, the
// first elements only, as many as each batch entry's length says.
#include "nest.h"

// ---- REVERSE_V2 ---------------------------------------------------------------------------------

// Reads the axes as bits.
static arn_status read_axes(const arn_prepare *p, const arn_tensor *in, uint32_t *axes) {
  arn__index index;
  uint32_t axis;
  *axes = 0;
  ARN__TRY(arn__movement_index(p, 1, &index));
  if (index.count > in->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  if (index.data == NULL && index.count > 0) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, NULL);
  for (uint32_t i = 0; i < index.count; i++) {
    ARN__TRY(arn__movement_axis(p, arn__index_at(index.data, index.type, i), in->rank, &axis));
    if (*axes >> axis & 1u) return arn_refuse_model(p, ARN_WHAT_AXIS, in);
    *axes |= 1u << axis;
  }
  return ARN_OK;
}

static arn_status reverse_v2_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  uint32_t axes;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(read_axes(p, &in, &axes));
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  int32_t stride = (int32_t)plan.inner_bytes;
  for (uint32_t i = in.rank; i-- > 0;) {
    const bool reversed = axes >> i & 1u;
    if (reversed && in.count > 0) plan.nest->start += (in.dims[i] - 1) * stride;
    arn__nest_wrap(&plan, (uint32_t)in.dims[i], reversed ? -stride : stride);
    stride *= in.dims[i];
  }
  return arn__nest_finish(p, &plan, &out);
}

const arn_op arn_op_reverse_v2 = {"REVERSE_V2", 105, sizeof(arn__nest), ARN__MOVEMENT_TYPES, 0,
                                  NULL, reverse_v2_prepare, arn__nest_rows, arn__nest_eval};

// ---- REVERSE_SEQUENCE ---------------------------------------------------------------------------

// The tensor as [outer][first][middle][second][run bytes]; first and second are the sequence's and
// the batch's axis, in whichever order they come.
typedef struct sequence_state {
  uint32_t outer, first, middle, second, run;
  uint8_t sequence_first;
  uint8_t lengths_type;
  uint16_t spare;
} sequence_state;

static arn_status reverse_sequence_prepare(arn_prepare *p, void *state) {
  sequence_state *s = state;
  arn_tensor in, out;
  arn__index lengths;
  uint32_t sequence, batch;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_index(p, 1, &lengths));
  ARN__TRY(arn__movement_axis(p, arn_option_i32(p, 0, 0), in.rank, &sequence));
  ARN__TRY(arn__movement_axis(p, arn_option_i32(p, 1, 0), in.rank, &batch));
  if (sequence == batch) return arn_refuse_model(p, ARN_WHAT_AXIS, &in);
  if (!arn__rows_same_shape(&in, &out) || (int64_t)lengths.count != in.dims[batch]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  const uint32_t low = sequence < batch ? sequence : batch;
  const uint32_t high = sequence < batch ? batch : sequence;
  s->outer = arn__movement_product(&in, 0, low);
  s->first = (uint32_t)in.dims[low];
  s->middle = arn__movement_product(&in, low + 1, high);
  s->second = (uint32_t)in.dims[high];
  s->run = arn__movement_product(&in, high + 1, in.rank) * arn_type_bytes((arn_type)in.type);
  s->sequence_first = sequence < batch;
  s->lengths_type = lengths.type;
  return ARN_OK;
}

static bool lengths_fit(const sequence_state *s, const void *lengths) {
  const uint32_t batches = s->sequence_first ? s->second : s->first;
  const uint32_t most = s->sequence_first ? s->first : s->second;
  for (uint32_t i = 0; i < batches; i++) {
    const int32_t length = arn__index_at(lengths, s->lengths_type, i);
    if (length < 0 || (uint32_t)length > most) return false;
  }
  return true;
}

// Copies the runs of one place in `outer` and `first`.
static void reverse_plane(const sequence_state *s, const void *lengths, uint32_t i,
                          uint8_t *target, const uint8_t *source) {
  const uint32_t plane = s->middle * s->second * s->run;
  for (uint32_t k = 0; k < s->second; k++) {
    const uint32_t at = s->sequence_first ? i : k;
    const uint32_t length =
        (uint32_t)arn__index_at(lengths, s->lengths_type, s->sequence_first ? k : i);
    const uint32_t from = at < length ? length - 1 - at : at;
    const uint8_t *plane_source = source + (s->sequence_first ? from : i) * plane;
    const uint32_t from_second = s->sequence_first ? k : from;
    for (uint32_t m = 0; m < s->middle; m++) {
      memcpy(target + i * plane + (m * s->second + k) * s->run,
             plane_source + (m * s->second + from_second) * s->run, s->run);
    }
  }
}

static arn_status reverse_sequence_eval(const arn_eval *e, const void *state) {
  const sequence_state *s = state;
  const uint32_t bytes = s->first * s->middle * s->second * s->run;
  const uint8_t *source = arn_eval_in(e, 0);
  const void *lengths = arn_eval_in(e, 1);
  uint8_t *target = arn_eval_out(e, 0);
  if (!lengths_fit(s, lengths)) return arn_eval_fail(e, ARN_WHAT_DATA_INDEX, 0, 0);
  for (uint32_t o = 0; o < s->outer; o++) {
    for (uint32_t i = 0; i < s->first; i++) {
      reverse_plane(s, lengths, i, target + o * bytes, source + o * bytes);
    }
  }
  return ARN_OK;
}

const arn_op arn_op_reverse_sequence = {"REVERSE_SEQUENCE", 112, sizeof(sequence_state),
                                        ARN__MOVEMENT_TYPES, 0, NULL,
                                        reverse_sequence_prepare, NULL, reverse_sequence_eval};
