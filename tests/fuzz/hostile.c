#include "tests/fuzz/hostile.h"

#include "host/check/engine.h"

#define MOST_ARENA (256u << 10)
#define MOST_STEPS 2000u

// Ends an invocation that loops for ever.
static bool count_steps(void *context, const arn_interpreter *nn, const arn_step *step) {
  uint32_t *left = context;
  (void)nn;
  (void)step;
  return (*left)-- > 0;
}

static const char *invoke(hostile_counts *counts, host_engine *e) {
  arn_error error;
  counts->started++;
  for (uint32_t v = 0; v < 2; v++) {
    for (uint32_t i = 0; i < 8 && arn_input(&e->nn, i).data; i++) {
      const arn_tensor_view t = arn_input(&e->nn, i);
      host_generate_input(&t, v, i);
    }
    if (arn_invoke(&e->nn, &error) >= 0) counts->invoked++;
  }
  return host_engine_is_intact(e) ? NULL : "bytes outside the arena were written";
}

static const char *refusal(const arn_error *error) {
  char text[256];
  if (error->status == ARN_OK || error->what == ARN_WHAT_NONE) return "a failure without a reason";
  return arn_error_format(error, text, sizeof text) > 0 ? NULL : "a failure without a message";
}

const char *hostile_try(hostile_counts *counts, const uint8_t *bytes, size_t size) {
  uint32_t steps = MOST_STEPS;
  arn_model model;
  arn_error error = {0};
  arn_usage usage;
  host_options options = {.fill = HOST_FILL_RANDOM};
  options.config.ops = &arn_ops_all;
  options.config.hooks = (arn_hooks){.before = count_steps, .context = &steps};
  if (arn_model_open(&model, bytes, size, &error) != ARN_OK) return refusal(&error);
  arn_model_infer_shapes(&model);
  counts->opened++;
  if (host_measure(&model, &options.config, &usage, &error) != ARN_OK) return refusal(&error);
  if (usage.arena_bytes > MOST_ARENA) return NULL;
  options.apart = counts->opened % 2 == 0;   // every other one in two blocks
  host_engine e;
  if (host_engine_open(&e, bytes, size, &options, &error) != ARN_OK) return refusal(&error);
  const char *wrong = invoke(counts, &e);
  host_engine_close(&e);
  return wrong;
}
