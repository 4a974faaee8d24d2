// Texts of statuses and errors: an object of its own, linked only where used.
#include "arenite/status.h"

const char *arn_status_name(arn_status status) {
  switch (status) {
#define NAME(name, value, sentence) \
  case ARN_##name: return "ARN_" #name;
    ARN_STATUS_LIST(NAME)
#undef NAME
  }
  return "ARN_?";
}

static const char *status_sentence(arn_status status) {
  switch (status) {
#define SENTENCE(name, value, sentence) \
  case ARN_##name: return sentence;
    ARN_STATUS_LIST(SENTENCE)
#undef SENTENCE
  }
  return "unknown status";
}

const char *arn_what_text(arn_what what) {
  static const char *const texts[] = {
#define TEXT(name, sentence) sentence,
      ARN_WHAT_LIST(TEXT)
#undef TEXT
  };
  return (unsigned)what < sizeof texts / sizeof texts[0] ? texts[what] : "unknown";
}

// A text that is being written: `length` counts what there would be without a limit.
struct text {
  char *at;
  size_t size, length;
};

static void put(struct text *t, const char *s) {
  for (; *s; s++, t->length++) {
    if (t->length + 1 < t->size) t->at[t->length] = *s;
  }
}

static void put_number(struct text *t, uint32_t n) {
  char digits[11];
  size_t i = sizeof digits;
  digits[--i] = '\0';
  do {
    digits[--i] = (char)('0' + n % 10);
    n /= 10;
  } while (n > 0);
  put(t, digits + i);
}

static void put_where(struct text *t, const char *what, int32_t index) {
  if (index < 0) return;
  put(t, what);
  put_number(t, (uint32_t)index);
}

size_t arn_error_format(const arn_error *e, char *buffer, size_t size_bytes) {
  struct text t = {buffer, buffer ? size_bytes : 0, 0};
  if (e) {
    put(&t, status_sentence(e->status));
    if (e->what != ARN_WHAT_NONE) put(&t, ": ");
    if (e->what != ARN_WHAT_NONE) put(&t, arn_what_text(e->what));
    if (e->need > 0 || e->have > 0) {
      put(&t, " (need ");
      put_number(&t, e->need);
      put(&t, ", have ");
      put_number(&t, e->have);
      put(&t, ")");
    }
    if (e->subgraph > 0) put_where(&t, ", subgraph ", e->subgraph);
    put_where(&t, ", node ", e->node);
    put_where(&t, ", tensor ", e->tensor);
    if (e->total_need > 0) {
      put(&t, "; give the arena ");
      put_number(&t, e->total_need);
      put(&t, " bytes");
    }
  }
  if (t.size > 0) t.at[t.length < t.size ? t.length : t.size - 1] = '\0';
  return t.length;
}
