// How far long work is: one line on stderr, on a terminal only.
#ifndef ARENITE_HOST_CLI_PROGRESS_H
#define ARENITE_HOST_CLI_PROGRESS_H

// Shows that `what` (a text with static storage; void * so that searches can carry it as their
// context) is done to `share`, from 0 to 1. The line is rewritten in place, appears after half a
// second of the same work, and is gone at 1. Nothing where stderr is no terminal.
void cli_progress_show(void *what, double share);

#endif
