#include "fft_s32.h"

#include "fft_plain.h"
#include "fft_wide_join.h"

ARN__KERNEL void arn__fft_inverse_s32_portable(int32_t *out, const int32_t *in,
                                               const arn__fft *fft) {
  const source from = {in, fft->length / 2, 0};
  if (is_wide(fft)) {
    transform_wide(out, &from, load_joined);
    for (uint32_t i = 0; i < from.n; i++) set_at(out, i, exchange(at(out, i)));
  } else {
    inverse_plain(out, in, fft);
  }
}
