// Plans as text that fits 100 columns.
#ifndef ARENITE_HOST_REPORT_TEXT_H
#define ARENITE_HOST_REPORT_TEXT_H

#include <stdio.h>

#include "host/report/facts.h"

// Arena totals, the peak step with every tensor alive there, the largest contributors (S11).
void host_text_profile(FILE *out, const host_facts *facts);

// The memory formula (S10): every byte of the arena in one of these, adding up.
void host_text_formula(FILE *out, const host_facts *facts);

// The arena map: addresses down, steps across.
void host_text_map(FILE *out, const host_facts *facts);

// The peak curve: live bytes of each step, with the arena size and the lower bound.
void host_text_curve(FILE *out, const host_facts *facts);

// "1x96x96x1" of a tensor, into `text`.
const char *host_text_shape(const arn_tensor *tensor, char *text, size_t size);

#endif
