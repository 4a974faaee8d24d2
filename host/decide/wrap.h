// Text in lines of at most 100 columns.
#ifndef ARENITE_HOST_DECIDE_WRAP_H
#define ARENITE_HOST_DECIDE_WRAP_H

#include <stdio.h>

// Prints `text`, broken at spaces, each line behind `indent` spaces. A word that is longer than a
// line is left whole: it is a path to be copied.
void host_wrap(FILE *out, int indent, const char *text);

#endif
