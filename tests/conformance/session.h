// A started engine of a case, as a variant wants it: of the file as it is, or of its optimised
// form, whose dead rows are overwritten at once.
#ifndef ARENITE_TESTS_CONFORMANCE_SESSION_H
#define ARENITE_TESTS_CONFORMANCE_SESSION_H

#include "host/check/bury.h"
#include "host/check/typed.h"
#include "tests/conformance/runner.h"

typedef struct session {
  host_engine engine;
  host_bury bury;
  bool buries;       // runs by a row plan, with the burying hooks
  bool unplanned;    // the rows can't be planned: not started
  void *file;        // the optimised file
  host_typed_ops typed;
} session;

// Optimises where the variant says so, opens, and has the plan checked. Complains and returns false
// where that fails; `unplanned` is no failure. Borrows bytes and name.
bool session_open(session *s, runner *r, const char *name, const void *bytes, size_t size,
                  const variant *v);
void session_close(session *s);

// Needed before inputs are written, in each invocation.
void session_begin(session *s);

// Says whether nothing strayed and the steps that ran are those of a row plan: all of them, or the
// first ones where an operator ended the invocation early (a status other than ARN_OK). Complains
// where not.
bool session_is_sound(session *s, const char *name, const char *how, arn_status ended);

#endif
