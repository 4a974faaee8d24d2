// Facts of an engine that runs by a row plan: a step is a step of the plan, and a tensor lies in
// groups of bytes that come and go.
#ifndef ARENITE_HOST_REPORT_ROW_FACTS_H
#define ARENITE_HOST_REPORT_ROW_FACTS_H

#include "host/report/facts.h"

// Fills steps, groups, lives and owners. Needs: an engine that runs by a row plan, facts of its
// nodes in `nodes`, and the tensors' places. Returns false where the host has no memory.
bool host_row_facts_gather(host_facts *facts, const host_step_fact *nodes);

#endif
