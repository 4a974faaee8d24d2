// TFLM_DECODE: constants that a compressing converter packed, unpacked at run time.
//
// Inputs come in pairs, one for each output: packed data and "ancillary" data; both are constants.
// The ancillary data start with 16 bytes of metadata (byte 0: kind; 1: version; from 4 on, by
// kind), then tables. All bit streams run from the top bit of each byte downwards.
//   lookup   (0)  byte 4 version, 5 index width 1..7, 6 table stride; a table of values a channel
//   Huffman  (1)  byte 4 version, 5 bit 0: 32-bit table entries, top 4 bits: log2 of the
//                 first table - 1
//   pruned   (2)  byte 4 version; a bit an element says whether it is the next value or the
//                 zero point
// What the packed data say is checked when it is unpacked: a bad index is ERR_DATA.
#include <string.h>

#include "arenite/ops.h"

#define METADATA_BYTES 16u
#define MAX_OUTPUTS 10u

enum { KIND_LOOKUP = 0, KIND_HUFFMAN = 1, KIND_PRUNED = 2 };
enum { CHANNELS_LAST = 1, INT8_ZEROS = 2 };

// How one output is unpacked.
struct unpacking {
  uint32_t count;          // elements
  uint32_t data_bytes, ancillary_bytes;
  uint32_t zeros_at;       // of the output's zero points in the file, 64 bits each
  uint16_t channels;
  uint8_t element, flags;
};

struct decode_state {
  uint32_t outputs;
  struct unpacking of[MAX_OUTPUTS];
};

// ---- preparing ----------------------------------------------------------------------------------

static const uint8_t *constant_input(const arn_prepare *p, uint32_t i, arn_tensor *t,
                                     arn_status *status) {
  *status = arn_prepare_input(p, i, t);
  if (*status != ARN_OK) return NULL;
  const uint8_t *data = arn_tensor_data(p->model, t);
  if (data == NULL) *status = arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, t);
  return data;
}

static arn_status check_type(const arn_prepare *p, const arn_tensor *out, uint32_t kind) {
  const uint32_t wide =
      ARN_TYPE_BIT(ARN_BOOL) | ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) |
                        ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64);
  const uint32_t narrow = ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16);
  const uint32_t allowed = kind == KIND_HUFFMAN ? narrow : wide;
  return out->type < 32 && (allowed >> out->type & 1) ? ARN_OK : arn_refuse(p, ARN_WHAT_TYPE, out);
}

// Channels run along the first or the last axis of the output.
static arn_status read_channels(const arn_prepare *p, const arn_tensor *out, struct unpacking *u) {
  u->channels = 1;
  if (out->scale_count == 0) return ARN_OK;
  if (out->scale_count > UINT16_MAX || out->count % out->scale_count != 0) {
    return arn_refuse_model(p, ARN_WHAT_QUANTISATION, out);
  }
  u->channels = (uint16_t)out->scale_count;
  if (u->channels > 1 && out->quantised_axis == out->rank - 1) {
    u->flags |= CHANNELS_LAST;
  } else if (out->quantised_axis != 0) {
    return arn_refuse(p, ARN_WHAT_AXIS, out);
  }
  return ARN_OK;
}

static arn_status read_zeros(const arn_prepare *p, const arn_tensor *out, struct unpacking *u) {
  if (out->zero_count == 0) return ARN_OK;
  if (out->type == ARN_INT8) {
    if (u->channels > 1 && out->zero_count != u->channels) {
      return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, out);
    }
    u->zeros_at = out->zeros_at;
    u->flags |= INT8_ZEROS;
    return ARN_OK;
  }
  return arn_tensor_zero(p->model, out, 0) == 0 ? ARN_OK : arn_refuse(p, ARN_WHAT_ZERO_POINT, out);
}

static arn_status check_metadata(const arn_prepare *p, const uint8_t *a,
                                 const arn_tensor *ancillary,
                                 const arn_tensor *out) {
  if (ancillary->bytes < METADATA_BYTES || a[1] != 1 || a[4] != 1 || a[0] > KIND_PRUNED) {
    return arn_refuse(p, ARN_WHAT_OPTION, ancillary);
  }
  if (a[0] == KIND_LOOKUP && (a[5] & 7) == 0) return arn_refuse(p, ARN_WHAT_OPTION, ancillary);
  if (a[0] == KIND_HUFFMAN && !(a[5] & 1) && out->type != ARN_INT8) {
    return arn_refuse(p, ARN_WHAT_TYPE, out);
  }
  return ARN_OK;
}

static arn_status prepare_output(arn_prepare *p, uint32_t i, struct unpacking *u) {
  arn_tensor data, ancillary, out;
  arn_status status;
  if (constant_input(p, 2 * i, &data, &status) == NULL) return status;
  const uint8_t *a = constant_input(p, 2 * i + 1, &ancillary, &status);
  if (a == NULL) return status;
  status = arn_prepare_output(p, i, &out);
  if (status == ARN_OK) status = check_metadata(p, a, &ancillary, &out);
  if (status == ARN_OK) status = check_type(p, &out, a[0]);
  u->count = out.count;
  u->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  u->data_bytes = data.bytes;
  u->ancillary_bytes = ancillary.bytes;
  if (status == ARN_OK) status = read_channels(p, &out, u);
  if (status == ARN_OK && a[0] == KIND_PRUNED) status = read_zeros(p, &out, u);
  const uint32_t bits = a[0] == KIND_LOOKUP ? a[5] & 7u : 1u;
  if (status == ARN_OK && (uint64_t)out.count * bits > (uint64_t)data.bytes * 8) {
    return arn_refuse_model(p, ARN_WHAT_BUFFER_SIZE, &data);
  }
  return status;
}

static arn_status decode_prepare(arn_prepare *p, void *state) {
  struct decode_state *s = state;
  s->outputs = p->node->output_count;
  if (s->outputs == 0) return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  if (p->node->input_count != 2 * s->outputs) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  if (s->outputs > MAX_OUTPUTS) return arn_refuse(p, ARN_WHAT_LIMIT, NULL);
  for (uint32_t i = 0; i < s->outputs; i++) {
    const arn_status status = prepare_output(p, i, &s->of[i]);
    if (status != ARN_OK) return status;
  }
  p->state_bytes = (uint32_t)(offsetof(struct decode_state, of) + s->outputs * sizeof s->of[0]);
  return ARN_OK;
}

// ---- bits ---------------------------------------------------------------------------------------

// A stream of bits, the top bit of each byte first. Beyond its end there are zeros.
struct bits {
  const uint8_t *data;
  uint32_t bytes, at;
};

static uint32_t take_bits(struct bits *b, uint32_t count) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < count; i++, b->at++) {
    const uint32_t byte = b->at / 8;
    const uint32_t bit = byte < b->bytes ? (uint32_t)b->data[byte] >> (7 - b->at % 8) & 1u : 0u;
    value = value << 1 | bit;
  }
  return value;
}

// What one output is unpacked from and to.
struct job {
  const arn_eval *e;
  const struct unpacking *u;
  const uint8_t *ancillary, *table;
  uint32_t table_bytes;
  struct bits bits;
  uint8_t *out;
};

// The channel of element i.
static uint32_t channel_of(const struct unpacking *u, uint32_t i) {
  if (u->channels <= 1) return 0;
  return u->flags & CHANNELS_LAST ? i % u->channels : i / (u->count / u->channels);
}

// ---- the three kinds ----------------------------------------------------------------------------

static arn_status look_up(struct job *j) {
  const struct unpacking *u = j->u;
  const uint32_t width = j->ancillary[5] & 7u, stride = j->ancillary[6];
  const uint32_t entries = j->table_bytes / u->element;
  for (uint32_t i = 0; i < u->count; i++) {
    const uint32_t index = take_bits(&j->bits, width) + channel_of(u, i) * stride;
    if (index >= entries) return arn_eval_fail(j->e, ARN_WHAT_DATA_INDEX, index, entries);
    memcpy(j->out + i * u->element, j->table + index * u->element, u->element);
  }
  return ARN_OK;
}

static int8_t zero_of(const struct job *j, uint32_t channel) {
  int64_t zero = 0;
  if (j->u->flags & INT8_ZEROS) {
    memcpy(&zero, j->e->model->bytes + j->u->zeros_at + 8 * channel, sizeof zero);
  }
  return (int8_t)zero;
}

static arn_status fill_pruned(struct job *j) {
  const struct unpacking *u = j->u;
  const uint32_t entries = j->table_bytes / u->element;
  uint32_t next = 0;
  for (uint32_t i = 0; i < u->count; i++) {
    uint8_t *to = j->out + i * u->element;
    if (take_bits(&j->bits, 1) == 0) {
      memset(to, u->element == 1 ? zero_of(j, channel_of(u, i)) : 0, u->element);
      continue;
    }
    if (next >= entries) return arn_eval_fail(j->e, ARN_WHAT_DATA_INDEX, next, entries);
    memcpy(to, j->table + next++ * u->element, u->element);
  }
  return ARN_OK;
}

// A table entry of 16 or 32 bits: the top bit says that a symbol was found, 4 bits count, the rest
// is the symbol or the distance to the next table.
struct huffman {
  uint32_t entry_bytes, value_bits;
};

static bool read_entry(const struct job *j, const struct huffman *h, uint32_t index,
                       uint32_t *entry) {
  if (index >= j->table_bytes / h->entry_bytes) return false;
  *entry = 0;
  memcpy(entry, j->table + index * h->entry_bytes, h->entry_bytes);
  return true;
}

// Decodes one symbol. Says whether the tables led to one.
static bool next_symbol(struct job *j, const struct huffman *h, uint32_t first_bits,
                        uint32_t *symbol) {
  uint32_t used = first_bits, entry;
  uint32_t index = take_bits(&j->bits, used);
  const uint32_t found = 1u << (h->value_bits + 4);
  if (!read_entry(j, h, index, &entry)) return false;
  while (!(entry & found)) {
    used = (entry >> h->value_bits & 15u) + 1;
    const uint32_t step = (entry & ((1u << h->value_bits) - 1)) + take_bits(&j->bits, used);
    if (step == 0 || step > UINT32_MAX - index) return false;  // no way back: this ends
    index += step;
    if (!read_entry(j, h, index, &entry)) return false;
  }
  const uint32_t needed = entry >> h->value_bits & 15u;
  if (used > needed) j->bits.at -= used - needed;
  *symbol = entry;
  return true;
}

static arn_status decode_huffman(struct job *j) {
  const bool wide = j->ancillary[5] & 1;
  const struct huffman h = {wide ? 4 : 2, wide ? 27 : 11};
  for (uint32_t i = 0; i < j->u->count; i++) {
    uint32_t symbol;
    if (!next_symbol(j, &h, (j->ancillary[5] >> 4) + 1u, &symbol)) {
      return arn_eval_fail(j->e, ARN_WHAT_DATA_INDEX, i, j->u->count);
    }
    memcpy(j->out + i * j->u->element, &symbol, j->u->element);
  }
  return ARN_OK;
}

static arn_status decode_eval(const arn_eval *e, const void *state) {
  const struct decode_state *s = state;
  arn_status status = ARN_OK;
  for (uint32_t i = 0; i < s->outputs && status == ARN_OK; i++) {
    const struct unpacking *u = &s->of[i];
    struct job j = {.e = e, .u = u, .ancillary = arn_eval_in(e, 2 * i + 1),
                    .out = arn_eval_out(e, i)};
    j.bits = (struct bits){arn_eval_in(e, 2 * i), u->data_bytes, 0};
    j.table = j.ancillary + METADATA_BYTES;
    j.table_bytes = u->ancillary_bytes - METADATA_BYTES;
    if (j.out == NULL) continue;
    if (j.ancillary[0] == KIND_LOOKUP) status = look_up(&j);
    else if (j.ancillary[0] == KIND_PRUNED) status = fill_pruned(&j);
    else status = decode_huffman(&j);
  }
  return status;
}

const arn_op arn_op_tflm_decode = {.name = "TFLM_DECODE", .code = ARN_CODE_CUSTOM,
                                   .state_bytes = sizeof(struct decode_state),
                                   .types = UINT32_MAX,
                                   .prepare = decode_prepare, .eval = decode_eval};
