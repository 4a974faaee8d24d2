// Plans as JSON: schema "arenite.plan" version 1, described in docs/schema/.
#ifndef ARENITE_HOST_REPORT_JSON_H
#define ARENITE_HOST_REPORT_JSON_H

#include <cjson/cJSON.h>

#include "host/report/facts.h"

// Returns a new object {"schema", "version", "model"}; NULL where there is no memory.
cJSON *host_json_new(const char *schema, int version, const char *model);

// Adds everything that a plan has to `object`.
void host_json_add_plan(cJSON *object, const host_facts *facts);

// Adds the node list: the tensors that each node reads and writes.
void host_json_add_nodes(cJSON *object, const host_facts *facts);

// Adds the list of accumulators, of a plan by rows.
void host_json_add_accumulators(cJSON *object, const host_facts *facts);

// Returns {"type", "shape", "scale", "zero_point"...} of a tensor.
cJSON *host_json_tensor(const arn_model *model, const arn_tensor *tensor, const char *name);

// Prints `object` to stdout and deletes it. Returns false where there is no memory.
bool host_json_print(cJSON *object);

#endif
