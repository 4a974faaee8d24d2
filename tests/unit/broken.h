// Trying files that may be broken, and breaking them. Include after op_rig.h and fbview.h.
#ifndef ARENITE_TESTS_UNIT_BROKEN_H
#define ARENITE_TESTS_UNIT_BROKEN_H

// Opens, starts and runs a file. Returns the status of what failed first; *error says more.
static inline arn_status try_file(const uint8_t *bytes, size_t size, arn_error *error) {
  const host_options options = {.fill = HOST_FILL_RANDOM};
  host_engine engine;
  memset(error, 0, sizeof *error);
  arn_status status = host_engine_open(&engine, bytes, size, &options, error);
  if (status != ARN_OK) return status;
  for (uint32_t i = 0; i < 8; i++) {
    const arn_tensor_view in = arn_input(&engine.nn, i);
    host_generate_input(&in, 0, i);
  }
  status = arn_invoke(&engine.nn, error);
  assert_true(host_engine_is_intact(&engine));
  host_engine_close(&engine);
  return status;
}

static inline void want_error(const arn_error *e, arn_status status, arn_status want,
                              arn_what what) {
  if (status == want && e->status == want && e->what == what) return;
  fail_msg("%s (%s), not %s (%s)", arn_status_name(status), arn_what_text(e->what),
           arn_status_name(want), arn_what_text(what));
}

// Overwrites a 32-bit word; the field must be there.
static inline void put(const view *v, size_t at, int32_t value) {
  assert_true(at > 0 && at + 4 <= v->size);
  memcpy(v->bytes + at, &value, 4);
}

static inline size_t element(const view *v, size_t table, unsigned id, uint32_t i) {
  uint32_t count;
  const size_t first = vector(v, table, id, 4, &count);
  assert_true(i < count);
  return first + 4 * i;
}

static inline size_t dimension(const view *v, uint32_t tensor, uint32_t i) {
  return element(v, tensor_of(v, tensor), TENSOR_SHAPE, i);
}

#endif
