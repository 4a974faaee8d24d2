#include "fft_s16.h"

#include "fft_plain.h"
#include "fft_wide_join.h"

ARN__KERNEL void arn__fft_inverse_s16_portable(int16_t *out, const int16_t *in,
                                               const arn__fft *fft) {
  const source from = {in, fft->length / 2, 0};
  if (is_wide(fft)) {
    transform_wide(out, &from, load_joined);
    for (uint32_t i = 0; i < from.n; i++) set_at(out, i, exchange(at(out, i)));
  } else {
    inverse_plain(out, in, fft);
  }
}
