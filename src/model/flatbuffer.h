// Reading FlatBuffers in place.
//
// A table starts with a signed distance back to its vtable; the vtable holds its own size, the size
// of the table, and for each field the distance from the table's start (0: absent). Positions are
// offsets from the start of the file. Functions named `check` verify; the others are safe only on
// tables and vectors that were checked, except that a field is always tested against the size of
// its table, so that option tables need no per-operator verifier.
#ifndef ARENITE_SRC_MODEL_FLATBUFFER_H
#define ARENITE_SRC_MODEL_FLATBUFFER_H

#include <string.h>

#include "arenite/model.h"

static inline uint16_t arn__fb_u16(const arn_model *m, uint32_t at) {
  uint16_t value;
  memcpy(&value, m->bytes + at, sizeof value);
  return value;
}

static inline uint32_t arn__fb_u32(const arn_model *m, uint32_t at) {
  uint32_t value;
  memcpy(&value, m->bytes + at, sizeof value);
  return value;
}

static inline bool arn__fb_inside(const arn_model *m, uint32_t at, uint32_t bytes) {
  return at <= m->size_bytes && bytes <= m->size_bytes - at;
}

// Returns the position of field `id`, `bytes` wide, in a checked table; 0 where it is absent.
static inline uint32_t arn__fb_field(const arn_model *m, uint32_t table, uint32_t id,
                                     uint32_t bytes) {
  const uint32_t vtable = table - arn__fb_u32(m, table);
  const uint32_t slot = 4u + 2u * id;
  if (slot + 2u > arn__fb_u16(m, vtable)) return 0;
  const uint32_t distance = arn__fb_u16(m, vtable + slot);
  if (distance < 4 || distance + bytes > arn__fb_u16(m, vtable + 2u)) return 0;
  return table + distance;
}

static inline uint32_t arn__fb_field_u32(const arn_model *m, uint32_t table, uint32_t id,
                                         uint32_t otherwise) {
  const uint32_t at = arn__fb_field(m, table, id, 4);
  return at ? arn__fb_u32(m, at) : otherwise;
}

static inline int32_t arn__fb_field_i32(const arn_model *m, uint32_t table, uint32_t id,
                                        int32_t otherwise) {
  return (int32_t)arn__fb_field_u32(m, table, id, (uint32_t)otherwise);
}

static inline uint8_t arn__fb_field_u8(const arn_model *m, uint32_t table, uint32_t id,
                                       uint8_t otherwise) {
  const uint32_t at = arn__fb_field(m, table, id, 1);
  return at ? m->bytes[at] : otherwise;
}

// Follows the offset stored in a field of a checked table; 0 where the field is absent.
static inline uint32_t arn__fb_follow(const arn_model *m, uint32_t table, uint32_t id) {
  const uint32_t at = arn__fb_field(m, table, id, 4);
  return at ? at + arn__fb_u32(m, at) : 0;
}

// A vector's elements begin 4 bytes after its count; *first is 0 where the field is absent.
static inline void arn__fb_vector(const arn_model *m, uint32_t table, uint32_t id, uint32_t *first,
                                  uint32_t *count) {
  const uint32_t at = arn__fb_follow(m, table, id);
  *first = at ? at + 4 : 0;
  *count = at ? arn__fb_u32(m, at) : 0;
}

// Returns the table that element `i` of a checked vector of tables points to.
static inline uint32_t arn__fb_element(const arn_model *m, uint32_t first, uint32_t i) {
  const uint32_t at = first + 4u * i;
  return at + arn__fb_u32(m, at);
}

// Finds fields 0 .. count - 1 of a checked table in one pass: at[id] is the position of a field
// that is widths[id] bytes wide; 0 where it is absent.
void arn__fb_fields(const arn_model *m, uint32_t table, const uint8_t *widths, uint32_t count,
                    uint32_t *at);

// Follows the offset at a position that arn__fb_fields found; 0 where it is 0.
static inline uint32_t arn__fb_target(const arn_model *m, uint32_t at) {
  return at ? at + arn__fb_u32(m, at) : 0;
}

// As arn__fb_vector, from the position of the field.
static inline void arn__fb_vector_at(const arn_model *m, uint32_t field, uint32_t *first,
                                     uint32_t *count) {
  const uint32_t at = arn__fb_target(m, field);
  *first = at ? at + 4 : 0;
  *count = at ? arn__fb_u32(m, at) : 0;
}

// Says whether a table lies inside the file with its vtable. O(1).
bool arn__fb_check_table(const arn_model *m, uint32_t table);

// Follows an offset field of a checked table. *target is 0 where absent. Says whether the target
// lies inside the file (4 bytes of it).
bool arn__fb_check_follow(const arn_model *m, uint32_t table, uint32_t id, uint32_t *target);

// As arn__fb_vector, checked: all elements of `element_bytes` lie inside the file.
bool arn__fb_check_vector(const arn_model *m, uint32_t table, uint32_t id, uint32_t element_bytes,
                          uint32_t *first, uint32_t *count);

// A checked vector of tables: also every element is a checked table. O(count).
bool arn__fb_check_tables(const arn_model *m, uint32_t table, uint32_t id, uint32_t *first,
                          uint32_t *count);

#endif
