#include "host/check/compare.h"

#include <math.h>
#include <string.h>

static bool agree(float got, float want, host_tolerance t) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
  if (isinf(want) || isinf(got)) return want == got;
  return fabs((double)got - (double)want) <= t.absolute + t.relative * fabs((double)want);
}

static void note(host_difference *d, size_t index, double got, double want) {
  if (d->count++ > 0) return;
  d->index = index;
  d->got = got;
  d->want = want;
}

bool host_compare(const void *got, const void *want, size_t bytes, host_tolerance t,
                  host_difference *d) {
  memset(d, 0, sizeof *d);
  if (t.exact) {
    const uint8_t *g = got, *w = want;
    for (size_t i = 0; i < bytes; i++) {
      if (g[i] != w[i]) note(d, i, g[i], w[i]);
    }
    return d->count == 0;
  }
  for (size_t i = 0; i < bytes / sizeof(float); i++) {
    float g, w;
    memcpy(&g, (const uint8_t *)got + i * sizeof g, sizeof g);
    memcpy(&w, (const uint8_t *)want + i * sizeof w, sizeof w);
    if (!agree(g, w, t)) note(d, i, (double)g, (double)w);
  }
  return d->count == 0;
}

host_tolerance host_model_tolerance(const float *want, size_t count) {
  double most = 0.0;
  for (size_t i = 0; i < count; i++) {
    if (fabs((double)want[i]) > most) most = fabs((double)want[i]);
  }
  return (host_tolerance){false, 1e-5, 1e-5 * most + 1e-7};
}
