// The kernels behind computations of reductions and scatters.
#include "stablehlo.h"

arn_status arn__shlo_check_scales(const arn_prepare *p, arn__shlo_body body, const arn_tensor *a,
                                  const arn_tensor *b) {
  const bool is_sum = body == ARN__SHLO_ADD || body == ARN__SHLO_MULTIPLY;
  if (is_sum && a->scale_count > 0) return arn_refuse(p, ARN_WHAT_QUANTISATION, a);
  return arn__shlo_same_scale(p, a, b);
}

// The kernels of a computation by type; the same for signed and unsigned ones where these wrap.
typedef struct folds {
  arn__reduce_fold *s8, *u8, *s16, *s32, *s64, *f32;
} folds;

static const folds adds = {arn__reduce_add_8,  arn__reduce_add_8,   arn__reduce_add_16,
                           arn__reduce_add_32, arn__reduce_add_s64, arn__reduce_add_f32};
static const folds multiplies = {arn__reduce_multiply_8,   arn__reduce_multiply_8,
                                 arn__reduce_multiply_16,  arn__reduce_multiply_s32,
                                 arn__reduce_multiply_s64, arn__reduce_multiply_f32};
static const folds minima = {arn__reduce_min_s8,  arn__reduce_min_u8,  arn__reduce_min_s16,
                             arn__reduce_min_s32, arn__reduce_min_s64, arn__reduce_min_f32};
static const folds maxima = {arn__reduce_max_s8,  arn__reduce_max_u8,  arn__reduce_max_s16,
                             arn__reduce_max_s32, arn__reduce_max_s64, arn__reduce_max_f32};

static arn__reduce_fold *fold_of(const folds *f, uint32_t type) {
  switch (type) {
    case ARN_INT8: return f->s8;
    case ARN_UINT8: return f->u8;
    case ARN_INT16: return f->s16;
    case ARN_INT32: return f->s32;
    case ARN_INT64: return f->s64;
    case ARN_FLOAT32: return f->f32;
    default: return NULL;
  }
}

static arn__reduce_fold *choose(arn__shlo_body body, uint32_t type) {
  switch (body) {
    case ARN__SHLO_ADD: return fold_of(&adds, type);
    case ARN__SHLO_MULTIPLY: return fold_of(&multiplies, type);
    case ARN__SHLO_MINIMUM: return fold_of(&minima, type);
    case ARN__SHLO_MAXIMUM: return fold_of(&maxima, type);
    case ARN__SHLO_ALL: return type == ARN_BOOL ? arn__reduce_all_8 : NULL;
    case ARN__SHLO_ANY: return type == ARN_BOOL ? arn__reduce_any_8 : NULL;
    default: return NULL;
  }
}

bool arn__shlo_reducer(arn__shlo_body body, uint32_t type, arn__reducer *how) {
  const uint8_t bytes = (uint8_t)arn_type_bytes((arn_type)type);
  arn__reduce_store *const store = bytes == 1   ? arn__reduce_copy_8
                                   : bytes == 2 ? arn__reduce_copy_16
                                   : bytes == 4 ? arn__reduce_copy_32
                                                : arn__reduce_copy_64;
  *how = (arn__reducer){choose(body, type), store, 0, (uint8_t)type, bytes, bytes, bytes};
  return how->fold != NULL;
}

uint64_t arn__shlo_initial(const void *value, const arn__reducer *how) {
  uint64_t bytes = 0;
  memcpy(&bytes, value, how->in_bytes);
  return how->type == ARN_BOOL ? bytes != 0 : bytes;
}
