// model_ops MODEL.tflite: prints a header that names the operators which the model needs, one line
// each ARN_OP(record), and includes nothing: define ARN_OP around it. For images that link only
// those.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arenite/arenite.h"
#include "host/check/engine.h"
#include "src/graph/graph.h"

struct record {
  const char *name;
  const arn_op *op;
};

static const struct record records[] = {
#define ARN_OP(record) {#record, &arn_op_##record},
#include "arenite/ops.def"
#undef ARN_OP
};

#define COUNT (sizeof records / sizeof records[0])

// Marks the operators of a subgraph. Returns false where one is not known.
static bool mark(const arn_model *m, uint32_t subgraph, bool *needed) {
  arn_subgraph g;
  arn_node node;
  if (arn_model_subgraph(m, subgraph, &g) != ARN_OK) return false;
  for (uint32_t n = 0; n < g.node_count; n++) {
    arn_model_node(m, &g, n, &node);
    const int32_t found = arn__graph_find_op(m, &arn_ops_all, &node);
    if (found < 0) {
      fprintf(stderr, "model_ops: subgraph %u, node %u: there is no such operator\n", subgraph, n);
      return false;
    }
    needed[found] = true;
  }
  return true;
}

int main(int argc, char **argv) {
  arn_model model;
  bool needed[COUNT] = {false};
  size_t size = 0;
  bool ok = true;
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
  for (uint32_t s = 0; s < model.subgraph_count && ok; s++) ok = mark(&model, s, needed);
  for (size_t i = 0; i < COUNT && ok; i++) {
    if (needed[i]) printf("ARN_OP(%s)\n", records[i].name);
  }
  free(bytes);
  return ok ? 0 : 4;
}
