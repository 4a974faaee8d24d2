// Reading cases, filling tensors, and building their models.
#include "bench/oracle/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed;

static double draw(double low, double high) {
  seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return low + (double)(z >> 12) * 0x1p-52 * (high - low);
}

static void stop(const char *why, const char *where) {
  fprintf(stderr, "ops: %s: %s\n", why, where);
  exit(70);
}

plain_multiplier plain_split(double real) {
  int shift;
  const double fraction = frexp(real, &shift);
  int64_t q = (int64_t)round(fraction * 2147483648.0);
  if (q == INT64_C(1) << 31) {
    q /= 2;
    shift++;
  }
  if (shift < -31) return (plain_multiplier){0, 0};
  return (plain_multiplier){(int32_t)q, q == 0 ? 0 : shift};
}

// ---- reading a tensor ---------------------------------------------------------------------------

typedef struct plain_kind {
  const char *name;
  arn_type type;
  double low, high;
} plain_kind;

static const plain_kind kinds[] = {
    {"s8", ARN_INT8, -128, 127},        {"u8", ARN_UINT8, 0, 255},
    {"s16", ARN_INT16, -32768, 32767},  {"s32", ARN_INT32, -1000, 1000},
    {"s64", ARN_INT64, -1000, 1000},    {"u32", ARN_UINT32, 0, 1000},
    {"u64", ARN_UINT64, 0, 1000},       {"f32", ARN_FLOAT32, -1, 1},
    {"f16", ARN_FLOAT16, -1, 1},        {"bool", ARN_BOOL, 0, 1},
    {"s4", ARN_INT4, 0, 255},           {"c64", ARN_COMPLEX64, -1, 1},
};

static void set_kind(plain_tensor *t, const char *name) {
  for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].name, name) != 0) continue;
    t->type = kinds[i].type;
    t->low = kinds[i].low;
    t->high = kinds[i].high;
    return;
  }
  stop("no such type", name);
}

static void set_shape(plain_tensor *t, const char *text) {
  t->count = 1;
  for (char *end; *text && *text != '.'; text = *end == 'x' ? end + 1 : end) {
    const long dim = strtol(text, &end, 10);
    if (end == text || t->rank == ARN_MAX_RANK) stop("no shape", text);
    t->dims[t->rank++] = (int32_t)dim;
    t->count *= (uint32_t)dim;
  }
  t->bytes = t->type == ARN_INT4 ? (t->count + 1) / 2 : t->count * arn_type_bytes(t->type);
}

static void set_scale(plain_tensor *t, const char *text) {
  char *end;
  const char *colon = strchr(text, ':');
  t->scale = strtof(colon ? colon + 1 : text, &end);
  t->zero = (int32_t)strtol(end, NULL, 10);
  if (colon == NULL) return;
  t->axis = (int32_t)strtol(text, NULL, 10);
  const uint32_t channels = (uint32_t)t->dims[t->axis];
  t->scales = malloc(channels * sizeof(float));
  for (uint32_t i = 0; i < channels; i++) t->scales[i] = t->scale * (float)draw(0.5, 1.5);
}

static void put(plain_tensor *t, uint32_t i, double value) {
  const int64_t whole = (int64_t)floor(value);
  const float real = (float)value;
  if (t->type == ARN_FLOAT32) t->f32[i] = real;
  else if (t->type == ARN_FLOAT16) t->u16[i] = (uint16_t)(11264 + (whole + 1) * 32768 + i % 4096);
  else if (t->type == ARN_INT4) t->u8[i / 2] = (uint8_t)whole;
  else if (t->type == ARN_COMPLEX64) t->f32[2 * i] = real, t->f32[2 * i + 1] = 0.5f - real;
  else memcpy(t->u8 + i * arn_type_bytes(t->type), &whole, arn_type_bytes(t->type));
}

// Takes "1,2,3", or "0..63", or nothing.
static void set_values(plain_tensor *t, const char *text) {
  char *end;
  double value = strtod(text, &end);
  const char *dots = strstr(text, "..");
  if (dots) {
    t->low = strtod(text, NULL);
    t->high = strtod(dots + 2, NULL);
  }
  const bool whole = t->type != ARN_FLOAT32 && t->type != ARN_FLOAT16;
  const double most = t->high + (whole ? 1.0 : 0.0);
  for (uint32_t i = 0; i < t->count; i++) {
    if (*text == 0 || dots) {
      put(t, i, fmin(draw(t->low, most), whole ? t->high : most));
      continue;
    }
    put(t, i, value);
    if (*end == ',') value = strtod(end + 1, &end);
  }
}

// A variable starts at its zero point.
static void set_variable(plain_tensor *t) {
  t->variable = true;
  memset(t->data, t->type == ARN_INT8 ? t->zero : 0, t->bytes);
}

static void set_detail(plain_tensor *t, const char *text) {
  switch (*text) {
    case '@': set_scale(t, text + 1); break;
    case '=': t->constant = true; set_values(t, text + 1); break;
    case '~': set_values(t, text + 1); break;
    case '!': set_variable(t); break;
    default: stop("no such detail", text);
  }
}

static void read_tensor(plain_tensor *t, char *text) {
  char *rest;
  char *word = strtok_r(text, " ", &rest);
  if (word == NULL) stop("no tensor", text);
  if (*word == '_') {
    t->absent = true;
    return;
  }
  set_kind(t, word);
  word = strtok_r(NULL, " ", &rest);
  if (word == NULL) stop("no shape", text);
  set_shape(t, word);
  t->data = aligned_alloc(64, (t->bytes + 127) / 64 * 64);
  if (t->data == NULL) stop("no memory", text);
  set_values(t, "");
  while ((word = strtok_r(NULL, " ", &rest)) != NULL) set_detail(t, word);
}

static uint32_t read_tensors(plain_tensor *tensors, char *text) {
  char *rest;
  uint32_t count = 0;
  for (char *one = strtok_r(text, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
    read_tensor(&tensors[count++], one);
  }
  return count;
}

void plain_open(plain_node *n, const plain_case *c) {
  char text[2048];
  snprintf(text, sizeof text, "%s", c->tensors);
  char *outputs = strchr(text, '>');
  if (outputs == NULL) stop("no outputs", text);
  *outputs++ = 0;
  seed = 1;
  memset(n, 0, sizeof *n);
  n->inputs = read_tensors(n->in, text);
  n->outputs = read_tensors(n->out, outputs);
  n->options = c->options.values;
  n->settings = c->settings;
  for (uint32_t i = 0; i < n->outputs; i++) memset(n->out[i].data, 0, n->out[i].bytes);
}

void plain_close(plain_node *n) {
  for (uint32_t i = 0; i < PLAIN_INPUTS; i++) {
    free(n->in[i].data);
    free(n->in[i].scales);
  }
  for (uint32_t i = 0; i < PLAIN_OUTPUTS; i++) free(n->out[i].data);
}

// ---- building -----------------------------------------------------------------------------------

// Writes settings as a FlexBuffer map: names, their distances, values, types, root.
static size_t write_settings(uint8_t *to, const plain_setting *s) {
  uint32_t names[PLAIN_SETTINGS], count = 0, at = 0;
  for (; count < PLAIN_SETTINGS && s[count].name; count++) {
    names[count] = at;
    memcpy(to + at, s[count].name, strlen(s[count].name) + 1);
    at += (uint32_t)strlen(s[count].name) + 1;
  }
  while (at % 4 != 0) to[at++] = 0;
  memcpy(to + at, &count, 4);
  at += 4;
  const uint32_t keys = at;
  for (uint32_t i = 0; i < count; i++, at += 4) memcpy(to + at, &(uint32_t){at - names[i]}, 4);
  const uint32_t head[] = {at - keys, 4, count};  // distance to the names' places, their width
  memcpy(to + at, head, sizeof head);
  at += sizeof head;
  const uint32_t values = at;
  for (uint32_t i = 0; i < count; i++, at += 4) {
    const float real = (float)s[i].value;
    const int32_t whole = (int32_t)s[i].value;
    memcpy(to + at, s[i].is_real ? (const void *)&real : (const void *)&whole, 4);
  }
  for (uint32_t i = 0; i < count; i++) to[at++] = (uint8_t)((s[i].is_real ? 3 : 1) << 2 | 2);
  const uint8_t root[] = {(uint8_t)(at - values), 9 << 2 | 2, 1};
  memcpy(to + at, root, sizeof root);
  return at + sizeof root;
}

static int32_t add_tensor(arn_builder *b, const plain_tensor *t) {
  if (t->absent) return -1;
  const int64_t zero = t->zero;
  arn_build_tensor built = {.name = "t", .type = t->type, .rank = t->rank};
  built.is_variable = t->variable;
  memcpy(built.shape, t->dims, sizeof built.shape);
  if (t->constant) {
    built.data = t->data;
    built.data_bytes = t->bytes;
  }
  if (t->scale > 0.0f) built.quant = (arn_build_quant){&t->scale, &zero, 1, 0};
  if (t->scales) {
    built.quant = (arn_build_quant){t->scales, NULL, (uint32_t)t->dims[t->axis], t->axis};
  }
  return arn_builder_tensor(b, &built);
}

// Subgraph 1, of operators that have a computation: a sum of two scalars of the type of input 0.
static void add_body(arn_builder *b, arn_type type) {
  int32_t t[3];
  const arn_build_tensor scalar = {.name = "x", .type = type};
  arn_builder_subgraph(b, "sum");
  for (uint32_t i = 0; i < 3; i++) t[i] = arn_builder_tensor(b, &scalar);
  const arn_build_operator sum = {.code = ARN_BUILTIN_ADD, .version = 1, .inputs = t,
                                  .input_count = 2, .outputs = &t[2], .output_count = 1};
  arn_builder_operator(b, &sum);
  arn_builder_io(b, t, 2, &t[2], 1);
}

static bool has_body(const arn_op *op) {
  return op == &arn_op_stablehlo_reduce || op == &arn_op_stablehlo_reduce_window ||
         op == &arn_op_stablehlo_scatter;
}

uint8_t *plain_model(const plain_node *n, const plain_case *c, size_t *size) {
  int32_t in[PLAIN_INPUTS], out[PLAIN_OUTPUTS], given[PLAIN_INPUTS];
  uint8_t custom[1024], *bytes = NULL;
  uint32_t given_count = 0;
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  for (uint32_t i = 0; i < n->inputs; i++) {
    const plain_tensor *t = &n->in[i];
    in[i] = add_tensor(b, t);
    if (!t->absent && !t->constant && !t->variable) given[given_count++] = in[i];
  }
  for (uint32_t i = 0; i < n->outputs; i++) out[i] = add_tensor(b, &n->out[i]);
  arn_build_operator node = {.code = c->op->code, .version = 1, .inputs = in,
                             .input_count = n->inputs, .outputs = out, .output_count = n->outputs,
                             .options = c->options};
  if (c->op->code == ARN_CODE_CUSTOM) {
    node.custom_name = c->op->name;
    node.custom_options = custom;
    node.custom_bytes = write_settings(custom, c->settings);
  }
  arn_builder_operator(b, &node);
  arn_builder_io(b, given, given_count, out, n->outputs);
  if (has_body(c->op)) add_body(b, n->in[0].type);
  if (!arn_builder_finish(b, &bytes, size)) stop(c->op->name, arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}
