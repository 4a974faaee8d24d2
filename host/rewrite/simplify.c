#include "host/rewrite/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/fbcopy.h"
#include "host/rewrite/graph.h"

// Operators by the numbers of the schema; those of schema.h apart.
enum {
  OP_DENSIFY = 124, OP_RELU_N1_TO_1 = 20, OP_RELU6 = 21, OP_SUB = 41, OP_DIV = 42, OP_SHAPE = 77,
  OP_RANK = 110, OP_CALL_ONCE = 129, OP_IF = 118, OP_WHILE = 119, OP_STABLEHLO_WHILE = 200,
  OP_MULTINOMIAL = 149, OP_RANDOM_STANDARD_NORMAL = 146, OP_RANDOM_UNIFORM = 148,
  OP_HASHTABLE = 136, OP_HASHTABLE_SIZE = 139, OP_VAR_HANDLE = 142, OP_ASSIGN_VARIABLE = 144
};

#define MOST_CONSTANT_BYTES 65536u
#define MOST_ARENA_BYTES (UINT32_C(1) << 28)

typedef struct simplifier {
  rewrite_graph g;
  arn_simplified *done;
  host_engine engine;      // all tensors of one run; open where `ran`
  bool ran, cannot_run;
} simplifier;

static arn_tensor tensor_of(const simplifier *s, int32_t tensor) {
  arn_tensor t;
  arn_model_tensor(&s->g.model, &s->g.subgraph, (uint32_t)tensor, &t);
  return t;
}

// Says whether nothing but a node's outputs shows that it ran, and they only depend on its inputs.
static bool is_pure(const simplifier *s, const rewrite_node *n) {
  const int32_t code = n->node.code;
  const bool random = code == OP_MULTINOMIAL || code == OP_RANDOM_STANDARD_NORMAL ||
                      code == OP_RANDOM_UNIFORM;
  if (code == ARN_CODE_CUSTOM || code == OP_CALL_ONCE || code == OP_IF || code == OP_WHILE ||
      code == OP_STABLEHLO_WHILE || random ||
      (code >= OP_HASHTABLE && code <= OP_HASHTABLE_SIZE) ||
      (code >= OP_VAR_HANDLE && code <= OP_ASSIGN_VARIABLE)) {
    return false;
  }
  for (uint32_t i = 0; i < n->node.input_count; i++) {
    if (n->inputs[i] < 0) continue;
    const arn_tensor t = tensor_of(s, n->inputs[i]);
    if ((t.flags & ARN_TENSOR_VARIABLE) || t.type == ARN_RESOURCE) return false;
  }
  return true;
}

static bool is_constant(const simplifier *s, int32_t tensor) {
  return tensor >= 0 && s->g.tensors[tensor].constant;
}

static bool same_quantisation(const simplifier *s, const arn_tensor *a, const arn_tensor *b) {
  if (a->type != b->type || a->scale_count != b->scale_count || a->scale_count > 1) return false;
  return arn_tensor_scale(&s->g.model, a, 0) == arn_tensor_scale(&s->g.model, b, 0) &&
         arn_tensor_zero(&s->g.model, a, 0) == arn_tensor_zero(&s->g.model, b, 0);
}

static bool same_shape(const arn_tensor *a, const arn_tensor *b) {
  return a->rank == b->rank && a->unknown_dims == 0 && b->unknown_dims == 0 &&
         memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

// The int32 elements of a constant in the file; NULL where it is no such thing.
static const int32_t *int_list(const simplifier *s, int32_t tensor, uint32_t count) {
  if (tensor < 0) return NULL;
  const arn_tensor t = tensor_of(s, tensor);
  return t.type == ARN_INT32 && t.count == count ? arn_tensor_data(&s->g.model, &t) : NULL;
}

// ---- dead ---------------------------------------------------------------------------------------

static bool drop_dead(simplifier *s, rewrite_node *n) {
  if (!is_pure(s, n)) return false;
  for (uint32_t i = 0; i < n->node.output_count; i++) {
    if (rewrite_readers(&s->g, n->outputs[i]) > 0) return false;
  }
  n->gone = true;
  s->done->dead++;
  return true;
}

// ---- identity -----------------------------------------------------------------------------------

static const int32_t *permutation_of(const simplifier *s, const rewrite_node *n, uint32_t rank) {
  if (n->node.code != ARN_BUILTIN_TRANSPOSE || n->node.input_count != 2) return NULL;
  return int_list(s, n->inputs[1], rank);
}

static bool is_identity(const int32_t *outer, const int32_t *inner, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++) {
    const int32_t at = outer[i];
    if (at < 0 || at >= (int32_t)rank || (inner ? inner[at] : at) != (int32_t)i) return false;
  }
  return true;
}

// Returns the tensor that a node's output is a copy of; -1 where it is not.
static int32_t copied_from(const simplifier *s, const rewrite_node *n) {
  const int32_t in = n->node.input_count > 0 ? n->inputs[0] : -1;
  if (in < 0) return -1;
  const arn_tensor t = tensor_of(s, in), out = tensor_of(s, n->outputs[0]);
  if (n->node.code == ARN_BUILTIN_RESHAPE) return same_shape(&t, &out) ? in : -1;
  const int32_t *outer = permutation_of(s, n, t.rank);
  if (outer == NULL) return -1;
  if (is_identity(outer, NULL, t.rank)) return in;
  const rewrite_node *before = rewrite_writer(&s->g, in);
  const int32_t *inner = before ? permutation_of(s, before, t.rank) : NULL;
  return inner && is_identity(outer, inner, t.rank) ? before->inputs[0] : -1;
}

static bool drop_identity(simplifier *s, rewrite_node *n) {
  if (n->node.output_count != 1 || rewrite_is_output(&s->g, n->outputs[0])) return false;
  const int32_t from = copied_from(s, n);
  if (from < 0 || rewrite_readers(&s->g, n->outputs[0]) == 0) return false;
  const arn_tensor a = tensor_of(s, from), b = tensor_of(s, n->outputs[0]);
  if (!same_quantisation(s, &a, &b) || !same_shape(&a, &b) || (a.flags & ARN_TENSOR_VARIABLE)) {
    return false;
  }
  rewrite_read_instead(&s->g, n->outputs[0], from);
  n->gone = true;
  s->done->identities++;
  return true;
}

// ---- activation ---------------------------------------------------------------------------------

// Says which field of an operator's options holds its activation; -1: none.
static int32_t activation_field(const rewrite_node *n) {
  if (n->node.options_at == 0) return -1;
  switch (n->node.code) {
    case ARN_BUILTIN_CONV_2D: return 3;
    case ARN_BUILTIN_DEPTHWISE_CONV_2D: return 4;
    case ARN_BUILTIN_AVERAGE_POOL_2D:
    case ARN_BUILTIN_MAX_POOL_2D: return 5;
    case ARN_BUILTIN_FULLY_CONNECTED:
    case ARN_BUILTIN_ADD:
    case ARN_BUILTIN_MUL:
    case OP_SUB:
    case OP_DIV: return 0;
    default: return -1;
  }
}

static int32_t activation_of(int32_t code) {
  switch (code) {
    case ARN_BUILTIN_RELU: return ARN_ACTIVATION_RELU;
    case OP_RELU_N1_TO_1: return 2;
    case OP_RELU6: return ARN_ACTIVATION_RELU6;
    default: return ARN_ACTIVATION_NONE;
  }
}

// Reads a one-byte field of a node's options; `otherwise` where it is absent.
static uint32_t option_byte(const simplifier *s, const rewrite_node *n, int32_t field,
                            uint32_t otherwise) {
  arn_fbsource source = {.bytes = s->g.bytes, .size = (uint32_t)s->g.size};
  return (uint32_t)arn__fbcopy_scalar(&source, n->node.options_at, (uint32_t)field, 1, otherwise);
}

static bool fuse_activation(simplifier *s, rewrite_node *n) {
  const int32_t activation = activation_of(n->node.code);
  if (activation == ARN_ACTIVATION_NONE || n->node.input_count != 1) return false;
  const int32_t middle = n->inputs[0];
  rewrite_node *before = rewrite_writer(&s->g, middle);
  const int32_t field = before ? activation_field(before) : -1;
  if (field < 0 || before->option != REWRITE_NO_CHANGE || rewrite_readers(&s->g, middle) != 1) {
    return false;
  }
  const arn_tensor a = tensor_of(s, middle), b = tensor_of(s, n->outputs[0]);
  const bool exact = a.type == ARN_FLOAT32 || a.type == ARN_INT8;
  if (!exact || option_byte(s, before, field, 0) != ARN_ACTIVATION_NONE || !same_shape(&a, &b) ||
      !same_quantisation(s, &a, &b)) {
    return false;
  }
  before->option = field;
  before->value = activation;
  before->outputs[0] = n->outputs[0];
  before->outputs_changed = true;
  n->gone = true;
  s->done->activations++;
  return true;
}

// ---- padding ------------------------------------------------------------------------------------

// A convolution along one axis.
struct axis {
  int32_t in, out, filter, stride, dilation;
  const int32_t *padding;  // before, after
};

// Says whether SAME padding gives this axis the same padding in front, and enough behind.
static bool same_pads_so(const struct axis *a) {
  if (a->stride < 1 || a->dilation < 1 || a->filter < 1) return false;
  if (a->out != (a->in + a->stride - 1) / a->stride) return false;
  const int64_t reach = (int64_t)(a->out - 1) * a->stride +
      (int64_t)(a->filter - 1) * a->dilation + 1;
  const int64_t total = reach > a->in ? reach - a->in : 0;
  return a->padding[0] == total / 2 && a->padding[1] >= total - total / 2;
}

static int32_t option_word(const simplifier *s, const rewrite_node *n, uint32_t field) {
  arn_fbsource source = {.bytes = s->g.bytes, .size = (uint32_t)s->g.size};
  return (int32_t)arn__fbcopy_scalar(&source, n->node.options_at, field, 4, 1);
}

static bool convolution_pads_so(const simplifier *s, const rewrite_node *n, const arn_tensor *in,
                                const int32_t *padding) {
  const arn_tensor filter = tensor_of(s, n->inputs[1]), out = tensor_of(s, n->outputs[0]);
  if (filter.rank != 4 || out.rank != 4) return false;
  const uint32_t dilation = n->node.code == ARN_BUILTIN_CONV_2D ? 4 : 5;  // its first field
  for (uint32_t k = 0; k < 2; k++) {  // y, x; options name x first
    const struct axis a = {.in = in->dims[1 + k], .out = out.dims[1 + k],
                           .filter = filter.dims[1 + k], .stride = option_word(s, n, 2 - k),
                           .dilation = option_word(s, n, dilation + 1 - k),
                           .padding = padding + 2 * (1 + k)};
    if (!same_pads_so(&a)) return false;
  }
  return true;
}

static bool fuse_padding(simplifier *s, rewrite_node *n) {
  const bool convolves = n->node.code == ARN_BUILTIN_CONV_2D ||
                         n->node.code == ARN_BUILTIN_DEPTHWISE_CONV_2D;
  if (!convolves || n->node.options_at == 0 || n->node.input_count < 2 || n->inputs[1] < 0 ||
      n->option != REWRITE_NO_CHANGE || option_byte(s, n, 0, 0) != ARN_PADDING_VALID) {
    return false;
  }
  rewrite_node *pad = rewrite_writer(&s->g, n->inputs[0]);
  if (pad == NULL || pad->node.code != ARN_BUILTIN_PAD || pad->node.input_count != 2) return false;
  const arn_tensor in = tensor_of(s, pad->inputs[0]), padded = tensor_of(s, n->inputs[0]);
  const int32_t *padding = int_list(s, pad->inputs[1], 8);
  if (in.rank != 4 || padding == NULL || !same_quantisation(s, &in, &padded)) return false;
  if (padding[0] || padding[1] || padding[6] || padding[7]) return false;
  if (!convolution_pads_so(s, n, &in, padding)) return false;
  n->inputs[0] = pad->inputs[0];
  n->inputs_changed = true;
  n->option = 0;
  n->value = ARN_PADDING_SAME;
  pad->gone = rewrite_readers(&s->g, pad->outputs[0]) == 0;
  s->done->paddings++;
  return true;
}

// ---- constant -----------------------------------------------------------------------------------

// Float operators whose results are the same on every machine: they move, or round once.
static bool is_exact(int32_t code) {
  // ADD, CONCATENATION, DEQUANTIZE, MUL, RESHAPE, PAD, GATHER, TRANSPOSE, SUB, DIV, SQUEEZE,
  // STRIDED_SLICE, SPLIT, CAST, MAXIMUM, MINIMUM, NEG, SLICE, TILE, EXPAND_DIMS, PACK, UNPACK,
  // FILL, SPLIT_V, BROADCAST_TO
  static const uint8_t codes[] = {0,  2,  6,  18, 22, 34, 36, 39, 41, 42, 43,  45, 49,
                                  53, 55, 57, 59, 65, 69, 70, 83, 88, 94, 102, 130};
  return code >= 0 && code < 256 && memchr(codes, code, sizeof codes) != NULL;
}

static bool can_fold(const simplifier *s, const rewrite_node *n) {
  const bool asks_shape = n->node.code == OP_SHAPE || n->node.code == OP_RANK;
  uint64_t bytes = 0;
  if (!is_pure(s, n) || n->node.code == OP_DENSIFY || n->node.input_count == 0) return false;
  for (uint32_t i = 0; i < n->node.input_count; i++) {
    if (!asks_shape && n->inputs[i] >= 0 && !is_constant(s, n->inputs[i])) return false;
  }
  const arn_tensor in = tensor_of(s, n->inputs[0] < 0 ? 0 : n->inputs[0]);
  if (in.type == ARN_FLOAT16 || (in.flags & ARN_TENSOR_SPARSE)) return false;  // read where it lies
  for (uint32_t i = 0; i < n->node.output_count; i++) {
    const arn_tensor t = tensor_of(s, n->outputs[i]);
    if (t.unknown_dims > 0 || t.bytes == 0 || rewrite_is_output(&s->g, n->outputs[i])) return false;
    if (t.type == ARN_FLOAT32 && !is_exact(n->node.code)) return false;
    bytes += t.bytes;
  }
  return bytes <= MOST_CONSTANT_BYTES;
}

// Runs the file as it came, once, with all its tensors kept.
static bool run_once(simplifier *s) {
  const host_options options = {.config = {.flags = ARN_KEEP_ALL | ARN_IGNORE_PLAN}};
  arn_usage usage;
  arn_error error;
  if (s->ran || s->cannot_run) return s->ran;
  arn_config config = options.config;
  config.ops = &arn_ops_all;
  s->cannot_run = true;
  if (host_measure(&s->g.model, &config, &usage, &error) != ARN_OK ||
      usage.arena_bytes > MOST_ARENA_BYTES ||
      host_engine_open(&s->engine, s->g.bytes, s->g.size, &options, &error) != ARN_OK) {
    return false;
  }
  for (uint32_t i = 0; i < s->g.subgraph.input_count; i++) {
    const arn_tensor_view in = arn_input(&s->engine.nn, i);
    if (in.data) host_generate_input(&in, 0, i);
  }
  s->ran = arn_invoke(&s->engine.nn, &error) == ARN_OK;
  if (!s->ran) host_engine_close(&s->engine);
  return s->ran;
}

static bool keep_value(simplifier *s, int32_t tensor) {
  rewrite_tensor *t = &s->g.tensors[tensor];
  const arn_tensor_view view = arn_tensor_at(&s->engine.nn, 0, (uint32_t)tensor);
  if (view.data == NULL || view.bytes == 0) return false;
  t->data = malloc(view.bytes);
  if (t->data == NULL) return false;
  memcpy(t->data, view.data, view.bytes);
  t->bytes = view.bytes;
  return true;
}

static bool fold_constant(simplifier *s, rewrite_node *n) {
  if (!can_fold(s, n) || !run_once(s)) return false;
  for (uint32_t i = 0; i < n->node.output_count; i++) {
    if (keep_value(s, n->outputs[i])) continue;
    while (i-- > 0) {
      free(s->g.tensors[n->outputs[i]].data);
      s->g.tensors[n->outputs[i]].data = NULL;
    }
    return false;
  }
  for (uint32_t i = 0; i < n->node.output_count; i++) {
    s->g.tensors[n->outputs[i]].constant = true;
    s->done->constant_bytes += s->g.tensors[n->outputs[i]].bytes;
  }
  n->gone = true;
  s->done->constants++;
  return true;
}

// ---- all ----------------------------------------------------------------------------------------

static bool simplify_all(simplifier *s) {
  static bool (*const rules[])(simplifier *, rewrite_node *) = {
      drop_dead, drop_identity, fuse_activation, fuse_padding, fold_constant};
  bool any = false, again = true;
  while (again) {
    again = false;
    for (uint32_t i = 0; i < s->g.subgraph.node_count; i++) {
      for (uint32_t r = 0; r < sizeof rules / sizeof rules[0] && !s->g.nodes[i].gone; r++) {
        if (rules[r](s, &s->g.nodes[i])) again = any = true;
      }
    }
  }
  return any;
}

static bool has_open_shapes(const rewrite_graph *g) {
  for (uint32_t i = 0; i < g->subgraph.tensor_count; i++) {
    if (g->tensors[i].reshaped) return true;
  }
  return false;
}

bool arn_simplify(const void *source, size_t source_bytes, uint8_t **bytes, size_t *size,
                  arn_simplified *done, const char **why) {
  static const char broken[] = "the file cannot be read";
  simplifier s = {.done = done};
  uint32_t plan_bytes;
  *bytes = NULL;
  *size = 0;
  *done = (arn_simplified){0};
  *why = broken;
  if (!rewrite_graph_open(&s.g, source, source_bytes)) return false;
  *why = NULL;
  bool ok = true;
  const bool planned = arn_model_metadata(&s.g.model, "arenite.plan", &plan_bytes) != NULL;
  if (!planned && (simplify_all(&s) || has_open_shapes(&s.g))) {
    ok = rewrite_graph_write(&s.g, bytes, size, why);
  }
  if (s.ran) host_engine_close(&s.engine);
  rewrite_graph_free(&s.g);
  return ok;
}
