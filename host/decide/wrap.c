#include "host/decide/wrap.h"

#include <string.h>

#define COLUMNS 100

// Bytes of the longest beginning of `text` that ends at a space and fits; or of its first word.
static size_t line_length(const char *text, size_t room) {
  size_t length = strlen(text);
  if (length <= room) return length;
  length = room;
  while (length > 0 && text[length] != ' ') length--;
  return length > 0 ? length : strcspn(text, " ");
}

void host_wrap(FILE *out, int indent, const char *text) {
  while (*text != '\0') {
    const size_t length = line_length(text, (size_t)(COLUMNS - indent));
    fprintf(out, "%*s%.*s\n", indent, "", (int)length, text);
    text += length;
    text += strspn(text, " ");
  }
}
