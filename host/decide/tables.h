// The tables that are part of the program (boards/*.csv, see the Makefile).
#ifndef ARENITE_HOST_DECIDE_TABLES_H
#define ARENITE_HOST_DECIDE_TABLES_H

#include "host/decide/boards.h"

// Reads boards/boards.csv and boards/speed.csv as they were when the program was built. Return
// NULL, or what is wrong.
const char *host_table_boards(host_boards *boards);
const char *host_table_speeds(host_speeds *speeds);

#endif
