#include "host/search/pack_general.h"

#include <stdlib.h>
#include <string.h>

bool arn__general_open(pack_general *g, const pack_model *model) {
  memset(g, 0, sizeof *g);
  g->model = model;
  g->order = calloc(model->count + 1u, sizeof *g->order);
  g->urgency = calloc(model->count + 1u, sizeof *g->urgency);
  g->is_ruled = calloc(model->count + 1u, sizeof *g->is_ruled);
  if (g->order && g->urgency && g->is_ruled && arn__conflict_open(&g->conflicts, model)) {
    for (uint32_t i = 0; i < model->problem->rule_count; i++) {
      g->is_ruled[model->problem->rules[i].upper] = 1;
      g->is_ruled[model->problem->rules[i].lower] = 1;
    }
    return true;
  }
  arn__general_close(g);
  return false;
}

void arn__general_close(pack_general *g) {
  arn__conflict_close(&g->conflicts);
  free(g->order);
  free(g->urgency);
  free(g->is_ruled);
  memset(g, 0, sizeof *g);
}

int arn__general_attempt(pack_general *g, pack_attempt *a) {
  return a->turn % 2u ? arn__general_decide(g, a) : arn__general_place(g, a);
}
