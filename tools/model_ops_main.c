// model_ops MODEL.tflite: prints a header that names the operators which the model needs, one line
// each ARN_OP(record), and includes nothing: define ARN_OP around it. It defines MODEL_PLANS, for
// arn_op_list.plans. For images that link only what a model needs: where a record of one type
// (arenite/typed_ops.def) takes all nodes of an operator, it is named, not that for all types.
#include <stdio.h>
#include <stdlib.h>

#include "arenite/arenite.h"
#include "host/check/engine.h"
#include "host/check/typed.h"

static bool print(const arn_model *model) {
  static host_typed_ops typed;
  arn_error missing;
  if (!host_typed_ops_choose(model, &typed, &missing)) {
    fprintf(stderr, "model_ops: subgraph %d, node %d: there is no such operator\n",
            (int)missing.subgraph, (int)missing.node);
    return false;
  }
  for (uint32_t i = 0; i < typed.list.count; i++) {
    printf("ARN_OP(%s)\n", host_typed_op_name(typed.ops[i]));
  }
  printf("#define MODEL_PLANS %s\n", host_typed_needs_plans(model) ? "&arn_file_plans" : "NULL");
  return true;
}

int main(int argc, char **argv) {
  arn_model model;
  size_t size = 0;
  if (argc != 2) {
    fputs("Usage: model_ops MODEL.tflite\nExample: model_ops examples/kws/kws.tflite\n", stderr);
    return 2;
  }
  void *bytes = host_read_file(argv[1], &size);
  if (bytes == NULL) {
    perror(argv[1]);
    return 6;
  }
  if (arn_model_open(&model, bytes, size, NULL) != ARN_OK) {
    fprintf(stderr, "%s: not a valid model; `arenite inspect` says why\n", argv[1]);
    free(bytes);
    return 3;
  }
  const bool ok = print(&model);
  free(bytes);
  return ok ? 0 : 4;
}
