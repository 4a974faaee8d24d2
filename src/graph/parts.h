// Parts of the engine that operators bring along: a record names one in `kinds`, so that an
// application that does not list the operator does not link the part. What they are is in
// runtime/control.h.
#ifndef ARENITE_SRC_GRAPH_PARTS_H
#define ARENITE_SRC_GRAPH_PARTS_H

struct arn__control;
struct arn__variables;

extern const struct arn__control arn__control_flow;         // of IF, WHILE, CALL_ONCE, COMPOSITE
extern const struct arn__variables arn__resource_variables;  // of VAR_HANDLE

#endif
