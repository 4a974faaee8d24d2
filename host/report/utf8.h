// Text that others wrote (names in models, paths, JSON files) made safe to print.
#ifndef ARENITE_HOST_REPORT_UTF8_H
#define ARENITE_HOST_REPORT_UTF8_H

#include <stdint.h>

// Decodes one character at `text`. Returns its length in bytes, 1..4, and the code point; 0 where
// the bytes are no UTF-8 (cut off, overlong, surrogate, above U+10FFFF) or the text has ended.
uint32_t host_utf8_next(const char *text, uint32_t *code);

// Overwrites, in place, each byte that is no UTF-8 with '?'. Control characters stay.
void host_utf8_repair(char *text);

// The same, and for control characters (line ends included) and those that turn the direction of
// writing: what is left is one line that a terminal or a page shows as it is.
void host_utf8_clean(char *text);

// Returns the bytes of the first `most` characters of a clean text, or of all of it. For "%.*s".
int host_utf8_prefix(const char *text, uint32_t most);

#endif
