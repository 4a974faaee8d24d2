// arn_model_infer_shapes: finds the dimensions that a file leaves open, each when it is asked for.
// Answers are not remembered: a file whose shapes are right is never asked, and with one whose
// shapes are not, a budget of visited nodes sees to it that asking is cheap, or it is not asked.
#include "infer.h"

#include "../model/flatbuffer.h"
#include "../model/schema.h"
#include "graph.h"

#define MAX_DEPTH 40u
#define BUDGET (1u << 24)  // nodes visited for all tensors of a model together

typedef struct frame {
  uint16_t tensor, node;
  uint16_t step;
  uint8_t ask, join;  // what is asked here, and how the answer that is awaited joins
  int32_t index, so_far;
} frame;

typedef struct walk {
  const arn_model *model;
  const arn_subgraph *subgraph;
  uint32_t budget;
  uint32_t depth;
  frame frames[MAX_DEPTH];
} walk;

void arn__infer_written(const arn_model *m, const arn_subgraph *g, int32_t index, arn_tensor *t) {
  arn_model as_written = *m;
  as_written.infer = NULL;
  arn_model_tensor(&as_written, g, (uint32_t)index, t);
}

// ---- what the file says -------------------------------------------------------------------------

static bool is_given(const arn_tensor *t) {
  return (t->flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE | ARN_TENSOR_SPARSE)) != 0;
}

// Says whether a dimension is open: unknown, or a placeholder, as the signature of the shape tells.
static bool is_open(const arn_model *m, const arn_subgraph *g, const arn_tensor *t, uint32_t axis) {
  uint32_t first, rank;
  if (is_given(t)) return false;
  if (t->dims[axis] < 0) return true;
  const uint32_t table = arn__fb_element(m, g->tensors_at, (uint32_t)t->index);
  if (!arn__fb_check_vector(m, table, ARN__TENSOR_SIGNATURE, 4, &first, &rank)) return false;
  return rank == t->rank && (int32_t)arn__fb_u32(m, first + 4 * axis) == -1;
}

bool arn__infer_constant(const arn_model *m, const arn_tensor *t, int32_t i, int32_t *value) {
  if (!(t->flags & ARN_TENSOR_CONST) || (t->flags & ARN_TENSOR_SPARSE)) return false;
  if (i < 0 || (uint32_t)i >= t->count) return false;
  const uint8_t *data = m->bytes + t->data_at;
  if (t->type == ARN_INT32) {
    memcpy(value, data + 4 * (uint32_t)i, sizeof *value);
    return true;
  }
  int64_t wide;
  if (t->type != ARN_INT64) return false;
  memcpy(&wide, data + 8 * (uint32_t)i, sizeof wide);
  *value = (int32_t)wide;
  return *value == wide;
}

// ---- arithmetic ---------------------------------------------------------------------------------

static int64_t divide_down(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

// Needs: b is not 0.
static bool divide(uint32_t how, int64_t a, int64_t b, int64_t *result) {
  switch (how) {
    case ARN__JOIN_DIV: *result = a / b; return true;
    case ARN__JOIN_DIV_EXACT: *result = a / b; return a % b == 0;
    case ARN__JOIN_DIV_UP: *result = -divide_down(-a, b); return true;
    case ARN__JOIN_DIV_DOWN: *result = divide_down(a, b); return true;
    default: *result = a - divide_down(a, b) * b; return true;
  }
}

static bool broadcast(int64_t a, int64_t b, int64_t *result) {
  *result = a == 1 ? b : a;
  return a == b || a == 1 || b == 1;
}

static bool compute(uint32_t how, int64_t a, int64_t b, int64_t *result) {
  switch (how) {
    case ARN__JOIN_ADD: *result = a + b; return true;
    case ARN__JOIN_SUB: *result = a - b; return true;
    case ARN__JOIN_MUL: *result = a * b; return true;
    case ARN__JOIN_MAX: *result = a > b ? a : b; return true;
    case ARN__JOIN_MIN: *result = a < b ? a : b; return true;
    case ARN__JOIN_BROADCAST: return broadcast(a, b, result);
    case ARN__JOIN_SET: *result = b; return true;
    default: return b != 0 && divide(how, a, b, result);
  }
}

static bool join(frame *f, uint32_t how, int32_t answer) {
  int64_t result = 0;
  if (!compute(how, f->so_far, answer, &result)) return false;
  if (result < INT32_MIN || result > INT32_MAX) return false;
  f->so_far = (int32_t)result;
  f->step++;
  return true;
}

// ---- questions ----------------------------------------------------------------------------------

typedef enum reply { ANSWERED, ASKED, FAILED } reply;

// A question that the node which writes the tensor must answer.
static reply ask_producer(walk *w, const arn__term *q, int32_t producer) {
  if (w->depth == MAX_DEPTH) return FAILED;
  w->frames[w->depth++] = (frame){.tensor = (uint16_t)q->tensor,
                                  .node = (uint16_t)producer,
                                  .ask = q->ask,
                                  .index = q->index};
  return ASKED;
}

// Answers what the file answers; everything else becomes a frame.
static reply ask(walk *w, const arn__term *q, int32_t *answer) {
  arn_tensor t;
  if (q->tensor < 0) return FAILED;
  arn__infer_written(w->model, w->subgraph, q->tensor, &t);
  if (q->ask == ARN__ASK_VALUE && arn__infer_constant(w->model, &t, q->index, answer)) {
    return ANSWERED;
  }
  if (q->ask == ARN__ASK_DIM) {
    if (q->index < 0 || q->index >= t.rank) return FAILED;
    *answer = t.dims[q->index];
    if (!is_open(w->model, w->subgraph, &t, (uint32_t)q->index)) return ANSWERED;
  }
  const uint32_t visits = w->subgraph->node_count;
  w->budget -= visits < w->budget ? visits : w->budget;
  if (w->budget == 0) return FAILED;
  const int32_t producer = arn__graph_producer(w->model, w->subgraph, q->tensor);
  if (producer >= 0) return ask_producer(w, q, producer);
  return q->ask == ARN__ASK_DIM && *answer >= 0 ? ANSWERED : FAILED;
}

static arn__term next_term(const walk *w, const frame *f, int32_t *written) {
  arn__asked a = {.model = w->model,
                  .subgraph = w->subgraph,
                  .index = f->index,
                  .step = f->step,
                  .so_far = f->so_far};
  arn_model_node(w->model, w->subgraph, f->node, &a.node);
  arn__infer_written(w->model, w->subgraph, f->tensor, &a.out);
  *written = -1;
  if (f->ask == ARN__ASK_VALUE) return arn__infer_value(&a);
  *written = a.out.dims[f->index];
  return arn__infer_dim(&a);
}

// Has the uppermost frame ask for its next term. A frame that has its answer, or whose answer is
// that to its last question, is gone when this returns: chains of layers need no depth.
static reply advance(walk *w, int32_t *answer) {
  frame *f = &w->frames[w->depth - 1];
  int32_t written;
  const arn__term term = next_term(w, f, &written);
  f->join = term.join;
  *answer = term.index;
  if (term.ask == ARN__ASK_NUMBER) return ANSWERED;
  if (term.ask < ARN__ASK_NUMBER && term.join != ARN__JOIN_ALONE) return ask(w, &term, answer);
  *answer = term.ask == ARN__ASK_END ? f->so_far : written;
  w->depth--;
  if (term.ask < ARN__ASK_NUMBER) return ask(w, &term, answer);
  if (term.ask == ARN__ASK_END) return ANSWERED;
  return term.ask == ARN__ASK_WRITTEN && written >= 0 ? ANSWERED : FAILED;
}

static bool find(walk *w, const arn__term *question, int32_t *answer) {
  w->depth = 0;
  reply got = ask(w, question, answer);
  while (got != FAILED && w->budget > 0) {
    if (got == ANSWERED) {
      if (w->depth == 0) return true;
      frame *f = &w->frames[w->depth - 1];
      if (!join(f, f->join, *answer)) return false;
    }
    w->budget--;
    got = advance(w, answer);
  }
  return false;
}

// ---- shapes -------------------------------------------------------------------------------------

// Puts the found dimensions in place, and what follows from them. False where they are too large.
static bool set_dims(arn_tensor *t, const int32_t *dims) {
  uint64_t bytes = 16;  // the widest type, as the verifier counts
  t->count = 1;
  for (uint32_t i = 0; i < t->rank; i++) {
    if (dims[i] > 0) bytes *= (uint32_t)dims[i];
    if (bytes > INT32_MAX) return false;
    t->count *= (uint32_t)dims[i];
  }
  memcpy(t->dims, dims, sizeof t->dims);
  t->unknown_dims = 0;
  t->bytes = t->count * arn_type_bytes((arn_type)t->type);
  if (t->type == ARN_INT4) t->bytes = (t->count + 1) / 2;
  return true;
}

// Returns whether the shape of a tensor, read as written, was found to be another one, and sets it.
static bool correct(walk *w, arn_tensor *t) {
  int32_t dims[ARN_MAX_RANK] = {0};
  bool other = false;
  for (uint32_t i = 0; i < t->rank; i++) {
    const arn__term question = {ARN__ASK_DIM, ARN__JOIN_ALONE, t->index, (int32_t)i};
    if (!find(w, &question, &dims[i]) || dims[i] < 0) return false;
    other = other || dims[i] != t->dims[i];
  }
  arn_tensor corrected = *t;
  if (!other || !set_dims(&corrected, dims)) return false;
  *t = corrected;
  return true;
}

static void infer(const arn_model *m, const arn_subgraph *g, arn_tensor *t) {
  walk w = {.model = m, .subgraph = g, .budget = BUDGET};
  correct(&w, t);
}

// Says whether the shape of an output of `node` is not what the file says.
static bool is_wrong(walk *w, const arn_node *node) {
  for (uint32_t i = 0; i < node->output_count; i++) {
    arn_tensor t;
    arn__infer_written(w->model, w->subgraph, arn_model_index(w->model, node->outputs_at, i), &t);
    const bool suspect = t.unknown_dims > 0 || arn__infer_depends(w->model, w->subgraph, node);
    if (suspect && correct(w, &t)) return true;
  }
  return false;
}

// Looks for nodes whose shapes the converter could not know.
static bool subgraph_is_wrong(walk *w) {
  for (uint32_t n = 0; n < w->subgraph->node_count; n++) {
    arn_node node;
    arn_model_node(w->model, w->subgraph, n, &node);
    if (is_wrong(w, &node)) return true;
  }
  return false;
}

// Corrects every tensor once: what that costs is what every later pass over them costs.
static bool is_affordable(walk *w) {
  for (uint32_t i = 0; i < w->subgraph->tensor_count; i++) {
    arn_tensor t;
    arn__infer_written(w->model, w->subgraph, (int32_t)i, &t);
    correct(w, &t);
  }
  return w->budget > 0;
}

void arn_model_infer_shapes(arn_model *m) {
  walk w = {.model = m, .budget = BUDGET};
  bool wrong = false;
  m->infer = NULL;
  for (uint32_t i = 0; i < m->subgraph_count; i++) {
    arn_subgraph g;
    if (arn_model_subgraph(m, i, &g) != ARN_OK) return;
    w.subgraph = &g;
    wrong = subgraph_is_wrong(&w) || wrong;
    if (wrong && !is_affordable(&w)) return;
  }
  if (wrong && w.budget > 0) m->infer = infer;
}
