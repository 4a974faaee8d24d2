// Build-time knobs. Define ARN_CONFIG_FILE as a header to set them in one place.
#ifndef ARENITE_CONFIG_H
#define ARENITE_CONFIG_H

#ifdef ARN_CONFIG_FILE
#include ARN_CONFIG_FILE
#endif

// Bytes of stack that planning may use where the arena is smaller than the planning records, so that
// even a start in an arena of 0 bytes reports the whole need: 16 bytes a planned tensor.
#ifndef ARN_STACK_PLAN_RECORDS
#define ARN_STACK_PLAN_RECORDS 48
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
