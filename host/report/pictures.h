// Plans in all the forms that `arenite report` writes. Each takes views (view.h), so each shows
// what the JSON says and nothing else. Errors of writing stay in the stream: see ferror.
#ifndef ARENITE_HOST_REPORT_PICTURES_H
#define ARENITE_HOST_REPORT_PICTURES_H

#include <stdio.h>

#include "host/report/view.h"

// Page that needs no other file. `json`: an arenite.report, printed; any bytes in its strings are
// safe.
void host_html_write(FILE *out, const char *json);

// Memory curve and arena map of each view, one below the other, scales shared: SVG 1.1.
void host_svg_write(FILE *out, const host_view *views, uint32_t count);

// The same in Unicode, 100 columns wide, with ANSI colours if `colour`. Needs no memory that fails.
void host_term_write(FILE *out, const host_view *views, uint32_t count, bool colour);

// Trace events in JSON (Chrome, Perfetto): operators, memory counters, lives of tensors in lanes. A
// step takes its measured time in a profile, else a millisecond.
void host_trace_write(FILE *out, const host_view *views, uint32_t count);

// Snapshots as massif writes them: a step each (every n-th of long runs, and the peak), time in
// steps.
void host_massif_write(FILE *out, const host_view *view);

// Tables for an issue or a review: GitHub's Markdown.
void host_markdown_write(FILE *out, const host_view *views, uint32_t count);

// The packing problem and the plan's own answer to it: id,lower,upper,size,alignment,offset (what
// `arenite pack` reads). Blocks that share bytes on purpose keep their places: as a problem it is
// harder than what the planner solved.
void host_csv_write(FILE *out, const host_view *view);

#endif
