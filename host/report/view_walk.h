// What opening a view computes by walking its steps.
#ifndef ARENITE_HOST_REPORT_VIEW_WALK_H
#define ARENITE_HOST_REPORT_VIEW_WALK_H

#include "host/report/view.h"

// Both need: blocks are sorted by their first step. Return false where there is no memory.
bool host_view_find_gaps(host_view *view);
bool host_view_choose_tints(host_view *view);

#endif
