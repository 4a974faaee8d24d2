// Advice as text.
#include "host/decide/advice.h"
#include "host/decide/names.h"
#include "host/decide/wrap.h"

const char *host_advice_purpose(arn_what what) {
  switch (what) {
    case ARN_WHAT_ARENA_RECORDS: return "the engine's records";
    case ARN_WHAT_ARENA_STATE: return "the prepared data of an operator";
    case ARN_WHAT_ARENA_VARIABLE: return "a variable";
    case ARN_WHAT_ARENA_WEIGHTS: return "weights to be copied";
    case ARN_WHAT_ARENA_PREPARE: return "temporary records of planning";
    case ARN_WHAT_ARENA_TENSOR: return "a tensor";
    case ARN_WHAT_ARENA_SCRATCH: return "the scratch of an operator";
    default: return "memory";
  }
}

static void print_failing(FILE *out, const host_advice_case *c, const arn_error *e) {
  arn_model model;
  arn_error ignored;
  if (e->status == ARN_OK || arn_model_open(&model, c->bytes, c->size, &ignored) != ARN_OK) return;
  fprintf(out, "  what fails: %s: %u bytes are needed, %u are there\n",
          host_advice_purpose(e->what), e->need, e->have);
  const uint32_t subgraph = e->subgraph >= 0 ? (uint32_t)e->subgraph : 0;
  if (e->node >= 0) {
    fprintf(out, "              for node %d (%s)\n", e->node,
            host_name_of_node(&model, subgraph, (uint32_t)e->node).text);
  }
  if (e->tensor >= 0) {
    fprintf(out, "              for tensor %d \"%s\"\n", e->tensor,
            host_name_of_tensor(&model, subgraph, (uint32_t)e->tensor).text);
  }
}

static void print_causes(FILE *out, const host_advice *a) {
  fprintf(out, "\nWhy: the arena planned again without each\n");
  fprintf(out, "  %-14s %9s %9s\n", "without", "arena", "saved");
  for (uint32_t i = 0; i < a->cause_count; i++) {
    const host_cause *cause = &a->causes[i];
    const bool decides = !a->fits && cause->arena_without <= a->arena_bytes;
    fprintf(out, "  %-14s %9u %9lld%s\n", cause->name, cause->arena_without,
            (long long)a->need_bytes - cause->arena_without, decides ? "  it would fit" : "");
    host_wrap(out, 6, cause->text);
  }
}

static void print_remedies(FILE *out, const host_advice *a) {
  fprintf(out, "\nWhat to do, by bytes saved; each was done to know\n");
  if (a->remedy_count == 0) fprintf(out, "  nothing that this tool knows saves a byte\n");
  for (uint32_t i = 0; i < a->remedy_count; i++) {
    const host_remedy *r = &a->remedies[i];
    fprintf(out, "  saves %u: arena %u%s: %s\n", a->need_bytes - r->arena_bytes, r->arena_bytes,
            r->fits ? " (fits)" : "", r->name);
    host_wrap(out, 6, r->text);
    host_wrap(out, 6, r->command);
  }
}

void host_advice_print(FILE *out, const host_advice_case *c, const host_advice *a) {
  fprintf(out, "%.99s\n", c->path);
  if (a->fits) {
    fprintf(out, "  fits: %u bytes are needed, %u to spare\n", a->need_bytes,
            a->arena_bytes - a->need_bytes);
  } else {
    fprintf(out, "  does not fit %u bytes: %u are needed, %u are lacking\n", a->arena_bytes,
            a->need_bytes, a->need_bytes - a->arena_bytes);
    print_failing(out, c, &a->failing);
  }
  print_causes(out, a);
  print_remedies(out, a);
}
