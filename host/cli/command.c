#include "host/cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/gate.h"
#include "host/cli/progress.h"
#include "host/rewrite/optimize.h"

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
    if (!is_custom) {
      used += (size_t)snprintf(text + used, size - used, "%s", arn_code_name(node.code));
    }
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
  copy.total_need = 0;   // said at the end
  arn_error_format(error, text, sizeof text);
  name_place(m, error, place, sizeof place);
  if (given->total_need > 0) {
    return cli_fail(exit_code_of(error->status), "%s: %s%s; give the arena %u bytes, or see what "
                    "`arenite diagnose` finds", m->path, text, place, given->total_need);
  }
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
  if (arn_model_open(&m->model, m->bytes, m->size, &error) == ARN_OK) {
    arn_model_infer_shapes(&m->model);
    return EXIT_OK;
  }
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
    if (strcmp(text, names[i]) == 0) {
      *planner = i;
      return true;
    }
  }
  if (strcmp(text, "rows") != 0) return false;
  *planner = CLI_PLANNER_ROWS;
  return true;
}

bool cli_parse_stream(const char *text, cli_options *o, bool is_input) {
  uint32_t port;
  if (!cli_parse_number(text, 0, 31, &port)) return false;
  *(is_input ? &o->stream.inputs : &o->stream.outputs) |= 1u << port;
  o->planner = CLI_PLANNER_ROWS;
  return true;
}

// Every port that was to be streamed must be.
static int check_stream(const cli_model *m, const host_engine *e, uint32_t i, bool is_input) {
  arn_subgraph g;
  const char *name = is_input ? "input" : "output";
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return EXIT_INTERNAL;
  if (i >= (is_input ? g.input_count : g.output_count)) {
    return cli_fail(EXIT_USAGE, "%s: there is no %s %u to be streamed", m->path, name, i);
  }
  const arn_tensor_view view = is_input ? arn_input(&e->nn, i) : arn_output(&e->nn, i);
  if (view.data == NULL) return EXIT_OK;
  return cli_fail(EXIT_UNSUPPORTED, "%s: %s %u can't be streamed: %s", m->path, name, i,
                  is_input ? "it is no tensor of its own" : "it is read by operators as well");
}

int cli_check_streams(const cli_model *m, host_stream_wish wish, const host_engine *e) {
  int code = EXIT_OK;
  for (uint32_t i = 0; i < 32 && code == EXIT_OK; i++) {
    if (wish.inputs >> i & 1) code = check_stream(m, e, i, true);
    if (wish.outputs >> i & 1 && code == EXIT_OK) code = check_stream(m, e, i, false);
  }
  return code;
}

static arn_status open_engine(const cli_model *m, const host_options *options,
                              const cli_options *o, host_engine *e, arn_error *error,
                              const char **why) {
  const host_search_options search = {.budget_seconds = o->budget_seconds ? o->budget_seconds : 10,
                                      .stream = o->stream,
                                      .progress = cli_progress_show,
                                      .context = "planning rows"};
  arn_optimized r;
  if (o->planner != CLI_PLANNER_ROWS) {
    return host_engine_open(e, m->bytes, m->size, options, error);
  }
  arn_status status = arn_optimize(m->bytes, m->size, &search, &r, error, why);
  if (status != ARN_OK) return status;
  void *file = aligned_alloc(64, (r.size / 64 + 1) * 64);
  status = ARN_ERR_INTERNAL;
  if (file) {
    memcpy(file, r.bytes, r.size);
    status = host_engine_open(e, file, r.size, options, error);
    if (status == ARN_OK) e->file = file;
    else free(file);
  }
  free(r.bytes);
  return status;
}

// Of two blocks, the one that is too small.
static int too_small(const cli_model *m, const arn_error *e) {
  const bool dynamic = e->what == ARN_WHAT_ARENA_TENSOR || e->what == ARN_WHAT_ARENA_SCRATCH ||
                       e->what == ARN_WHAT_ARENA_PREPARE;
  return cli_fail(EXIT_ARENA, "%s: %s is too small; it needs %u bytes", m->path,
                  dynamic ? "the block of the dynamic region (--dynamic)"
                          : "the arena, of the static region alone (--arena),", e->total_need);
}

int cli_start(const cli_model *m, const cli_options *o, const arn_hooks *hooks, host_engine *e) {
  arn_error error = {0};
  const char *why = NULL;
  host_options options = {.fill = HOST_FILL_A5, .arena_bytes = o->arena_bytes,
                          .apart = o->dynamic_bytes > 0, .apart_bytes = o->dynamic_bytes};
  const bool by_rows = o->planner == CLI_PLANNER_ROWS;
  options.config.planner = by_rows ? ARN_PLANNER_AUTO : o->planner;
  options.config.flags = o->flags;
  options.config.alignment = (uint16_t)o->alignment;
  if (hooks) options.config.hooks = *hooks;
  if (open_engine(m, &options, o, e, &error, &why) != ARN_OK) {
    if (error.status == ARN_ERR_NO_MEMORY && options.apart) return too_small(m, &error);
    return why ? cli_fail(EXIT_UNSUPPORTED, "%s: %s", m->path, why) : cli_complain(m, &error);
  }
  const int code = o->wish_only ? EXIT_OK : cli_check_streams(m, o->stream, e);
  if (code != EXIT_OK) host_engine_close(e);
  else cli_gate_note(e->usage.arena_bytes);
  return code;
}

int cli_parse_options(int argc, char **argv, const cli_parser *parser, void *request) {
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "", parser->options, NULL)) != -1) {
    if (c == '?') return EXIT_USAGE;
    if (c == 'h') {
      fputs(parser->usage, stdout);
      return -1;
    }
    if (!parser->take(request, c)) {
      return cli_fail(EXIT_USAGE, "\"%s\" is not what this option takes; see `arenite %s --help`",
                      optarg, parser->name);
    }
  }
  return EXIT_OK;
}
