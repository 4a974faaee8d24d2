#include "fft_s32.h"

#include "fft_plain.h"
#include "fft_wide_split.h"

ARN__KERNEL void arn__fft_forward_s32_portable(int32_t *out, const int32_t *in,
                                               const arn__fft *fft) {
  const source from = {in, fft->length / 2, fft->count};
  if (!is_wide(fft)) {
    forward_plain(out, in, fft);
    return;
  }
  transform_wide(out, &from, load_real);
  split_wide(out, from.n);
}
