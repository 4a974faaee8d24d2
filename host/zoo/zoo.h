// Networks of the literature, by shape. Memory depends on shapes, not on weights: these have random
// weights (randomise.c) and are built to measure peak memory against published figures.
#ifndef ARENITE_HOST_ZOO_ZOO_H
#define ARENITE_HOST_ZOO_ZOO_H

#include "host/zoo/net.h"

// A MobileNetV2: its width multiplier in hundredths, the side of its square RGB input, its classes.
typedef struct arn_zoo_entry {
  const char *name;
  int32_t width_percent, side, classes;
} arn_zoo_entry;

// The networks known by name; entry `count` has a NULL name.
extern const arn_zoo_entry arn_zoo_entries[];

// Finds an entry; NULL if there is none.
const arn_zoo_entry *arn_zoo_find(const char *name);

// Describes the network, without weights. Needs: *net zeroed. Errors are kept in net->error.
void arn_zoo_describe(const arn_zoo_entry *entry, arn_net *net);

#endif
