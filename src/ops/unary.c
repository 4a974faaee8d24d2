#include "unary.h"

#include "../graph/rows.h"

// From how many elements of a step on a table pays: twice its size.
#define TABLE_FROM 512u

arn_status arn__unary_prepare(arn_prepare *p, arn_tensor *in, arn_tensor *out,
                              uint32_t *row_count) {
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn_prepare_input(p, 0, in));
  ARN__TRY(arn_prepare_output(p, 0, out));
  if (!arn__rows_same_shape(in, out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  if (!(p->op->types >> in->type & 1)) return arn_refuse(p, ARN_WHAT_TYPE, in);
  arn__movement_by_rows(p, out);
  *row_count = p->work == ARN_ROWS ? arn__rows_of(out).row_count : out->count;
  const uint32_t from = arn_type_bytes((arn_type)in->type);
  const uint32_t to = arn_type_bytes((arn_type)out->type);
  p->in_place = to == from || (to == 1 && from > 1);
  return ARN_OK;
}

arn_status arn__unary_prepare_same(arn_prepare *p, arn_tensor *in, arn_tensor *out,
                                   uint32_t *row_count) {
  ARN__TRY(arn__unary_prepare(p, in, out, row_count));
  if (in->type != out->type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, out);
  return ARN_OK;
}

void arn__unary_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  *in = out;
}

void arn__unary_run(const arn_eval *e, const arn__unary_job *job) {
  const arn_rows in = arn_eval_input(e, 0, job->row_count * job->in_bytes);
  const arn_rows out = arn_eval_output(e, 0, job->row_count * job->out_bytes);
  const arn_span span = e->span;
  if (in.table == NULL && out.table == NULL) {
    job->fn(arn_row(&in, span.first), arn_row(&out, span.first), span.count * job->row_count,
            job->params);
    return;
  }
  for (uint32_t row = span.first; row < span.first + span.count; row++) {
    job->fn(arn_row(&in, row), arn_row(&out, row), job->row_count, job->params);
  }
}

static void look_up(const void *in, void *out, uint32_t count, const void *params) {
  arn__unary_look_up(params, in, out, count);
}

void arn__unary_run_8(const arn_eval *e, const arn__unary_job *job, uint8_t flip) {
  if (flip == 0 && (uint64_t)e->span.count * job->row_count < TABLE_FROM) {
    arn__unary_run(e, job);
    return;
  }
  uint8_t table[256];
  arn__unary_fill_table(table, job->fn, job->params, flip);
  arn__unary_job through = *job;
  through.fn = look_up;
  through.params = table;
  arn__unary_run(e, &through);
}
