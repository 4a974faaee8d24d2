#include "host/rewrite/builder.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/builder_internal.h"

arn_builder *arn_builder_new(void) {
  arn_builder *b = calloc(1, sizeof *b);
  const struct arn__built_buffer empty = {{NULL, 0}, 0};
  if (b && arn__build_add(b, &b->buffers, &empty, sizeof empty) < 0) {
    arn_builder_free(b);
    return NULL;
  }
  return b;
}

void arn_builder_free(arn_builder *builder) {
  if (!builder) return;
  struct arn__built_subgraph *subgraphs = builder->subgraphs.items;
  for (uint32_t i = 0; i < builder->subgraphs.count; i++) {
    free(subgraphs[i].tensors.items);
    free(subgraphs[i].operators.items);
  }
  free(builder->subgraphs.items);
  free(builder->codes.items);
  free(builder->buffers.items);
  free(builder->signatures.items);
  free(builder->metadata.items);
  arn__build_free_pool(builder);
  free(builder);
}

const char *arn_builder_error(const arn_builder *builder) {
  if (!builder) return "out of memory";
  return builder->error[0] ? builder->error : NULL;
}

// Returns the subgraph that is being built; NULL, and an error, if there is none.
static struct arn__built_subgraph *current(arn_builder *b) {
  if (!arn__build_ok(b)) return NULL;
  if (!b->subgraphs.count) {
    arn__build_fail(b, "there is no subgraph to add to");
    return NULL;
  }
  return (struct arn__built_subgraph *)b->subgraphs.items + b->subgraphs.count - 1;
}

void arn_builder_describe(arn_builder *builder, const char *description) {
  if (!arn__build_ok(builder)) return;
  builder->description = arn__build_keep_name(builder, description, "the description");
}

int32_t arn_builder_subgraph(arn_builder *builder, const char *name) {
  if (!arn__build_ok(builder)) return -1;
  struct arn__built_subgraph subgraph = {.name = arn__build_keep_name(builder, name, "a subgraph")};
  return arn__build_add(builder, &builder->subgraphs, &subgraph, sizeof subgraph);
}

// FNV-1a, to find equal buffers quickly; equality is then checked byte for byte.
static uint64_t hash(const uint8_t *data, size_t bytes) {
  uint64_t value = 0xCBF29CE484222325u;
  for (size_t i = 0; i < bytes; i++) value = (value ^ data[i]) * 0x100000001B3u;
  return value;
}

// Returns the buffer that holds these bytes, added if there is none yet. 0 after an error.
static uint32_t share_buffer(arn_builder *b, const void *data, size_t bytes) {
  struct arn__built_buffer buffer = {.hash = hash(data, bytes)};
  const struct arn__built_buffer *known = b->buffers.items;
  for (uint32_t i = 1; i < b->buffers.count; i++) {
    if (known[i].hash == buffer.hash && known[i].data.count == bytes &&
        memcmp(known[i].data.data, data, bytes) == 0) {
      return i;
    }
  }
  buffer.data = arn__build_keep(b, data, bytes, 1);
  const int32_t index = arn__build_add(b, &b->buffers, &buffer, sizeof buffer);
  return index < 0 ? 0 : (uint32_t)index;
}

// Bytes of one element; 0 where there is no fixed whole number of them. Not arn_type_bytes, so that
// a writer of files does not need the engine.
static uint32_t element_bytes(arn_type type) {
  switch (type) {
    case ARN_INT8: case ARN_UINT8: case ARN_BOOL: return 1;
    case ARN_INT16: case ARN_UINT16: case ARN_FLOAT16: return 2;
    case ARN_INT32: case ARN_UINT32: case ARN_FLOAT32: return 4;
    case ARN_INT64: case ARN_UINT64: case ARN_FLOAT64: case ARN_COMPLEX64: return 8;
    case ARN_COMPLEX128: return 16;
    default: return 0;
  }
}

static void check_shape(arn_builder *b, const arn_build_tensor *tensor) {
  uint64_t elements = 1;
  if (tensor->rank > ARN_BUILD_MAX_RANK) {
    arn__build_fail(b, "tensor %s: rank %u, the limit is %d", tensor->name, tensor->rank,
                      ARN_BUILD_MAX_RANK);
    return;
  }
  for (uint32_t i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i] < 1) {
      arn__build_fail(b, "tensor %s: dimension %u is %d", tensor->name, i, tensor->shape[i]);
      return;
    }
    elements *= (uint64_t)tensor->shape[i];
    if (elements > ARN_FBWRITE_MAX_BYTES) {
      arn__build_fail(b, "tensor %s: more than 2^31 elements", tensor->name);
      return;
    }
  }
  const uint32_t bytes = element_bytes(tensor->type);
  if (tensor->data && bytes && tensor->data_bytes != elements * bytes) {
    arn__build_fail(b, "tensor %s: %zu bytes of data, the shape needs %llu", tensor->name,
                      tensor->data_bytes, (unsigned long long)(elements * bytes));
  }
}

static void check_quant(arn_builder *b, const arn_build_tensor *tensor) {
  const arn_build_quant *quant = &tensor->quant;
  if (!quant->count) return;
  if (!quant->scales) {
    arn__build_fail(b, "tensor %s: no scales", tensor->name);
    return;
  }
  const bool axis_ok = quant->axis >= 0 && (uint32_t)quant->axis < tensor->rank;
  if (quant->count > 1 && (!axis_ok || quant->count != (uint32_t)tensor->shape[quant->axis])) {
    arn__build_fail(b, "tensor %s: %u scales do not fit dimension %d", tensor->name, quant->count,
                      quant->axis);
    return;
  }
  for (uint32_t i = 0; i < quant->count; i++) {
    if (!isfinite(quant->scales[i]) || quant->scales[i] <= 0) {
      arn__build_fail(b, "tensor %s: scale %u is not a positive number", tensor->name, i);
    }
  }
}

static void check_tensor(arn_builder *b, const arn_build_tensor *tensor) {
  if (!tensor || !tensor->name) {
    arn__build_fail(b, "a tensor needs a name");
    return;
  }
  if (tensor->type < 0 || tensor->type > ARN_INT4) {
    arn__build_fail(b, "tensor %s: no such type: %d", tensor->name, (int)tensor->type);
  }
  if (tensor->data && !tensor->data_bytes) {
    arn__build_fail(b, "tensor %s: constant, but without bytes", tensor->name);
  }
  if (tensor->data && tensor->is_variable) {
    arn__build_fail(b, "tensor %s: constant and variable at once", tensor->name);
  }
  check_shape(b, tensor);
  if (arn__build_ok(b)) check_quant(b, tensor);
}

int32_t arn_builder_tensor(arn_builder *builder, const arn_build_tensor *tensor) {
  struct arn__built_subgraph *subgraph = current(builder);
  if (!subgraph) return -1;
  check_tensor(builder, tensor);
  if (!arn__build_ok(builder)) return -1;
  const arn_build_quant *quant = &tensor->quant;
  int64_t *zeros = calloc(quant->count + 1, sizeof *zeros);
  if (!zeros) {
    arn__build_fail(builder, "out of memory");
    return -1;
  }
  const int64_t *zero_points = quant->zero_points ? quant->zero_points : zeros;
  struct arn__built_tensor built = {
      .name = arn__build_keep_name(builder, tensor->name, "a tensor"),
      .shape = arn__build_keep(builder, tensor->shape, tensor->rank, sizeof *tensor->shape),
      .scales = arn__build_keep(builder, quant->scales, quant->count, sizeof *quant->scales),
      .zero_points = arn__build_keep(builder, zero_points, quant->count, sizeof *zero_points),
      .type = tensor->type,
      .axis = quant->axis,
      .is_variable = tensor->is_variable};
  free(zeros);
  if (tensor->data) built.buffer = share_buffer(builder, tensor->data, tensor->data_bytes);
  return arn__build_add(builder, &subgraph->tensors, &built, sizeof built);
}

// Copies a list of tensor numbers; they are checked when the file is written.
static struct arn__blob keep_numbers(arn_builder *b, const int32_t *numbers, uint32_t count) {
  if (count > ARN_BUILD_MAX_LIST) {
    arn__build_fail(b, "%u tensors in one list, the limit is %d", count, ARN_BUILD_MAX_LIST);
  } else if (count && !numbers) {
    arn__build_fail(b, "a list of %u tensors is NULL", count);
  } else {
    return arn__build_keep(b, numbers, count, sizeof *numbers);
  }
  return (struct arn__blob){NULL, 0};
}

// Returns the index of an operator code, added if there is none yet.
static uint32_t share_code(arn_builder *b, const arn_build_operator *operation) {
  const bool is_custom = operation->code == ARN_BUILTIN_CUSTOM;
  const int32_t version = operation->version ? operation->version : 1;
  if (operation->code < 0 || version < 1 || is_custom != (operation->custom_name != NULL)) {
    arn__build_fail(b, "operator code %d, version %d: impossible, or name and code disagree",
                      operation->code, version);
    return 0;
  }
  const struct arn__built_code *known = b->codes.items;
  for (uint32_t i = 0; i < b->codes.count; i++) {
    if (known[i].code != operation->code || known[i].version != version) continue;
    if (!is_custom || !strcmp(known[i].custom_name.data, operation->custom_name)) return i;
  }
  struct arn__built_code code = {.code = operation->code, .version = version};
  if (is_custom) {
    code.custom_name = arn__build_keep_name(b, operation->custom_name, "a custom operator");
  }
  return (uint32_t)arn__build_add(b, &b->codes, &code, sizeof code);
}

// Says whether a value can be stored as a scalar of this kind.
static bool value_fits(char kind, double value) {
  const double limit = kind == '1' ? 0x1p8 : kind == '2' ? 0x1p16 : kind == '4' ? 0x1p32 : 0x1p53;
  if (kind == 'f') return isfinite(value) && fabs(value) <= FLT_MAX;
  return value >= -limit / 2 && value < limit && value == floor(value);
}

// Checks that the values given are those that the options have fields for.
static void check_options(arn_builder *b, const arn_build_options *options, const char *kinds) {
  uint32_t scalars = 0, texts = 0, lists = 0;
  for (; *kinds; kinds++) {
    if (*kinds == 's') texts++;
    if (strchr("bhwd", *kinds)) lists++;
    if (!strchr("1248f", *kinds)) continue;
    if (scalars == ARN_BUILD_MAX_OPTIONS || !value_fits(*kinds, options->values[scalars])) {
      arn__build_fail(b, "option %u of kind %d is out of range", scalars, options->type);
      return;
    }
    scalars++;
  }
  for (uint32_t i = scalars; i < ARN_BUILD_MAX_OPTIONS; i++) {
    if (options->values[i] != 0) arn__build_fail(b, "too many values for the options");
  }
  bool extra = lists > ARN_BUILD_MAX_LISTS;
  for (uint32_t i = lists; i < ARN_BUILD_MAX_LISTS; i++) extra |= options->lists[i].values != NULL;
  if (extra || texts > 2 || (options->texts[0] && !texts) ||
      (options->texts[1] && texts < 2) || (texts && !options->texts[texts - 1])) {
    arn__build_fail(b, "a list or text that does not fit the options");
  }
}

static arn_build_options keep_options(arn_builder *b, const arn_build_options *options) {
  arn_build_options kept = *options;
  const char *fields = arn__schema_option_fields(options->type);
  if (!options->type) return (arn_build_options){0};
  if (!fields) {
    arn__build_fail(b, "no such type of options: %d", options->type);
    return (arn_build_options){0};
  }
  check_options(b, options, fields);
  for (uint32_t i = 0; i < ARN_BUILD_MAX_LISTS; i++) {
    const arn_build_list *list = &options->lists[i];
    if (!list->values) continue;
    const struct arn__blob numbers = keep_numbers(b, list->values, list->count);
    // An empty list is there all the same.
    kept.lists[i] = (arn_build_list){list->count ? numbers.data : list->values, numbers.count};
  }
  for (uint32_t i = 0; i < 2; i++) {
    if (kept.texts[i]) kept.texts[i] = arn__build_keep_name(b, kept.texts[i], "an option").data;
  }
  return kept;
}

int32_t arn_builder_operator(arn_builder *builder, const arn_build_operator *operation) {
  struct arn__built_subgraph *subgraph = current(builder);
  if (!subgraph) return -1;
  if (!operation || (operation->custom_bytes && !operation->custom_options)) {
    arn__build_fail(builder, "an operator, or its custom options, is NULL");
    return -1;
  }
  struct arn__built_operator built = {
      .code_index = share_code(builder, operation),
      .inputs = keep_numbers(builder, operation->inputs, operation->input_count),
      .outputs = keep_numbers(builder, operation->outputs, operation->output_count),
      .intermediates =
          keep_numbers(builder, operation->intermediates, operation->intermediate_count),
      .custom_options =
          arn__build_keep(builder, operation->custom_options, operation->custom_bytes, 1),
      .options = keep_options(builder, &operation->options)};
  return arn__build_add(builder, &subgraph->operators, &built, sizeof built);
}

void arn_builder_io(arn_builder *builder, const int32_t *inputs, uint32_t input_count,
                    const int32_t *outputs, uint32_t output_count) {
  struct arn__built_subgraph *subgraph = current(builder);
  if (!subgraph) return;
  subgraph->inputs = keep_numbers(builder, inputs, input_count);
  subgraph->outputs = keep_numbers(builder, outputs, output_count);
}

static struct arn__blob keep_aliases(arn_builder *b, const arn_build_alias *aliases,
                                     uint32_t count) {
  struct arn__list list = {0};
  if (count && !aliases) arn__build_fail(b, "a list of %u names is NULL", count);
  for (uint32_t i = 0; i < count && arn__build_ok(b); i++) {
    const struct arn__built_alias alias = {
        arn__build_keep_name(b, aliases[i].name, "a tensor's alias"), aliases[i].tensor};
    arn__build_add(b, &list, &alias, sizeof alias);
  }
  const struct arn__blob kept =
      arn__build_keep(b, list.items, list.count, sizeof(struct arn__built_alias));
  free(list.items);
  return kept;
}

int32_t arn_builder_signature(arn_builder *builder, const arn_build_signature *signature) {
  if (!arn__build_ok(builder)) return -1;
  if (!signature) {
    arn__build_fail(builder, "a signature is NULL");
    return -1;
  }
  const struct arn__built_signature built = {
      .key = arn__build_keep_name(builder, signature->key, "a signature"),
      .inputs = keep_aliases(builder, signature->inputs, signature->input_count),
      .outputs = keep_aliases(builder, signature->outputs, signature->output_count),
      .subgraph = signature->subgraph};
  return arn__build_add(builder, &builder->signatures, &built, sizeof built);
}

int32_t arn_builder_metadata(arn_builder *builder, const char *name, const void *data,
                             size_t bytes) {
  if (!arn__build_ok(builder)) return -1;
  if (!data || !bytes) {
    arn__build_fail(builder, "metadata without bytes");
    return -1;
  }
  struct arn__built_metadata built = {.name = arn__build_keep_name(builder, name, "metadata")};
  built.buffer = share_buffer(builder, data, bytes);
  return arn__build_add(builder, &builder->metadata, &built, sizeof built);
}

bool arn_builder_finish(arn_builder *builder, uint8_t **bytes, size_t *size) {
  if (!arn__build_ok(builder)) return false;
  if (!bytes || !size) {
    arn__build_fail(builder, "no place for the result");
    return false;
  }
  arn_fbwrite file = {0};
  arn__build_check(builder);
  if (arn__build_ok(builder)) arn__build_write(builder, &file);
  if (file.error) arn__build_fail(builder, "%s", file.error);
  if (arn__build_ok(builder)) {
    *bytes = file.bytes;
    *size = file.size;
    file.bytes = NULL;
  }
  arn__fbwrite_release(&file);
  return arn__build_ok(builder);
}

bool arn_builder_save(arn_builder *builder, const char *path) {
  uint8_t *bytes = NULL;
  size_t size = 0;
  if (!arn_builder_finish(builder, &bytes, &size)) return false;
  FILE *file = path ? fopen(path, "wb") : NULL;
  bool written = file && fwrite(bytes, 1, size, file) == size;
  if (file && fclose(file)) written = false;
  free(bytes);
  if (!written) arn__build_fail(builder, "cannot write %s", path ? path : "to a NULL path");
  return written;
}
