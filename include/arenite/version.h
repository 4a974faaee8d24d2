// The version of the library. Semantic: plans and sizes may differ between minor versions.
#ifndef ARENITE_VERSION_H
#define ARENITE_VERSION_H

#define ARN_VERSION_MAJOR 0
#define ARN_VERSION_MINOR 1
#define ARN_VERSION_PATCH 0
#define ARN_VERSION "0.1.0"

#endif
