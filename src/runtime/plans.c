#include "plans.h"

static arn_status open(arn__starter *s) {
  return arn__row_plan_open(&s->rows, s->model, &s->has_rows, s->error);
}

static bool lacks_callback(const arn__starter *s) {
  const arn_stream *stream = &s->config.stream;
  return (s->rows.streamed_inputs != 0 && stream->fetch == NULL) ||
         (s->rows.streamed_outputs != 0 && stream->deliver == NULL);
}

static bool streams(const arn_interpreter *nn, uint32_t i, bool is_input) {
  arn__row_plan plan;
  if (i >= 32) return false;
  arn__row_plan_reopen(&plan, nn->model, nn->row_plan_at);
  return (is_input ? plan.streamed_inputs : plan.streamed_outputs) >> i & 1;
}

const arn_plans arn_file_plans = {open,           arn__plans_start, lacks_callback,
                                  arn__plans_run, streams,          arn__plans_place};
