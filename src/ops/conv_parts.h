// Between the files of conv_common.h: what a node is while it is prepared and while it runs.
#ifndef ARENITE_SRC_OPS_CONV_PARTS_H
#define ARENITE_SRC_OPS_CONV_PARTS_H

#include "conv_common.h"

enum { ARN__CONV_INPUT = 0, ARN__CONV_FILTER = 1, ARN__CONV_BIAS = 2 };

typedef struct arn__conv_tensors {
  arn_tensor in, filter, bias, out;
  bool has_bias;
  bool depthwise;
  int32_t channel_axis;  // of the filter
} arn__conv_tensors;

// What the channels of a block need besides their weights.
typedef union arn__conv_data {
  arn__requant requant[ARN__CONV_CHANNELS];
  struct {
    float bias[ARN__CONV_CHANNELS], scale[ARN__CONV_CHANNELS];
  } real;
} arn__conv_data;

typedef struct arn__conv_run {
  const arn_eval *e;
  const arn__conv_state *s;
  const arn__conv_kinds *kinds;
  arn__conv_kernel *kernel;
  arn_rows in, out;
  const void *filter, *bias;
  uint32_t group_out;   // output channels of a group
  arn__conv conv;
  arn__conv_data data;
} arn__conv_run;

// What float nodes need; prepare fills s->with.real.
struct arn__conv_real {
  arn_status (*prepare)(const arn_prepare *p, const arn__conv_tensors *t, int32_t activation,
                        arn__conv_state *s);
  void (*begin)(arn__conv_run *r);                      // sets bounds and zero point in r->conv
  void (*block)(arn__conv_run *r, arn__conv_block *b);  // sets bias and scales of a block
};

// What sparse filters need.
struct arn__conv_sparse {
  arn_status (*prepare)(arn_prepare *p, const arn__conv_tensors *t, arn__conv_state *s);
  void (*decode)(const arn__conv_run *r, uint32_t first, uint32_t count);  // into scratch
};

// Checks the number of scales and zero points of the filter, and that zero points are all the same.
ARN_MUST_CHECK arn_status arn__conv_read_filter(const arn_prepare *p, const arn__conv_tensors *t,
                                                arn__conv_state *s, int32_t *zero);

#endif
