// Everything that is not plain rectangles: placing by order with restarts, and an exact search over pairs.
#ifndef ARENITE_HOST_SEARCH_PACK_GENERAL_H
#define ARENITE_HOST_SEARCH_PACK_GENERAL_H

#include "host/search/pack_model.h"

typedef struct pack_general {
  const pack_model *model;
} pack_general;

bool arn__general_open(pack_general *g, const pack_model *model);
void arn__general_close(pack_general *g);
int arn__general_attempt(pack_general *g, pack_attempt *attempt);

#endif
