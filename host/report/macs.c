// Counting multiply-accumulates from shapes.
#include "host/report/facts.h"

static bool read(const arn_model *m, const arn_subgraph *g, uint32_t at, uint32_t count, uint32_t i,
                 arn_tensor *t) {
  if (i >= count || arn_model_index(m, at, i) < 0) return false;
  arn_model_tensor(m, g, (uint32_t)arn_model_index(m, at, i), t);
  return true;
}

uint64_t host_macs(const arn_model *m, const arn_subgraph *g, const arn_node *n) {
  arn_tensor in, weights, out;
  if (!read(m, g, n->inputs_at, n->input_count, 0, &in)) return 0;
  if (!read(m, g, n->inputs_at, n->input_count, 1, &weights)) return 0;
  if (!read(m, g, n->outputs_at, n->output_count, 0, &out)) return 0;
  switch (n->code) {
    case 3:  // CONV_2D: weights [out][h][w][in]
    case 9:  // FULLY_CONNECTED: weights [out][in]
      return weights.rank == 0 || weights.dims[0] <= 0
                 ? 0 : (uint64_t)out.count * (weights.count / (uint32_t)weights.dims[0]);
    case 4:  // DEPTHWISE_CONV_2D: weights [1][h][w][out]
      return weights.rank != 4
          ? 0 : (uint64_t)out.count * (uint32_t)(weights.dims[1] * weights.dims[2]);
    case 67:  // TRANSPOSE_CONV: inputs are shape, weights, data
      if (!read(m, g, n->inputs_at, n->input_count, 2, &in)) return 0;
      return weights.rank != 4 ? 0
                 : (uint64_t)in.count * (uint32_t)weights.dims[0] *
                       (uint32_t)(weights.dims[1] * weights.dims[2]);
    case 126:  // BATCH_MATMUL
      return in.rank == 0 ? 0 : (uint64_t)out.count * (uint32_t)in.dims[in.rank - 1];
    case 27:  // SVDF: feature and time weights
      return (uint64_t)weights.count + (read(m, g, n->inputs_at, n->input_count, 2, &out)
                                            ? out.count : 0);
    case 44: {  // UNIDIRECTIONAL_SEQUENCE_LSTM: four input and four recurrent matrices a time step
      const uint32_t cells = (uint32_t)out.dims[out.rank > 0 ? out.rank - 1 : 0];
      const uint32_t features = (uint32_t)in.dims[in.rank > 0 ? in.rank - 1 : 0];
      return cells ? (uint64_t)out.count * 4u * (cells + features) : 0;
    }
    default: return 0;
  }
}
