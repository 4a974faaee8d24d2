#include "../move.h"

// `run` is constant, or 0 for that of `g`: each call of this becomes a loop of its own.
ARN__INLINE uint32_t gather(uint8_t *target, const uint8_t *source, const arn__gather *g,
                            uint32_t run) {
  const arn__gather o = *g;  // a store of bytes might change what a pointer points to
  for (uint32_t i = 0; i < o.count; i++) {
    const uint32_t index = arn__gather_index(o.indices, o.width, i);
    if (index >= o.length) return i;
    arn__move_run(target + (size_t)i * (run ? run : o.run),
                  source + (size_t)index * (run ? run : o.run), run ? run : o.run);
  }
  return o.count;
}

uint32_t arn__move_gather_portable(uint8_t *target, const uint8_t *source, const arn__gather *g) {
  switch (g->run) {
    case 1: return gather(target, source, g, 1);
    case 4: return gather(target, source, g, 4);
    default: return gather(target, source, g, 0);
  }
}

// `tuple` is constant, or that of `g`.
ARN__INLINE uint32_t gather_nd(uint8_t *target, const uint8_t *source, const arn__gather_nd *g,
                               uint32_t tuple) {
  const arn__gather_nd o = *g;
  uint32_t dims[8];
  for (uint32_t i = 0; i < tuple; i++) dims[i] = o.dims[i];
  for (uint32_t k = 0; k < o.count; k++) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < tuple; i++) {
      const uint32_t index = arn__gather_index(o.indices, o.width, k * tuple + i);
      if (index >= dims[i]) return k;
      at = at * dims[i] + index;
    }
    arn__move_run(target + (size_t)k * o.run, source + (size_t)at * o.run, o.run);
  }
  return o.count;
}

uint32_t arn__move_gather_nd_portable(uint8_t *target, const uint8_t *source,
                                      const arn__gather_nd *g) {
  if (g->tuple == 2) return gather_nd(target, source, g, 2);
  return gather_nd(target, source, g, g->tuple);
}
