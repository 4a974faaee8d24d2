#include "signal.h"

#define MOST_KEPT_BYTES (1u << 29)

static arn_status check(const arn_prepare *p, uint32_t type, uint32_t rank, const arn_tensor *t) {
  if (t->type != type) return arn_refuse(p, ARN_WHAT_TYPE, t);
  if (rank != ARN__SIGNAL_ANY_RANK && t->rank != rank) {
    return arn_refuse_model(p, ARN_WHAT_RANK, t);
  }
  return ARN_OK;
}

arn_status arn__signal_input(const arn_prepare *p, uint32_t i, uint32_t type, uint32_t rank,
                             arn_tensor *tensor) {
  ARN__TRY(arn_prepare_input(p, i, tensor));
  return check(p, type, rank, tensor);
}

arn_status arn__signal_output(const arn_prepare *p, uint32_t i, uint32_t type, uint32_t rank,
                              arn_tensor *tensor) {
  ARN__TRY(arn_prepare_output(p, i, tensor));
  return check(p, type, rank, tensor);
}

arn_status arn__signal_option(const arn_prepare *p, const char *key, int32_t low, int32_t high,
                              int32_t *value) {
  arn__flex_map map;
  arn__flex_open(&map, p->model, p->node);
  const bool there = arn__flex_has(&map, key);
  *value = arn__flex_i32(&map, key, 0);
  if (!map.ok) return arn_refuse_model(p, ARN_WHAT_CUSTOM_OPTIONS, NULL);
  if (!there || *value < low || *value > high) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  return ARN_OK;
}

arn_status arn__signal_pair(const arn_prepare *p, arn_tensor *in, arn_tensor *out) {
  arn__flex_map map;
  ARN__TRY(arn__movement_pair(p, 0, in, out));
  arn__flex_open(&map, p->model, p->node);
  const int32_t type = arn__flex_i32(&map, "T", in->type);
  if (!map.ok) return arn_refuse_model(p, ARN_WHAT_CUSTOM_OPTIONS, NULL);
  return type == in->type ? ARN_OK : arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, in);
}

uint32_t arn__signal_outer(const arn_tensor *tensor, uint32_t inner) {
  return arn__movement_product(tensor, 0, tensor->rank - inner);
}

bool arn__signal_same_outer(const arn_tensor *a, const arn_tensor *b, uint32_t inner) {
  for (uint32_t i = 0; i + inner < a->rank; i++) {
    if (a->dims[i] != b->dims[i]) return false;
  }
  return true;
}

uint32_t arn__signal_by_rows(arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  const arn__rows_shape in_rows = arn__rows_of(in), out_rows = arn__rows_of(out);
  const uint32_t signals = arn__signal_outer(out, 1), rows = arn__movement_rows(out);
  if (in_rows.axis != out_rows.axis || in_rows.rows != rows || out_rows.axis + 1 >= out->rank) {
    p->work = ARN_WHOLE;
    return signals;
  }
  p->work = ARN_ROWS;
  p->rows = rows;
  return signals / rows;
}

void arn__signal_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 0 ? out : (arn_span){0, 1};
}

arn_status arn__signal_keep(arn_prepare *p, uint32_t header_bytes, uint64_t count,
                            uint32_t element_bytes) {
  if (count > (MOST_KEPT_BYTES - header_bytes) / element_bytes) {
    return arn_refuse(p, ARN_WHAT_LIMIT, NULL);
  }
  p->persistent_bytes = header_bytes + (uint32_t)count * element_bytes;
  return ARN_OK;
}
