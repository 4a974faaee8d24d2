// What `diagnose` and `explain` share.
#ifndef ARENITE_HOST_CLI_DIAGNOSE_H
#define ARENITE_HOST_CLI_DIAGNOSE_H

#include "host/cli/command.h"
#include "host/decide/advice.h"

// Works out and prints advice for a model. Returns an exit code: 5 where it does not fit.
int cli_print_advice(const cli_model *m, const host_advice_case *c, bool json);

#endif
