#include "../lrn.h"

#include <math.h>

void arn__lrn_f32(float *out, const float *in, const arn__lrn_shape *s) {
  for (uint32_t v = 0; v < s->vectors; v++, in += s->depth, out += s->depth) {
    for (uint32_t c = 0; c < s->depth; c++) {
      const uint32_t first = c > s->radius ? c - s->radius : 0;
      const uint32_t room = s->depth - 1 - c;
      const uint32_t last = c + (s->radius < room ? s->radius : room);
      float square = 0.0f;
      for (uint32_t k = first; k <= last; k++) square += in[k] * in[k];
      out[c] = in[c] * powf(s->bias + s->alpha * square, -s->beta);
    }
  }
}
