#include "host/cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1u << 30)

int cli_fail(int code, const char *format, ...) {
  va_list arguments;
  fputs("arenite: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return code;
}

static const char *next_step(const arn_error *e) {
  switch (e->what) {
    case ARN_WHAT_OP_FLEX: return "; convert the model without SELECT_TF_OPS";
    case ARN_WHAT_OP_VENDOR: return "; use the file from before the vendor's compiler";
    case ARN_WHAT_OP_CUSTOM: return "; register the custom operator, or replace it in the model";
    case ARN_WHAT_IDENTIFIER: return "; give a .tflite file";
    case ARN_WHAT_DIMENSION: return "; convert the model with fixed input shapes";
    default: break;
  }
  if (e->status == ARN_ERR_MODEL) return "; convert the model again, or check the download";
  if (e->status == ARN_ERR_UNSUPPORTED || e->status == ARN_ERR_NO_OP) {
    return "; `arenite inspect` lists all reasons";
  }
  return "";
}

static int exit_code_of(arn_status status) {
  switch (status) {
    case ARN_ERR_MODEL:
    case ARN_ERR_PLAN: return EXIT_MODEL;
    case ARN_ERR_UNSUPPORTED:
    case ARN_ERR_NO_OP: return EXIT_UNSUPPORTED;
    case ARN_ERR_NO_MEMORY: return EXIT_ARENA;
    case ARN_ERR_DATA: return EXIT_CHECK;
    case ARN_ERR_ARGUMENT: return EXIT_USAGE;
    default: return EXIT_INTERNAL;
  }
}

// The operator and the tensor by name, where the model knows them.
static void name_place(const cli_model *m, const arn_error *e, char *text, size_t size) {
  arn_subgraph g;
  arn_node node;
  arn_tensor t;
  size_t used = 0;
  text[0] = '\0';
  if (m->model.bytes == NULL || e->subgraph < 0) return;
  if (arn_model_subgraph(&m->model, (uint32_t)e->subgraph, &g) != ARN_OK) return;
  if (e->node >= 0 && (uint32_t)e->node < g.node_count) {
    arn_model_node(&m->model, &g, (uint32_t)e->node, &node);
    uint32_t length;
    const char *custom = arn_model_string(&m->model, node.name_at, &length);
    const bool is_custom = node.code == ARN_CODE_CUSTOM;
    used += (size_t)snprintf(text, size, " (%s%.*s", is_custom ? "custom operator " : "",
                             is_custom ? (int)(length < 64 ? length : 64) : 0, custom);
    if (!is_custom) used += (size_t)snprintf(text + used, size - used, "%s", arn_code_name(node.code));
    used += (size_t)snprintf(text + used, size - used, ")");
  }
  if (e->tensor >= 0 && (uint32_t)e->tensor < g.tensor_count && used < size) {
    uint32_t length;
    arn_model_tensor(&m->model, &g, (uint32_t)e->tensor, &t);
    const char *name = arn_model_string(&m->model, t.name_at, &length);
    snprintf(text + used, size - used, " (tensor \"%.*s\", %s)", (int)(length < 80 ? length : 80),
             name, arn_type_name((arn_type)t.type));
  }
}

void cli_say_not_supported(arn_error *error) {
  if (error->what == ARN_WHAT_OP_NOT_REGISTERED) error->what = ARN_WHAT_OP_NOT_SUPPORTED;
}

int cli_complain(const cli_model *m, const arn_error *given) {
  char text[512], place[256];
  arn_error copy = *given;
  const arn_error *error = &copy;
  cli_say_not_supported(&copy);
  arn_error_format(error, text, sizeof text);
  name_place(m, error, place, sizeof place);
  return cli_fail(exit_code_of(error->status), "%s: %s%s%s", m->path, text, place,
                  next_step(error));
}

int cli_load(cli_model *m, const char *path) {
  arn_error error = {0};
  memset(m, 0, sizeof *m);
  m->path = path;
  m->bytes = host_read_file(path, &m->size);
  if (m->bytes == NULL) {
    return cli_fail(EXIT_IO, "%s: can't be read: %s", path, strerror(errno));
  }
  if (arn_model_open(&m->model, m->bytes, m->size, &error) == ARN_OK) return EXIT_OK;
  const int code = cli_complain(m, &error);
  cli_unload(m);
  return code;
}

void cli_unload(cli_model *m) {
  free(m->bytes);
  m->bytes = NULL;
}

bool cli_parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *number) {
  char *end;
  errno = 0;
  if (text[0] < '0' || text[0] > '9') return false;
  const unsigned long long value = strtoull(text, &end, 0);
  if (errno || *end != '\0' || value < least || value > most) return false;
  *number = (uint32_t)value;
  return true;
}

bool cli_parse_bytes(const char *text, uint32_t *bytes) {
  char *end;
  errno = 0;
  if (text[0] < '0' || text[0] > '9') return false;
  unsigned long long value = strtoull(text, &end, 0);
  if (errno || value > MAX_BYTES) return false;
  if (*end == 'K' || *end == 'k') value <<= 10, end++;
  else if (*end == 'M' || *end == 'm') value <<= 20, end++;
  if (*end != '\0' || value > MAX_BYTES) return false;
  *bytes = (uint32_t)value;
  return true;
}

bool cli_parse_planner(const char *text, uint8_t *planner) {
  static const char *const names[] = {"auto", "greedy", "lifetime", "colour", "id", "offline"};
  for (uint8_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    *planner = i;
    return true;
  }
  return false;
}

int cli_start(const cli_model *m, const cli_options *o, const arn_hooks *hooks, host_engine *e) {
  arn_error error = {0};
  host_options options = {.fill = HOST_FILL_A5, .arena_bytes = o->arena_bytes};
  options.config.planner = o->planner;
  options.config.flags = o->flags;
  options.config.alignment = (uint16_t)o->alignment;
  if (hooks) options.config.hooks = *hooks;
  if (host_engine_open(e, m->bytes, m->size, &options, &error) == ARN_OK) return EXIT_OK;
  return cli_complain(m, &error);
}
