// Build-time knobs. Define ARN_CONFIG_FILE as a header to set them in one place.
#ifndef ARENITE_CONFIG_H
#define ARENITE_CONFIG_H

#ifdef ARN_CONFIG_FILE
#include ARN_CONFIG_FILE
#endif

// Records of planning (16 bytes of stack each, a record a planned tensor) that a start may keep on
// the stack where the arena is too small for them, so that even an arena of 0 bytes gets told the
// whole need. With more planned tensors than that, arn_measure with a workspace tells it. Hosts
// have stack.
#ifndef ARN_STACK_PLAN_RECORDS
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define ARN_STACK_PLAN_RECORDS 1024
#else
#define ARN_STACK_PLAN_RECORDS 48
#endif
#endif

// How many subgraphs a model may have.
#ifndef ARN_MAX_SUBGRAPHS
#define ARN_MAX_SUBGRAPHS 16
#endif

// How deep control-flow subgraphs may nest.
#ifndef ARN_MAX_CALL_DEPTH
#define ARN_MAX_CALL_DEPTH 8
#endif

// How often the body of a WHILE may run in one invocation before ERR_DATA (LOOP) is returned.
#ifndef ARN_MAX_LOOPS
#define ARN_MAX_LOOPS 1000000u
#endif

#endif
