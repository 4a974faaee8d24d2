// Prints docs/operators.md: the template on standard input, with the line <!-- matrix --> replaced
// by a table made from the operators' records, and <!-- differences --> by links into docs/ops.
//
//   build/opdoc docs/ops/*.md <docs/operators.in.md >docs/operators.md
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arenite/ops.h"
#include "host/check/engine.h"

// Types that have no size in whole bytes; and those that the schema numbers.
#define ODD_TYPES                                                                      \
  (ARN_TYPE_BIT(ARN_STRING) | ARN_TYPE_BIT(ARN_RESOURCE) | ARN_TYPE_BIT(ARN_VARIANT) | \
   ARN_TYPE_BIT(ARN_INT4))
#define ALL_TYPES (ARN_TYPE_BIT(ARN_INT4 + 1) - 1)

// A page of docs/ops.
typedef struct page {
  const char *name;  // without its folder
  char *text;        // terminated; owned
} page;

typedef struct pages {
  page *page;
  int count;
} pages;

static bool read_page(const char *path, page *p) {
  size_t bytes;
  char *raw = host_read_file(path, &bytes);
  p->text = raw ? malloc(bytes + 1) : NULL;
  if (p->text) {
    memcpy(p->text, raw, bytes);
    p->text[bytes] = 0;
  }
  free(raw);
  const char *slash = strrchr(path, '/');
  p->name = slash ? slash + 1 : path;
  return p->text != NULL;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Returns where `word` first stands in the text, not as a part of a longer word, or NULL.
static const char *find_word(const char *text, const char *word) {
  const size_t n = strlen(word);
  for (const char *at = text; (at = strstr(at, word)) != NULL; at += n) {
    if ((at == text || !is_word(at[-1])) && !is_word(at[n])) return at;
  }
  return NULL;
}

// Pages begin with what they are about: the operator's page is the one that names it earliest.
static const page *page_of(const pages *all, const char *op) {
  const page *best = NULL;
  ptrdiff_t earliest = PTRDIFF_MAX;
  for (int i = 0; i < all->count; i++) {
    const char *at = find_word(all->page[i].text, op);
    if (!at || at - all->page[i].text >= earliest) continue;
    best = &all->page[i];
    earliest = at - best->text;
  }
  return best;
}

static void print_lower(const char *text) {
  for (; *text; text++) putchar(tolower((unsigned char)*text));
}

static void print_types(uint32_t types) {
  const uint32_t whole = ALL_TYPES & ~ODD_TYPES;
  const char *before = "";
  if (types == 0 || types == UINT32_MAX) {
    fputs(types ? "any" : "no input", stdout);
    return;
  }
  if ((types & whole) == whole) {
    fputs("whole bytes", stdout);
    types &= ~whole;
    before = ", ";
  }
  for (uint32_t t = 0; t < 32; t++) {
    if ((types >> t & 1) == 0) continue;
    fputs(before, stdout);
    print_lower(arn_type_name((arn_type)t));
    before = ", ";
  }
}

// Prints the numbers of the bits that are set: "1, 3-5".
static void print_inputs(uint32_t bits) {
  const char *before = "";
  for (uint32_t i = 0; i < 32; i++) {
    if ((bits >> i & 1) == 0) continue;
    const uint32_t first = i;
    while (i < 31 && (bits >> (i + 1) & 1)) i++;
    printf("%s%u", before, first);
    if (i > first) printf("-%u", i);
    before = ", ";
  }
}

static int by_name(const void *a, const void *b) {
  const arn_op *const *x = a, *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static void print_op(const arn_op *op, const pages *all) {
  printf("| %s | ", op->name);
  if (op->code == ARN_CODE_CUSTOM) {
    fputs("custom", stdout);
  } else {
    printf("%d", op->code);
  }
  fputs(" | ", stdout);
  print_types(op->types);
  printf(" | %s | %u | ", op->rows ? "yes" : "", op->state_bytes);
  print_inputs(op->folds & ~ARN_FOLDS_SPARSE);
  const page *p = page_of(all, op->name);
  if (p) {
    printf(" | [%.*s](ops/%s) |\n", (int)strcspn(p->name, "."), p->name, p->name);
  } else {
    puts(" | |");
  }
}

static bool print_matrix(const pages *all) {
  const uint32_t n = arn_ops_all.count;
  const arn_op **ops = malloc(n * sizeof *ops);
  if (!ops) return false;
  memcpy(ops, arn_ops_all.ops, n * sizeof *ops);
  qsort(ops, n, sizeof *ops, by_name);
  printf("%u operators.\n\n", n);
  puts("| operator | code | types of input 0 | rows | state | folded inputs | page |");
  puts("|---|---|---|---|---|---|---|");
  for (uint32_t i = 0; i < n; i++) print_op(ops[i], all);
  free(ops);
  return true;
}

// Prints a heading's anchor: letters and digits in lower case, spaces as hyphens, nothing else.
static void print_anchor(const char *heading, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (is_word(heading[i]) || heading[i] == '-') putchar(tolower((unsigned char)heading[i]));
    if (heading[i] == ' ') putchar('-');
  }
}

// Sections about the reference are called "Where the reference ..." or "Right, not alike".
static bool is_about_differences(const char *heading) {
  static const char *const starts[] = {"Where the reference", "Right, not alike"};
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
    if (strncmp(heading, starts[i], strlen(starts[i])) == 0) return true;
  }
  return false;
}

static void print_page_differences(const page *p) {
  const size_t title = strcspn(p->text, "\n");
  if (title < 2) return;
  printf("- [%.*s](ops/%s)", (int)(title - 2), p->text + 2, p->name);
  for (const char *at = p->text; (at = strstr(at, "\n## ")) != NULL;) {
    at += 4;
    const size_t length = strcspn(at, "\n");
    if (!is_about_differences(at)) continue;
    printf(": [%.*s](ops/%s#", (int)length, at, p->name);
    print_anchor(at, length);
    putchar(')');
  }
  putchar('\n');
}

static bool print_document(const pages *all) {
  char line[512];
  while (fgets(line, sizeof line, stdin)) {
    if (strcmp(line, "<!-- matrix -->\n") == 0) {
      if (!print_matrix(all)) return false;
    } else if (strcmp(line, "<!-- differences -->\n") == 0) {
      for (int i = 0; i < all->count; i++) print_page_differences(&all->page[i]);
    } else {
      fputs(line, stdout);
    }
  }
  return !ferror(stdin) && fflush(stdout) == 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fputs("usage: opdoc docs/ops/*.md <docs/operators.in.md >docs/operators.md\n", stderr);
    return 2;
  }
  pages all = {calloc((size_t)argc, sizeof(page)), 0};
  bool ok = all.page != NULL;
  for (int i = 1; ok && i < argc; i++) {
    ok = read_page(argv[i], &all.page[i - 1]);
    if (ok) all.count = i;
    if (!ok) fprintf(stderr, "opdoc: %s cannot be read\n", argv[i]);
  }
  ok = ok && print_document(&all);
  for (int i = 0; i < all.count; i++) free(all.page[i].text);
  free(all.page);
  return ok ? 0 : 1;
}
