#include "nest.h"

arn__nest_plan arn__nest_open(arn__nest *n, uint32_t element, uint32_t in_row_bytes,
                              uint32_t out_row_bytes) {
  *n = (arn__nest){.in_row_bytes = in_row_bytes, .out_row_bytes = out_row_bytes, .run = element};
  return (arn__nest_plan){n, element, false};
}

static bool crosses_rows(const arn__nest *n, int32_t step) {
  const uint32_t distance = step < 0 ? 0u - (uint32_t)step : (uint32_t)step;
  return distance >= n->in_row_bytes;
}

void arn__nest_wrap(arn__nest_plan *plan, uint32_t count, int32_t step) {
  arn__nest *n = plan->nest;
  const bool at_row_end = plan->inner_bytes == n->out_row_bytes;
  if (count == 1) return;
  plan->inner_bytes *= count;
  if (n->loops == 0 && !at_row_end && step == (int32_t)n->run && !crosses_rows(n, step)) {
    n->run *= count;
    return;
  }
  arn__nest_loop *inside = n->loops > 0 ? &n->loop[n->loops - 1] : NULL;
  const bool merges = inside && !at_row_end && step == inside->step * (int32_t)inside->count &&
                      crosses_rows(n, step) == crosses_rows(n, inside->step);
  if (merges) {
    inside->count *= count;
  } else if (n->loops < ARN__BLOCK_LOOPS) {
    n->loop[n->loops++] = (arn__nest_loop){count, step};
  } else {
    plan->full = true;
  }
}

bool arn__nest_close(const arn__nest_plan *plan, uint32_t out_rows) {
  arn__nest *n = plan->nest;
  uint32_t rows = 1;
  n->lead = 0;
  if (plan->inner_bytes == 0) n->run = n->loops = 0;
  while (rows < out_rows && n->lead < n->loops) {
    rows *= n->loop[n->loops - 1 - n->lead].count;
    n->lead++;
  }
  return rows == out_rows || n->run == 0;
}

bool arn__nest_is_view(const arn__nest *n) {
  uint32_t inner = n->run;
  for (uint32_t i = 0; i < n->loops; i++) {
    if (n->loop[i].step != (int32_t)inner) return false;
    inner *= n->loop[i].count;
  }
  return n->run > 0;
}

arn__nest_plan arn__nest_begin(arn__nest *n, const arn_tensor *in, const arn_tensor *out) {
  const uint32_t element = arn_type_bytes((arn_type)in->type);
  const arn__nest_plan plan =
      arn__nest_open(n, element, arn__rows_bytes(in), out->bytes / arn__movement_rows(out));
  return plan;
}

arn_status arn__nest_settle(arn_prepare *p, const arn__nest_plan *plan, const arn_tensor *out) {
  arn__nest *n = plan->nest;
  if (plan->full) return arn_refuse(p, ARN_WHAT_RANK, out);
  if (plan->inner_bytes != out->bytes) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  arn__movement_by_rows(p, out);
  if (!arn__nest_close(plan, p->rows)) {
    // The output's shape in the file is not that of the loops: same bytes, other rows.
    p->work = ARN_WHOLE;
    p->rows = 1;
    n->lead = 0;
    n->out_row_bytes = out->bytes;
  }
  p->state_bytes = arn__nest_bytes(n);
  return ARN_OK;
}

// How far the first byte that is read moves from row to row of the output, where it only ever moves
// ahead.
static uint32_t advance_of(const arn__nest *n) {
  if (n->lead != 1 || n->start < 0) return 0;
  for (uint32_t i = 0; i < n->loops; i++) {
    if (n->loop[i].step < 0) return 0;
  }
  return (uint32_t)n->loop[n->loops - 1].step;
}

arn_status arn__nest_finish(arn_prepare *p, const arn__nest_plan *plan, const arn_tensor *out) {
  const arn__nest *n = plan->nest;
  ARN__TRY(arn__nest_settle(p, plan, out));
  if (p->work == ARN_ROWS) p->advance = advance_of(n);
  if (arn__nest_is_view(n)) arn_prepare_view(p, 0, 0, (uint32_t)n->start);
  return ARN_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

// Distance in the input from the first output row to row `row`.
static int32_t lead_offset(const arn__nest *n, uint32_t row) {
  int32_t offset = 0;
  for (uint32_t i = n->loops - n->lead; i < n->loops; i++) {
    const arn__nest_loop loop = n->loop[i];
    const bool last = i + 1u == n->loops;
    offset += (int32_t)(last ? row : row % loop.count) * loop.step;
    if (!last) row /= loop.count;
  }
  return offset;
}

// Lowest and highest byte that one output row reads, from the row's own start.
static void reach_of_row(const arn__nest *n, int32_t *low, int32_t *high) {
  *low = 0;
  *high = (int32_t)n->run;
  for (uint32_t i = 0; i < (uint32_t)(n->loops - n->lead); i++) {
    const int32_t extent = (int32_t)(n->loop[i].count - 1) * n->loop[i].step;
    *(extent < 0 ? low : high) += extent;
  }
}

void arn__nest_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const arn__nest *n = state;
  int32_t low, high;
  if (arn__movement_is_index(input, in)) return;
  *in = (arn_span){0, 0};
  if (n->run == 0 || out.count == 0) return;
  int32_t least = lead_offset(n, out.first), most = least;
  // One loop is monotonic: its ends will do.
  const uint32_t stride = n->lead > 1 || out.count == 1 ? 1 : out.count - 1;
  for (uint32_t i = stride; i < out.count; i += stride) {
    const int32_t offset = lead_offset(n, out.first + i);
    least = offset < least ? offset : least;
    most = offset > most ? offset : most;
  }
  reach_of_row(n, &low, &high);
  *in = arn__movement_span((uint32_t)(n->start + least + low), (uint32_t)(n->start + most + high),
                           n->in_row_bytes);
}

// ---- eval ---------------------------------------------------------------------------------------

// Adds a loop outside the others, or to the outermost of them where they go on without a gap.
static void add_loop(arn__block *block, uint32_t count, int32_t source, uint32_t target) {
  if (block->loops == 0 && source == (int32_t)block->run && target == block->run) {
    block->run *= count;
    return;
  }
  if (block->loops > 0) {
    arn__block_loop *inside = &block->loop[block->loops - 1];
    const int32_t turns = (int32_t)inside->count;
    if (source == inside->source * turns && (int32_t)target == inside->target * turns) {
      inside->count *= count;
      return;
    }
  }
  block->loop[block->loops++] = (arn__block_loop){count, source, (int32_t)target};
}

// Puts the loop over neighbours in the input next to that over neighbours in the output: a plane
// for the kernel that transposes.
static void order_loops(arn__block *block) {
  for (uint32_t i = 2; i < block->loops; i++) {
    if (block->loop[i].source != (int32_t)block->run) continue;
    const arn__block_loop found = block->loop[i];
    block->loop[i] = block->loop[1];
    block->loop[1] = found;
  }
}

// Sorts the loops of one output row into those inside rows of the input and those across them.
static void split_loops(const arn__nest *n, bool scattered, arn__block *inside,
                        arn__block *across) {
  uint32_t target = n->run;
  inside->run = n->run;
  across->run = 0;  // no run: its loops go from row to row, and must not become part of one
  inside->loops = across->loops = 0;
  for (uint32_t i = 0; i < (uint32_t)(n->loops - n->lead); i++) {
    const arn__nest_loop loop = n->loop[i];
    add_loop(scattered && crosses_rows(n, loop.step) ? across : inside, loop.count, loop.step,
             target);
    target *= loop.count;
  }
}

static void move(uint8_t *target, const uint8_t *source, const arn__block *block) {
  if (arn__move_is_transposition(block)) {
    arn__move_transpose(target, source, block);
  } else {
    arn__move_block(target, source, block);
  }
}

static uint32_t turns(const arn__block *block) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < block->loops; i++) count *= block->loop[i].count;
  return count;
}

static void move_row(const arn__block *inside, const arn__block *across, const arn_rows *in,
                     uint32_t from, uint8_t *target) {
  const uint32_t count = turns(across);
  if (arn__movement_at(in, from) == target) return;  // a view
  for (uint32_t turn = 0; turn < count; turn++) {
    uint32_t rest = turn, source = from, to = 0;
    for (uint32_t i = 0; i < across->loops; i++) {
      const arn__block_loop loop = across->loop[i];
      const uint32_t index = rest % loop.count;
      rest /= loop.count;
      source += index * (uint32_t)loop.source;
      to += index * (uint32_t)loop.target;
    }
    move(target + to, arn__movement_at(in, source), inside);
  }
}

// All rows of the step at once, where neither tensor is scattered.
static void move_rows(const arn__nest *n, const arn_rows *in, const arn_rows *out,
                      arn_span rows) {
  arn__block block, none;
  const uint8_t *source = in->base + n->start + lead_offset(n, rows.first);
  uint8_t *target = arn_row(out, rows.first);
  if (source == target) return;  // a view
  split_loops(n, false, &block, &none);
  if (n->lead > 0) {
    add_loop(&block, rows.count, n->loop[n->loops - 1].step, n->out_row_bytes);
  }
  order_loops(&block);
  move(target, source, &block);
}

void arn__nest_run(const arn__nest *n, const arn_eval *e, uint32_t input) {
  const arn_rows in = arn_eval_input(e, input, n->in_row_bytes);
  const arn_rows out = arn_eval_output(e, 0, n->out_row_bytes);
  arn__block inside, across;
  if (n->run == 0 || e->span.count == 0) return;
  if (in.table == NULL && out.table == NULL && n->lead <= 1) {
    move_rows(n, &in, &out, e->span);
    return;
  }
  split_loops(n, in.table != NULL, &inside, &across);
  order_loops(&inside);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    const uint32_t from = (uint32_t)(n->start + lead_offset(n, r));
    move_row(&inside, &across, &in, from, arn_row(&out, r));
  }
}

arn_status arn__nest_eval(const arn_eval *e, const void *state) {
  arn__nest_run(state, e, 0);
  return ARN_OK;
}
