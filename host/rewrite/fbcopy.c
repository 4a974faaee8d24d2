#include "host/rewrite/fbcopy.h"

#include <string.h>

// TFLite nests 6 deep: model, subgraph, tensor, sparsity, dimension, vector.
enum { MAX_DEPTH = 16 };

static uint32_t fail(arn_fbsource *source, const char *reason) {
  if (!source->error) source->error = reason;
  return 0;
}

static bool inside(const arn_fbsource *source, uint64_t at, uint64_t bytes) {
  return at <= source->size && bytes <= source->size - at;
}

// Reads `bytes` little-endian bytes. Needs: they lie inside.
static uint64_t read(const arn_fbsource *source, uint32_t at, uint32_t bytes) {
  uint64_t value = 0;
  for (uint32_t k = 0; k < bytes; k++) value |= (uint64_t)source->bytes[at + k] << (8 * k);
  return value;
}

// Follows the reference stored at `at`. Needs: 4 bytes lie inside.
static uint32_t follow(arn_fbsource *source, uint32_t at) {
  const uint64_t target = at + read(source, at, 4);
  if (target == at || !inside(source, target, 4)) {
    return fail(source, "a reference leaves the file");
  }
  return (uint32_t)target;
}

uint32_t arn__fbcopy_open(arn_fbsource *source, const uint8_t *bytes, size_t size) {
  if (!bytes || size < 8 || size > ARN_FBWRITE_MAX_BYTES) {
    return fail(source, "the file has an impossible size");
  }
  source->bytes = bytes;
  source->size = (uint32_t)size;
  if (!source->budget) {
    const uint64_t budget = 4 * (uint64_t)size + 4096;
    source->budget = budget < UINT32_MAX ? (uint32_t)budget : UINT32_MAX;
  }
  return follow(source, 0);
}

// Finds the vtable of a table; 0 if either does not lie inside the file.
static uint32_t find_vtable(arn_fbsource *source, uint32_t table_at) {
  if (!inside(source, table_at, 4)) return fail(source, "a table leaves the file");
  const int64_t distance = (int32_t)(uint32_t)read(source, table_at, 4);
  const int64_t vtable_at = (int64_t)table_at - distance;
  if (vtable_at < 4 || !inside(source, (uint64_t)vtable_at, 4)) {
    return fail(source, "a vtable leaves the file");
  }
  const uint32_t at = (uint32_t)vtable_at;
  const uint32_t vtable_bytes = (uint32_t)read(source, at, 2);
  const uint32_t table_bytes = (uint32_t)read(source, at + 2, 2);
  if (vtable_bytes < 4 || !inside(source, at, vtable_bytes) || table_bytes < 4 ||
      !inside(source, table_at, table_bytes)) {
    return fail(source, "a table is malformed");
  }
  return at;
}

uint32_t arn__fbcopy_field_count(arn_fbsource *source, uint32_t table_at) {
  const uint32_t vtable_at = find_vtable(source, table_at);
  return vtable_at ? ((uint32_t)read(source, vtable_at, 2) - 4) / 2 : 0;
}

arn_fbslot arn__fbcopy_field(arn_fbsource *source, uint32_t table_at, uint32_t id) {
  const uint32_t vtable_at = find_vtable(source, table_at);
  if (!vtable_at) return (arn_fbslot){0, 0};
  const uint32_t slot = 4 + 2 * id;
  if (slot + 2 > read(source, vtable_at, 2)) return (arn_fbslot){0, 0};
  const uint32_t distance = (uint32_t)read(source, vtable_at + slot, 2);
  const uint32_t table_bytes = (uint32_t)read(source, vtable_at + 2, 2);
  if (!distance) return (arn_fbslot){0, 0};
  if (distance < 4 || distance >= table_bytes) {
    fail(source, "a field leaves its table");
    return (arn_fbslot){0, 0};
  }
  return (arn_fbslot){table_at + distance, table_bytes - distance};
}

// As arn__fbcopy_field, for a field known to be `bytes` wide.
static uint32_t field_at(arn_fbsource *source, uint32_t table_at, uint32_t id, uint32_t bytes) {
  const arn_fbslot slot = arn__fbcopy_field(source, table_at, id);
  if (slot.at && slot.bytes < bytes) return fail(source, "a field leaves its table");
  return slot.at;
}

uint64_t arn__fbcopy_scalar(arn_fbsource *source, uint32_t table_at, uint32_t id, uint32_t bytes,
                            uint64_t otherwise) {
  const uint32_t at = field_at(source, table_at, id, bytes);
  return at ? read(source, at, bytes) : otherwise;
}

uint32_t arn__fbcopy_follow(arn_fbsource *source, uint32_t table_at, uint32_t id) {
  const uint32_t at = field_at(source, table_at, id, 4);
  return at ? follow(source, at) : 0;
}

uint32_t arn__fbcopy_count(arn_fbsource *source, uint32_t vector_at, uint32_t element_bytes) {
  if (!inside(source, vector_at, 4)) return fail(source, "a vector leaves the file");
  const uint32_t count = (uint32_t)read(source, vector_at, 4);
  if (!inside(source, (uint64_t)vector_at + 4, (uint64_t)count * element_bytes)) {
    return fail(source, "a vector leaves the file");
  }
  return count;
}

uint32_t arn__fbcopy_element(arn_fbsource *source, uint32_t vector_at, uint32_t index) {
  return follow(source, vector_at + 4 + 4 * index);
}

// One copy under way.
struct copy {
  arn_fbwrite *file;
  arn_fbsource *source;
  uint32_t depth;
  uint32_t owner;  // the table whose union is being copied; 0: none
};

static bool ok(const struct copy *copy) { return !copy->source->error && !copy->file->error; }

// Takes what was written since `before` from the budget.
static void pay(struct copy *copy, uint32_t before) {
  const uint32_t written = copy->file->size - before;
  if (written > copy->source->budget) {
    fail(copy->source, "the file refers to the same tables too often");
    return;
  }
  copy->source->budget -= written;
}

static uint32_t scalar_bytes(char kind) {
  switch (kind) {
    case '1': case 'b': case 'a': case 's': return 1;
    case '2': case 'h': return 2;
    case '4': case 'f': case 'w': return 4;
    case '8': case 'd': return 8;
    default: return 0;
  }
}

// Finds the edit of a field; NULL for most.
static const arn_fbedit *edit_of(const struct copy *copy, uint32_t table_at, uint32_t field) {
  const uint32_t at = copy->owner ? copy->owner : table_at;
  for (uint32_t i = 0; i < copy->source->edit_count; i++) {
    const arn_fbedit *e = &copy->source->edits[i];
    if (e->table_at == at && e->field == field && e->in_options == (copy->owner != 0)) return e;
  }
  return NULL;
}

static bool is_scalar(char kind) { return strchr("1248f", kind) != NULL; }

static uint32_t copy_table(struct copy *copy, uint32_t table_at, const arn_fbtype *type);

static uint32_t copy_vector(struct copy *copy, uint32_t at, char kind) {
  const uint32_t bytes = scalar_bytes(kind);
  const uint32_t before = copy->file->size;
  const arn_fbvector vector = {.data = copy->source->bytes + at + 4,
                               .count = arn__fbcopy_count(copy->source, at, bytes),
                               .element_bytes = bytes,
                               .alignment = kind == 'a' ? 16 : 0};
  if (!ok(copy) || vector.count > copy->source->budget / bytes) {
    return fail(copy->source, "the file refers to the same tables too often");
  }
  const uint32_t copied = kind == 's'
                              ? arn__fbwrite_string(copy->file, vector.data, vector.count)
                              : arn__fbwrite_vector(copy->file, &vector);
  pay(copy, before);
  return copied;
}

static uint32_t write_list(struct copy *copy, const arn_fbedit *edit) {
  const arn_fbvector vector = {edit->list, edit->count, 4, 0};
  return arn__fbwrite_vector(copy->file, &vector);
}

// `edit` names the elements to copy; NULL: all.
static uint32_t copy_tables(struct copy *copy, uint32_t at, const arn_fbtype *type,
                            const arn_fbedit *edit) {
  const uint32_t there = arn__fbcopy_count(copy->source, at, 4);
  const uint32_t count = edit ? edit->count : there;
  const uint32_t before = copy->file->size;
  if (!ok(copy)) return 0;
  const uint32_t refs = arn__fbwrite_refs(copy->file, count);
  pay(copy, before);
  for (uint32_t i = 0; i < count && ok(copy); i++) {
    const uint32_t index = edit ? (uint32_t)edit->list[i] : i;
    const uint32_t element = index < there ? arn__fbcopy_element(copy->source, at, index) : 0;
    if (!element) return 0;
    arn__fbwrite_link_at(copy->file, refs, i, copy_table(copy, element, type));
  }
  return refs;
}

// A walk over the fields of a type: each step gives a field's kind, number and part.
struct walk {
  const char *kind;
  const arn_fbtype *const *part;
  uint32_t id;
};

static bool has_part(char kind) { return kind == 't' || kind == 'T' || kind == 'u'; }

static void step(struct walk *walk) {
  if (has_part(*walk->kind)) walk->part++;
  walk->id += *walk->kind == 'u' ? 2 : 1;
  walk->kind++;
}

// Returns the type of a union's value; NULL where there is none, or none that is known.
static const arn_fbtype *member_of(struct copy *copy, uint32_t table_at, const struct walk *walk) {
  const uint64_t code = arn__fbcopy_scalar(copy->source, table_at, walk->id, 1, 0);
  const arn_fbtype *list = *walk->part;
  return code >= 1 && code <= list->member_count ? &list->members[code - 1] : NULL;
}

// Adds to `out` the field that `walk` stands at: a scalar's value, or an empty reference.
static void add_field(struct copy *copy, uint32_t table_at, const struct walk *walk,
                      arn_fbtable *out) {
  const uint16_t id = (uint16_t)walk->id;
  const bool is_union = *walk->kind == 'u';
  const arn_fbedit *edit = edit_of(copy, table_at, walk->id);
  if (*walk->kind == '-') return;
  if (!arn__fbcopy_field(copy->source, table_at, is_union ? id + 1u : id).at && !edit) return;
  if (is_scalar(*walk->kind)) {
    const uint32_t bytes = scalar_bytes(*walk->kind);
    arn__fbwrite_add(out, id, (uint8_t)bytes,
                     edit ? edit->value
                          : arn__fbcopy_scalar(copy->source, table_at, id, bytes, 0));
  } else if (!is_union) {
    arn__fbwrite_add_ref(out, id);
  } else if (member_of(copy, table_at, walk)) {
    arn__fbwrite_add(out, id, 1, arn__fbcopy_scalar(copy->source, table_at, id, 1, 0));
    arn__fbwrite_add_ref(out, (uint16_t)(id + 1));
  } else {
    copy->source->dropped++;
  }
}

static uint32_t copy_union(struct copy *copy, uint32_t at, const arn_fbtype *type, uint32_t owner) {
  const uint32_t outer = copy->owner;
  copy->owner = owner;
  const uint32_t copied = copy_table(copy, at, type);
  copy->owner = outer;
  return copied;
}

// Copies what the reference field that `walk` stands at points to, and links it.
static void copy_target(struct copy *copy, uint32_t table_at, const struct walk *walk,
                        uint32_t copied_at) {
  const char kind = *walk->kind;
  if (kind == '-' || is_scalar(kind)) return;
  const uint16_t id = (uint16_t)(kind == 'u' ? walk->id + 1 : walk->id);
  const arn_fbtype *part = kind == 'u' ? member_of(copy, table_at, walk) : NULL;
  if (kind == 'u' && !part) return;
  const uint32_t target = arn__fbcopy_follow(copy->source, table_at, id);
  const arn_fbedit *edit = edit_of(copy, table_at, id);
  const bool makes = edit && kind != 'T' && kind != 't' && kind != 'u';
  if (!target && !makes) return;
  uint32_t copied = 0;
  if (kind == 'T') copied = copy_tables(copy, target, *walk->part, edit);
  else if (kind == 't') copied = copy_table(copy, target, *walk->part);
  else if (kind == 'u') copied = copy_union(copy, target, part, table_at);
  else if (edit) copied = write_list(copy, edit);
  else copied = copy_vector(copy, target, kind);
  if (copied) arn__fbwrite_link(copy->file, copied_at, id, copied);
}

// Counts the fields present in the source beyond those that the type knows.
static void count_unknown(struct copy *copy, uint32_t table_at, uint32_t known) {
  const uint32_t fields = arn__fbcopy_field_count(copy->source, table_at);
  for (uint32_t id = known; id < fields; id++) {
    if (arn__fbcopy_field(copy->source, table_at, id).at) copy->source->dropped++;
  }
}

static uint32_t copy_table(struct copy *copy, uint32_t table_at, const arn_fbtype *type) {
  if (copy->depth == MAX_DEPTH) return fail(copy->source, "tables are nested too deep");
  const struct walk first = {type->fields, type->parts, 0};
  const uint32_t before = copy->file->size;
  arn_fbtable out = {0};
  struct walk walk = first;
  for (; *walk.kind; step(&walk)) add_field(copy, table_at, &walk, &out);
  count_unknown(copy, table_at, walk.id);
  if (!ok(copy)) return 0;
  const uint32_t copied_at = arn__fbwrite_table(copy->file, &out);
  pay(copy, before);
  copy->depth++;
  for (walk = first; *walk.kind && ok(copy); step(&walk)) {
    copy_target(copy, table_at, &walk, copied_at);
  }
  copy->depth--;
  return ok(copy) ? copied_at : 0;
}

uint32_t arn__fbcopy_table(arn_fbwrite *file, arn_fbsource *source, uint32_t table_at,
                           const arn_fbtype *type) {
  struct copy copy = {file, source, 0, 0};
  return ok(&copy) ? copy_table(&copy, table_at, type) : 0;
}
