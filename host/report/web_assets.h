// The files of host/report/web, made part of the program by tools/embed.sh.
#ifndef ARENITE_HOST_REPORT_WEB_ASSETS_H
#define ARENITE_HOST_REPORT_WEB_ASSETS_H

#include <stddef.h>

typedef struct host_web_asset {
  const char *name;              // without folder; NULL ends the list
  const unsigned char *bytes;
  size_t size;
} host_web_asset;

extern const host_web_asset host_web_assets[];

#endif
