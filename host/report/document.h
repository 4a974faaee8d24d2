// A document of schema arenite.report, version 1: plans to be looked at together, each with a
// label.
#ifndef ARENITE_HOST_REPORT_DOCUMENT_H
#define ARENITE_HOST_REPORT_DOCUMENT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/report/view.h"

#define HOST_DOCUMENT_PLANS 8u
#define HOST_DOCUMENT_BYTES (UINT32_C(1) << 28)  // of a JSON file

typedef struct host_document {
  cJSON *json;
  cJSON *plans;  // in json
} host_document;

// Returns false where there is no memory. Close it in any case.
bool host_document_open(host_document *document);
void host_document_close(host_document *document);

// Adds a plan or profile, and owns it from then on. Fails (false): there are HOST_DOCUMENT_PLANS
// already; the plan is deleted.
bool host_document_add(host_document *document, cJSON *plan);

// Adds what a JSON text holds: a plan, a profile, or a report. Any bytes may be in it. Fails
// (false): *what is a clause that says why.
bool host_document_parse(host_document *document, const char *text, size_t size, const char **what);

// Gives each plan without a label one: the planner, the file, or both, whatever tells it from the
// others.
void host_document_label(host_document *document);

// Opens a view of each plan into `views` (room for HOST_DOCUMENT_PLANS) and says how many; the
// caller closes them. Fails (false): *what is a clause that says why; nothing is open.
bool host_document_views(const host_document *document, host_view *views, uint32_t *count,
                         const char **what);

// Returns the document as UTF-8, to be freed by the caller; NULL where there is no memory.
char *host_document_print(const host_document *document, bool pretty);

#endif
