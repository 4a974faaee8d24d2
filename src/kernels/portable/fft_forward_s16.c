#include "fft_s16.h"

#include "fft_plain.h"
#include "fft_wide_split.h"

ARN__KERNEL void arn__fft_forward_s16_portable(int16_t *out, const int16_t *in,
                                               const arn__fft *fft) {
  const source from = {in, fft->length / 2, fft->count};
  if (!is_wide(fft)) {
    forward_plain(out, in, fft);
    return;
  }
  transform_wide(out, &from, load_real);
  split_wide(out, from.n);
}
