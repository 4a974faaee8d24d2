#include "host/rewrite/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "host/rewrite/fbcopy.h"

// Fields of the Model table, and of Metadata.
enum { VERSION, CODES, SUBGRAPHS, DESCRIPTION, BUFFERS, METADATA_BUFFER, METADATA, SIGNATURES };
enum { METADATA_NAME, METADATA_BUFFER_INDEX };
enum { BUFFER_DATA, BUFFER_OFFSET };
// Parts of the Model type, in the order of its vectors of tables.
enum { PART_CODE, PART_SUBGRAPH, PART_BUFFER, PART_METADATA, PART_SIGNATURE };

// A rewrite under way.
struct rewrite {
  arn_fbsource source;
  arn_fbwrite file;
  uint32_t root, new_root;
  const arn_file_changes *changes;
};

static uint32_t vector_of(struct rewrite *w, uint32_t field, uint32_t *count) {
  const uint32_t at = arn__fbcopy_follow(&w->source, w->root, field);
  *count = at ? arn__fbcopy_count(&w->source, at, 4) : 0;
  return at;
}

// Copies a vector of tables with `more` empty references at its end. Returns its position.
static uint32_t copy_tables(struct rewrite *w, uint32_t field, const arn_fbtype *type,
                            uint32_t more) {
  uint32_t count;
  const uint32_t at = vector_of(w, field, &count);
  if (at == 0 && more == 0) return 0;
  const uint32_t refs = arn__fbwrite_refs(&w->file, count + more);
  arn__fbwrite_link(&w->file, w->new_root, (uint16_t)field, refs);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t table = arn__fbcopy_element(&w->source, at, i);
    arn__fbwrite_link_at(&w->file, refs, i, arn__fbcopy_table(&w->file, &w->source, table, type));
  }
  return refs;
}

static bool replaces(struct rewrite *w, uint32_t table) {
  const uint32_t name = arn__fbcopy_follow(&w->source, table, METADATA_NAME);
  const uint32_t length = name ? arn__fbcopy_count(&w->source, name, 1) : 0;
  for (uint32_t k = 0; k < w->changes->entry_count; k++) {
    const char *entry = w->changes->entries[k].name;
    if (strlen(entry) == length && memcmp(w->source.bytes + name + 4, entry, length) == 0) {
      return true;
    }
  }
  return false;
}

static uint32_t new_metadata(struct rewrite *w, uint32_t k, uint32_t buffer) {
  arn_fbtable t = {0};
  arn__fbwrite_add_ref(&t, METADATA_NAME);
  arn__fbwrite_add(&t, METADATA_BUFFER_INDEX, 4, buffer);
  const uint32_t at = arn__fbwrite_table(&w->file, &t);
  const char *name = w->changes->entries[k].name;
  arn__fbwrite_link(&w->file, at, METADATA_NAME,
                    arn__fbwrite_string(&w->file, name, (uint32_t)strlen(name)));
  return at;
}

static void write_metadata(struct rewrite *w, uint32_t first_buffer) {
  uint32_t count, kept = 0;
  const uint32_t at = vector_of(w, METADATA, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (!replaces(w, arn__fbcopy_element(&w->source, at, i))) kept++;
  }
  const uint32_t refs = arn__fbwrite_refs(&w->file, kept + w->changes->entry_count);
  arn__fbwrite_link(&w->file, w->new_root, METADATA, refs);
  uint32_t next = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t table = arn__fbcopy_element(&w->source, at, i);
    if (replaces(w, table)) continue;
    const uint32_t copy = arn__fbcopy_table(&w->file, &w->source, table,
                                            arn__schema_model.parts[PART_METADATA]);
    arn__fbwrite_link_at(&w->file, refs, next++, copy);
  }
  for (uint32_t k = 0; k < w->changes->entry_count; k++) {
    arn__fbwrite_link_at(&w->file, refs, next++, new_metadata(w, k, first_buffer + k));
  }
}

static void write_buffer(struct rewrite *w, uint32_t refs, uint32_t index,
                         const arn_metadata_entry *from) {
  arn_fbtable t = {0};
  arn__fbwrite_add_ref(&t, BUFFER_DATA);
  const uint32_t at = arn__fbwrite_table(&w->file, &t);
  const arn_fbvector v = {from->data, (uint32_t)from->bytes, 1, 16};
  arn__fbwrite_link_at(&w->file, refs, index, at);
  arn__fbwrite_link(&w->file, at, BUFFER_DATA, arn__fbwrite_vector(&w->file, &v));
}

static void write_buffers(struct rewrite *w, uint32_t old_count) {
  const arn_file_changes *c = w->changes;
  const uint32_t refs = copy_tables(w, BUFFERS, arn__schema_model.parts[PART_BUFFER],
                                    c->buffer_count + c->entry_count);
  for (uint32_t k = 0; k < c->buffer_count; k++) {
    write_buffer(w, refs, old_count + k, &c->buffers[k]);
  }
  for (uint32_t k = 0; k < c->entry_count; k++) {
    write_buffer(w, refs, old_count + c->buffer_count + k, &c->entries[k]);
  }
}

static void copy_string(struct rewrite *w, uint32_t field) {
  const uint32_t at = arn__fbcopy_follow(&w->source, w->root, field);
  if (at == 0) return;
  const uint32_t length = arn__fbcopy_count(&w->source, at, 1);
  arn__fbwrite_link(&w->file, w->new_root, (uint16_t)field,
                    arn__fbwrite_string(&w->file, (const char *)w->source.bytes + at + 4, length));
}

static void copy_ints(struct rewrite *w, uint32_t field) {
  const uint32_t at = arn__fbcopy_follow(&w->source, w->root, field);
  if (at == 0) return;
  const arn_fbvector v = {w->source.bytes + at + 4, arn__fbcopy_count(&w->source, at, 4), 4, 4};
  arn__fbwrite_link(&w->file, w->new_root, (uint16_t)field, arn__fbwrite_vector(&w->file, &v));
}

static bool keeps_data_outside(struct rewrite *w) {
  uint32_t count;
  const uint32_t at = vector_of(w, BUFFERS, &count);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t table = arn__fbcopy_element(&w->source, at, i);
    if (arn__fbcopy_scalar(&w->source, table, BUFFER_OFFSET, 8, 0) > 1) return true;
  }
  return false;
}

static void write_root(struct rewrite *w) {
  arn_fbtable t = {0};
  arn__fbwrite_add(&t, VERSION, 4, 3);
  for (uint16_t field = CODES; field <= SIGNATURES; field++) {
    const bool there = arn__fbcopy_follow(&w->source, w->root, field) != 0;
    if (there || field == METADATA || field == BUFFERS) arn__fbwrite_add_ref(&t, field);
  }
  w->new_root = arn__fbwrite_table(&w->file, &t);
  arn__fbwrite_link_root(&w->file, w->new_root);
}

static void rewrite_all(struct rewrite *w) {
  uint32_t buffers;
  (void)vector_of(w, BUFFERS, &buffers);
  write_root(w);
  copy_string(w, DESCRIPTION);
  copy_tables(w, CODES, arn__schema_model.parts[PART_CODE], 0);
  copy_tables(w, SUBGRAPHS, arn__schema_model.parts[PART_SUBGRAPH], 0);
  copy_ints(w, METADATA_BUFFER);
  write_metadata(w, buffers + w->changes->buffer_count);
  copy_tables(w, SIGNATURES, arn__schema_model.parts[PART_SIGNATURE], 0);
  write_buffers(w, buffers);
  arn__fbwrite_pad(&w->file, 16);
}

bool arn_file_change(const void *source, size_t source_bytes, const arn_file_changes *changes,
                     uint8_t **bytes, size_t *size, const char **why) {
  struct rewrite w = {.changes = changes};
  w.source.edits = changes->edits;
  w.source.edit_count = changes->edit_count;
  *bytes = NULL;
  *size = 0;
  w.root = arn__fbcopy_open(&w.source, source, source_bytes);
  const bool outside = w.root && keeps_data_outside(&w);
  if (w.root && !outside && arn__fbwrite_begin(&w.file, "TFL3")) rewrite_all(&w);
  *why = w.source.error ? w.source.error : w.file.error;
  if (outside) {
    *why = "the file keeps constants outside its FlatBuffer, which cannot be carried over";
  }
  if (*why == NULL && w.source.dropped > 0) {
    *why = "the file uses parts of a newer schema, which cannot be carried over";
  }
  if (*why) {
    arn__fbwrite_release(&w.file);
    return false;
  }
  *bytes = w.file.bytes;
  *size = w.file.size;
  w.file.bytes = NULL;
  arn__fbwrite_release(&w.file);
  return true;
}

bool arn_metadata_add(const void *source, size_t source_bytes, const arn_metadata_entry *entries,
                      uint32_t count, uint8_t **bytes, size_t *size, const char **why) {
  const arn_file_changes changes = {.entries = entries, .entry_count = count};
  return arn_file_change(source, source_bytes, &changes, bytes, size, why);
}
