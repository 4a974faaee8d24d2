#include "host/report/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arenite/version.h"
#include "host/report/json.h"
#include "host/report/utf8.h"

bool host_document_open(host_document *d) {
  d->json = cJSON_CreateObject();
  d->plans = NULL;
  if (!cJSON_AddStringToObject(d->json, "schema", "arenite.report") ||
      !cJSON_AddNumberToObject(d->json, "version", 1) ||
      !cJSON_AddStringToObject(d->json, "engine", ARN_VERSION)) {
    return false;
  }
  d->plans = cJSON_AddArrayToObject(d->json, "plans");
  return d->plans != NULL;
}

void host_document_close(host_document *d) {
  cJSON_Delete(d->json);
  d->json = d->plans = NULL;
}

bool host_document_add(host_document *d, cJSON *plan) {
  if (cJSON_GetArraySize(d->plans) < (int)HOST_DOCUMENT_PLANS &&
      cJSON_AddItemToArray(d->plans, plan)) {
    return true;
  }
  cJSON_Delete(plan);
  return false;
}

static const char *text_of(const cJSON *object, const char *name) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text ? text : "";
}

static bool has_schema(const cJSON *object, const char *schema) {
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(object, "version");
  return strcmp(text_of(object, "schema"), schema) == 0 && cJSON_IsNumber(version) &&
         version->valuedouble == 1.0;
}

static bool is_plan(const cJSON *object) {
  return has_schema(object, "arenite.plan") || has_schema(object, "arenite.profile");
}

// Takes `object`, whatever it is.
static bool add_any(host_document *d, cJSON *object, const char **what) {
  *what = "these are more than 8 plans";
  if (is_plan(object)) return host_document_add(d, object);
  bool ok = has_schema(object, "arenite.report");
  *what = ok ? *what : "it is no arenite.plan, arenite.profile or arenite.report of version 1";
  cJSON *plans = ok ? cJSON_GetObjectItemCaseSensitive(object, "plans") : NULL;
  while (ok && cJSON_GetArraySize(plans) > 0) {
    cJSON *plan = cJSON_DetachItemFromArray(plans, 0);
    if (is_plan(plan)) {
      ok = host_document_add(d, plan);
    } else {
      cJSON_Delete(plan);
      *what = "it lists something that is no plan of version 1";
      ok = false;
    }
  }
  cJSON_Delete(object);
  return ok;
}

bool host_document_parse(host_document *d, const char *text, size_t size, const char **what) {
  *what = "it is no JSON";
  if (size > HOST_DOCUMENT_BYTES) {
    *what = "it is larger than 256 MiB";
    return false;
  }
  cJSON *object = cJSON_ParseWithLength(text, size);
  return object != NULL && add_any(d, object, what);
}

// ---- labels -------------------------------------------------------------------------------------

static const char *file_of(const cJSON *plan) {
  const char *model = text_of(plan, "model"), *slash = strrchr(model, '/');
  return slash ? slash + 1 : model;
}

static bool all_same(const cJSON *plans, const char *name) {
  const cJSON *plan;
  cJSON_ArrayForEach(plan, plans) {
    if (strcmp(text_of(plan, name), text_of(plans->child, name)) != 0) return false;
  }
  return true;
}

static bool is_taken(const cJSON *plans, const cJSON *until, const char *label) {
  for (const cJSON *plan = plans->child; plan != until; plan = plan->next) {
    if (strcmp(text_of(plan, "label"), label) == 0) return true;
  }
  return false;
}

void host_document_label(host_document *d) {
  const bool one_model = all_same(d->plans, "model"), one_planner = all_same(d->plans, "planner");
  cJSON *plan;
  cJSON_ArrayForEach(plan, d->plans) {
    char label[HOST_VIEW_NAME], unique[HOST_VIEW_NAME + 16];
    if (*text_of(plan, "label") != '\0') continue;
    const char *planner = text_of(plan, "planner"), *file = file_of(plan);
    snprintf(label, sizeof label, "%s%s%s", one_model ? "" : file,
             one_model || one_planner ? "" : ", ", one_planner && !one_model ? "" : planner);
    host_utf8_clean(label);
    snprintf(unique, sizeof unique, "%s", label);
    for (uint32_t n = 2; is_taken(d->plans, plan, unique); n++) {
      snprintf(unique, sizeof unique, "%s (%u)", label, n);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(plan, "label");
    cJSON_AddStringToObject(plan, "label", unique);
  }
}

// ---- output -------------------------------------------------------------------------------------

bool host_document_views(const host_document *d, host_view *views, uint32_t *count,
                         const char **what) {
  const cJSON *plan;
  *count = 0;
  *what = "there is no plan in it";
  cJSON_ArrayForEach(plan, d->plans) {
    if (*count < HOST_DOCUMENT_PLANS && host_view_open(&views[*count], plan, what)) {
      ++*count;
      continue;
    }
    while (*count > 0) host_view_close(&views[--*count]);
    return false;
  }
  return *count > 0;
}

char *host_document_print(const host_document *d, bool pretty) {
  char *text = pretty ? cJSON_Print(d->json) : cJSON_PrintUnformatted(d->json);
  if (text != NULL) host_utf8_repair(text);
  return text;
}
