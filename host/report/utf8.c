#include "host/report/utf8.h"

#include <stdbool.h>
#include <string.h>

uint32_t host_utf8_next(const char *text, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const uint8_t *at = (const uint8_t *)text;
  const uint32_t first = at[0];
  if (first == 0) return 0;
  *code = first;
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const uint32_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  uint32_t value = first & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; i++) {
    if ((at[i] & 0xC0u) != 0x80u) return 0;  // also the NUL at the end
    value = value << 6 | (at[i] & 0x3Fu);
  }
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
  *code = value;
  return length;
}

static bool is_harmful(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

static void overwrite(char *text, bool harmful_too) {
  while (*text != '\0') {
    uint32_t code;
    const uint32_t length = host_utf8_next(text, &code);
    if (length == 0) {
      *text++ = '?';
      continue;
    }
    if (harmful_too && is_harmful(code)) memset(text, '?', length);
    text += length;
  }
}

void host_utf8_repair(char *text) { overwrite(text, false); }

void host_utf8_clean(char *text) { overwrite(text, true); }

int host_utf8_prefix(const char *text, uint32_t most) {
  const char *at = text;
  for (uint32_t i = 0; i < most && *at != '\0'; i++) {
    uint32_t code;
    const uint32_t length = host_utf8_next(at, &code);
    at += length ? length : 1;
  }
  return (int)(at - text);
}
