// The collected model, checked as a whole and written: structure first, constant data last.
#include <string.h>

#include "host/rewrite/builder_internal.h"
#include "host/rewrite/schema.h"

// ---- checks ----

// Says whether every number of a list is a tensor; `lowest` is -1 where one may be absent.
static bool are_tensors(const struct arn__blob *numbers, uint32_t tensor_count, int32_t lowest) {
  const int32_t *number = numbers->data;
  for (uint32_t i = 0; i < numbers->count; i++) {
    if (number[i] < lowest || number[i] >= (int32_t)tensor_count) return false;
  }
  return true;
}

static void check_subgraph(arn_builder *b, uint32_t index) {
  const struct arn__built_subgraph *subgraph =
      (const struct arn__built_subgraph *)b->subgraphs.items + index;
  const struct arn__built_operator *operators = subgraph->operators.items;
  const uint32_t count = subgraph->tensors.count;
  if (!are_tensors(&subgraph->inputs, count, 0) || !are_tensors(&subgraph->outputs, count, 0)) {
    arn__build_fail(b, "subgraph %u: an input or output is not one of its %u tensors", index,
                      count);
  }
  for (uint32_t i = 0; i < subgraph->operators.count; i++) {
    if (!are_tensors(&operators[i].inputs, count, -1) ||
        !are_tensors(&operators[i].outputs, count, 0) ||
        !are_tensors(&operators[i].intermediates, count, 0)) {
      arn__build_fail(b, "subgraph %u, operator %u: not one of its %u tensors", index, i, count);
    }
  }
}

static void check_signature(arn_builder *b, uint32_t index) {
  const struct arn__built_signature *signature =
      (const struct arn__built_signature *)b->signatures.items + index;
  if (signature->subgraph < 0 || signature->subgraph >= (int32_t)b->subgraphs.count) {
    arn__build_fail(b, "signature %u: there is no subgraph %d", index, signature->subgraph);
    return;
  }
  const struct arn__built_subgraph *subgraph =
      (const struct arn__built_subgraph *)b->subgraphs.items + signature->subgraph;
  for (int side = 0; side < 2; side++) {
    const struct arn__blob *aliases = side ? &signature->outputs : &signature->inputs;
    const struct arn__built_alias *alias = aliases->data;
    for (uint32_t i = 0; i < aliases->count; i++) {
      if (alias[i].tensor < 0 || alias[i].tensor >= (int32_t)subgraph->tensors.count) {
        arn__build_fail(b, "signature %u: there is no tensor %d", index, alias[i].tensor);
      }
    }
  }
}

void arn__build_check(arn_builder *builder) {
  if (!builder->subgraphs.count) arn__build_fail(builder, "a model needs a subgraph");
  for (uint32_t i = 0; i < builder->subgraphs.count; i++) check_subgraph(builder, i);
  for (uint32_t i = 0; i < builder->signatures.count; i++) check_signature(builder, i);
}

// ---- writing ----
// Each `write_x` writes the table of an x and all that hangs from it, and returns its position.
// Field numbers are those of schema.c, where the lines name them.

static void link_numbers(arn_fbwrite *f, uint32_t table, uint16_t id,
                         const struct arn__blob *numbers) {
  const arn_fbvector vector = {numbers->data, numbers->count, 4, 0};
  arn__fbwrite_link(f, table, id, arn__fbwrite_vector(f, &vector));
}

// Names are kept with their terminator, which the file does not count.
static void link_name(arn_fbwrite *f, uint32_t table, uint16_t id, const struct arn__blob *name) {
  arn__fbwrite_link(f, table, id, arn__fbwrite_string(f, name->data, name->count - 1));
}

// Writes one table for each item of a list, as the vector that field `id` of `table` refers to.
static void link_list(arn_fbwrite *f, uint32_t table, uint16_t id, const struct arn__list *list,
                      size_t item_bytes, uint32_t (*write)(arn_fbwrite *f, const void *item)) {
  const uint32_t refs = arn__fbwrite_refs(f, list->count);
  arn__fbwrite_link(f, table, id, refs);
  for (uint32_t i = 0; i < list->count && !f->error; i++) {
    arn__fbwrite_link_at(f, refs, i, write(f, (const uint8_t *)list->items + i * item_bytes));
  }
}

static uint32_t write_code(arn_fbwrite *f, const void *item) {
  const struct arn__built_code *code = item;
  const int32_t byte = code->code < ARN_BUILTIN_PLACEHOLDER ? code->code : ARN_BUILTIN_PLACEHOLDER;
  arn_fbtable table = {0};
  arn__fbwrite_add(&table, 0, 1, (uint64_t)byte);
  if (code->custom_name.data) arn__fbwrite_add_ref(&table, 1);
  arn__fbwrite_add(&table, 2, 4, (uint32_t)code->version);
  arn__fbwrite_add(&table, 3, 4, (uint32_t)code->code);
  const uint32_t at = arn__fbwrite_table(f, &table);
  if (code->custom_name.data) link_name(f, at, 1, &code->custom_name);
  return at;
}

static uint32_t write_quantisation(arn_fbwrite *f, const struct arn__built_tensor *tensor) {
  const arn_fbvector zero_points = {tensor->zero_points.data, tensor->zero_points.count, 8, 0};
  arn_fbtable table = {0};
  arn__fbwrite_add_ref(&table, 2);
  arn__fbwrite_add_ref(&table, 3);
  if (tensor->axis) arn__fbwrite_add(&table, 6, 4, (uint32_t)tensor->axis);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_numbers(f, at, 2, &tensor->scales);
  arn__fbwrite_link(f, at, 3, arn__fbwrite_vector(f, &zero_points));
  return at;
}

static uint32_t write_tensor(arn_fbwrite *f, const void *item) {
  const struct arn__built_tensor *tensor = item;
  arn_fbtable table = {0};
  arn__fbwrite_add_ref(&table, 0);
  arn__fbwrite_add(&table, 1, 1, (uint64_t)tensor->type);
  arn__fbwrite_add(&table, 2, 4, tensor->buffer);
  arn__fbwrite_add_ref(&table, 3);
  if (tensor->scales.count) arn__fbwrite_add_ref(&table, 4);
  if (tensor->is_variable) arn__fbwrite_add(&table, 5, 1, 1);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_numbers(f, at, 0, &tensor->shape);
  link_name(f, at, 3, &tensor->name);
  if (tensor->scales.count) arn__fbwrite_link(f, at, 4, write_quantisation(f, tensor));
  return at;
}

// Returns the bytes of an element of a vector field of this kind, 0 where it is another field.
static uint32_t element_bytes(char kind) {
  return kind == 'b' ? 1 : kind == 'h' ? 2 : kind == 'w' ? 4 : kind == 'd' ? 8 : 0;
}

static void add_option(arn_fbtable *table, uint16_t id, char kind, double value) {
  if (kind == 'f') arn__fbwrite_add_f32(table, id, (float)value);
  else arn__fbwrite_add(table, id, (uint8_t)(kind - '0'), (uint64_t)(int64_t)value);
}

// Every scalar is written, also where it equals the schema's default: that is valid, and it needs
// no table of defaults.
static uint32_t write_option_table(arn_fbwrite *f, const arn_build_options *options,
                                   const char *kinds) {
  const double *value = options->values;
  const arn_build_list *list = options->lists;
  arn_fbtable table = {0};
  for (uint16_t id = 0; kinds[id]; id++) {
    const bool is_list = element_bytes(kinds[id]) > 0;
    if (strchr("1248f", kinds[id])) add_option(&table, id, kinds[id], *value++);
    if (kinds[id] == 's' || (is_list && list->values)) arn__fbwrite_add_ref(&table, id);
    list += is_list;
  }
  return arn__fbwrite_table(f, &table);
}

// Writes a list as the vector that field `id` of `table` refers to.
static void link_option_list(arn_fbwrite *f, uint32_t table, uint16_t id, uint32_t width,
                             const arn_build_list *list) {
  uint8_t bytes[8 * ARN_BUILD_MAX_LIST];
  const arn_fbvector vector = {bytes, list->count, width, 0};
  for (uint32_t i = 0; i < list->count; i++) {
    const int64_t number = list->values[i];
    memcpy(bytes + i * width, &number, width);
  }
  arn__fbwrite_link(f, table, id, arn__fbwrite_vector(f, &vector));
}

static uint32_t write_options(arn_fbwrite *f, const arn_build_options *options) {
  const char *kinds = arn__schema_option_fields(options->type);
  const uint32_t at = write_option_table(f, options, kinds);
  const char *const *text = options->texts;
  const arn_build_list *list = options->lists;
  for (uint16_t id = 0; kinds[id]; id++) {
    const uint32_t width = element_bytes(kinds[id]);
    if (kinds[id] == 's') {
      arn__fbwrite_link(f, at, id, arn__fbwrite_string(f, *text, (uint32_t)strlen(*text)));
      text++;
    }
    if (width > 0 && list->values) link_option_list(f, at, id, width, list);
    list += width > 0;
  }
  return at;
}

static uint32_t write_operator(arn_fbwrite *f, const void *item) {
  const struct arn__built_operator *operation = item;
  const arn_build_options *options = &operation->options;
  const bool second = options->type > ARN_OPTIONS2;
  const uint32_t type = (uint32_t)options->type - (second ? ARN_OPTIONS2 : 0);
  const uint16_t type_id = second ? 11 : 3, value_id = second ? 12 : 4;
  arn_fbtable table = {0};
  arn__fbwrite_add(&table, 0, 4, operation->code_index);
  arn__fbwrite_add_ref(&table, 1);
  arn__fbwrite_add_ref(&table, 2);
  if (options->type) arn__fbwrite_add(&table, type_id, 1, type);
  if (options->type) arn__fbwrite_add_ref(&table, value_id);
  if (operation->custom_options.data) arn__fbwrite_add_ref(&table, 5);
  if (operation->intermediates.count) arn__fbwrite_add_ref(&table, 8);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_numbers(f, at, 1, &operation->inputs);
  link_numbers(f, at, 2, &operation->outputs);
  if (options->type) arn__fbwrite_link(f, at, value_id, write_options(f, options));
  if (operation->custom_options.data) {
    const arn_fbvector bytes = {operation->custom_options.data, operation->custom_options.count, 1,
                                16};
    arn__fbwrite_link(f, at, 5, arn__fbwrite_vector(f, &bytes));
  }
  if (operation->intermediates.count) link_numbers(f, at, 8, &operation->intermediates);
  return at;
}

static uint32_t write_subgraph(arn_fbwrite *f, const void *item) {
  const struct arn__built_subgraph *subgraph = item;
  arn_fbtable table = {0};
  for (uint16_t id = 0; id < 5; id++) arn__fbwrite_add_ref(&table, id);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_list(f, at, 0, &subgraph->tensors, sizeof(struct arn__built_tensor), write_tensor);
  link_numbers(f, at, 1, &subgraph->inputs);
  link_numbers(f, at, 2, &subgraph->outputs);
  link_list(f, at, 3, &subgraph->operators, sizeof(struct arn__built_operator), write_operator);
  link_name(f, at, 4, &subgraph->name);
  return at;
}

static uint32_t write_buffer(arn_fbwrite *f, const void *item) {
  const struct arn__built_buffer *buffer = item;
  arn_fbtable table = {0};
  if (!buffer->data.count) return arn__fbwrite_table(f, &table);
  arn__fbwrite_add_ref(&table, 0);
  const uint32_t at = arn__fbwrite_table(f, &table);
  const arn_fbvector bytes = {buffer->data.data, buffer->data.count, 1, 16};
  arn__fbwrite_link(f, at, 0, arn__fbwrite_vector(f, &bytes));
  return at;
}

static uint32_t write_metadata(arn_fbwrite *f, const void *item) {
  const struct arn__built_metadata *metadata = item;
  arn_fbtable table = {0};
  arn__fbwrite_add_ref(&table, 0);
  arn__fbwrite_add(&table, 1, 4, metadata->buffer);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_name(f, at, 0, &metadata->name);
  return at;
}

static uint32_t write_alias(arn_fbwrite *f, const void *item) {
  const struct arn__built_alias *alias = item;
  arn_fbtable table = {0};
  arn__fbwrite_add_ref(&table, 0);
  arn__fbwrite_add(&table, 1, 4, (uint32_t)alias->tensor);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_name(f, at, 0, &alias->name);
  return at;
}

static void link_aliases(arn_fbwrite *f, uint32_t table, uint16_t id,
                         const struct arn__blob *aliases) {
  const struct arn__built_alias *alias = aliases->data;
  const uint32_t refs = arn__fbwrite_refs(f, aliases->count);
  arn__fbwrite_link(f, table, id, refs);
  for (uint32_t i = 0; i < aliases->count && !f->error; i++) {
    arn__fbwrite_link_at(f, refs, i, write_alias(f, &alias[i]));
  }
}

static uint32_t write_signature(arn_fbwrite *f, const void *item) {
  const struct arn__built_signature *signature = item;
  arn_fbtable table = {0};
  for (uint16_t id = 0; id < 3; id++) arn__fbwrite_add_ref(&table, id);
  arn__fbwrite_add(&table, 4, 4, (uint32_t)signature->subgraph);
  const uint32_t at = arn__fbwrite_table(f, &table);
  link_aliases(f, at, 0, &signature->inputs);
  link_aliases(f, at, 1, &signature->outputs);
  link_name(f, at, 2, &signature->key);
  return at;
}

static const struct arn__blob default_description = {"Arenite", sizeof "Arenite"};

void arn__build_write(arn_builder *builder, arn_fbwrite *file) {
  const bool described = builder->description.data != NULL;
  arn_fbtable table = {0};
  if (!arn__fbwrite_begin(file, "TFL3")) return;
  arn__fbwrite_add(&table, 0, 4, 3);
  for (uint16_t id = 1; id < 5; id++) arn__fbwrite_add_ref(&table, id);
  if (builder->metadata.count) arn__fbwrite_add_ref(&table, 6);
  if (builder->signatures.count) arn__fbwrite_add_ref(&table, 7);
  const uint32_t at = arn__fbwrite_table(file, &table);
  arn__fbwrite_link_root(file, at);
  link_name(file, at, 3, described ? &builder->description : &default_description);
  link_list(file, at, 1, &builder->codes, sizeof(struct arn__built_code), write_code);
  link_list(file, at, 2, &builder->subgraphs, sizeof(struct arn__built_subgraph), write_subgraph);
  if (builder->metadata.count) {
    link_list(file, at, 6, &builder->metadata, sizeof(struct arn__built_metadata), write_metadata);
  }
  if (builder->signatures.count) {
    link_list(file, at, 7, &builder->signatures, sizeof(struct arn__built_signature),
              write_signature);
  }
  link_list(file, at, 4, &builder->buffers, sizeof(struct arn__built_buffer), write_buffer);
  arn__fbwrite_pad(file, 16);
}
