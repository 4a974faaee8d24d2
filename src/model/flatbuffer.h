// Reading FlatBuffers in place.
//
// A table starts with a signed distance back to its vtable; the vtable holds its own size, the size
// of the table, and for each field the distance from the table's start (0: absent). Positions are
// offsets from the start of the file. Functions named `check` verify; the others are safe only on
// tables and vectors that were checked. Two ways to read a field:
//   arn__fb_field  tests it against the size of its table, so that option tables need no verifier
//                  for each operator;
//   arn__fb_find   of a table whose fields were checked once (arn__fb_check_fields): a plain load.
//
// The format aligns what it stores: tables and 32-bit fields at 4 bytes, vtables at 2. A file that
// does not is refused, so that every load is one instruction also where loads must be aligned.
#ifndef ARENITE_SRC_MODEL_FLATBUFFER_H
#define ARENITE_SRC_MODEL_FLATBUFFER_H

#include <string.h>

#include "arenite/model.h"

#if defined(__GNUC__)
#define ARN__FB_ALIGNED(at, bytes) __builtin_assume_aligned(at, bytes)
#define ARN__FB_INLINE static inline __attribute__((always_inline))
#else
#define ARN__FB_INLINE static inline
#define ARN__FB_ALIGNED(at, bytes) (at)
#endif

static inline uint32_t arn__fb_load_u16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, ARN__FB_ALIGNED(at, 2), sizeof value);
  return value;
}

static inline uint32_t arn__fb_load_u32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, ARN__FB_ALIGNED(at, 4), sizeof value);
  return value;
}

// Needs: at is a multiple of 2, or 4.
static inline uint32_t arn__fb_u16(const arn_model *m, uint32_t at) {
  return arn__fb_load_u16(m->bytes + at);
}

static inline uint32_t arn__fb_u32(const arn_model *m, uint32_t at) {
  return arn__fb_load_u32(m->bytes + at);
}

static inline bool arn__fb_inside(const arn_model *m, uint32_t at, uint32_t bytes) {
  return at <= m->size_bytes && bytes <= m->size_bytes - at;
}

// Returns the position of field `id`, `bytes` wide (1 or 4), in a checked table; 0 where it is
// absent, or where it can't be.
uint32_t arn__fb_field(const arn_model *m, uint32_t table, uint32_t id, uint32_t bytes);

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

// A table whose fields are read.
typedef struct arn__fb_table {
  const uint8_t *at, *vtable;
  uint32_t vtable_bytes;
} arn__fb_table;

static inline arn__fb_table arn__fb_open(const arn_model *m, uint32_t table) {
  const uint8_t *at = m->bytes + table;
  const uint8_t *vtable = at - (int32_t)arn__fb_load_u32(at);
  return (arn__fb_table){at, vtable, arn__fb_load_u16(vtable)};
}

// Returns where a field is that arn__fb_check_fields has checked; NULL where it is absent.
static inline const uint8_t *arn__fb_find(const arn__fb_table *t, uint32_t id) {
  const uint32_t slot = 4u + 2u * id;
  const uint32_t distance = slot < t->vtable_bytes ? arn__fb_load_u16(t->vtable + slot) : 0;
  return distance ? t->at + distance : NULL;
}

// Returns what such a field points to; 0 where it is absent.
static inline uint32_t arn__fb_find_target(const arn_model *m, const arn__fb_table *t,
                                           uint32_t id) {
  const uint8_t *at = arn__fb_find(t, id);
  return at ? (uint32_t)(at - m->bytes) + arn__fb_load_u32(at) : 0;
}

// As arn__fb_vector, of such a field.
static inline void arn__fb_find_vector(const arn_model *m, const arn__fb_table *t, uint32_t id,
                                       uint32_t *first, uint32_t *count) {
  const uint32_t at = arn__fb_find_target(m, t, id);
  *first = at ? at + 4 : 0;
  *count = at ? arn__fb_u32(m, at) : 0;
}

// ---- verifying ----------------------------------------------------------------------------------

#define ARN__FB_FIELDS 13u

// Where the fields of a table lie, as its vtable says: it is checked once for all tables that share
// it, as tools write those of one kind.
typedef struct arn__fb_layout {
  const uint8_t *widths;  // of the fields that are read, in bytes; 0: none of them
  uint32_t count;         // of these: <= ARN__FB_FIELDS
  uint32_t vtable;        // the last one; 0: none
  uint32_t table_bytes;
  uint16_t at[ARN__FB_FIELDS];  // from the start of the table; 0: absent
} arn__fb_layout;

// Prepares for tables of another kind.
static inline void arn__fb_layout_init(arn__fb_layout *layout, const uint8_t *widths,
                                       uint32_t count) {
  layout->widths = widths;
  layout->count = count;
  layout->vtable = 0;  // where no vtable can be, but a table may say that it is: it must not fit
  layout->table_bytes = UINT32_MAX;
}

// Says whether a table and its vtable lie inside the file, and its fields inside the table; sets
// `layout`. Needs: 4 bytes at `table`, a multiple of 4, inside the file. O(fields); whoever sees
// that the vtable is the same as before need only check the table's bytes.
bool arn__fb_check_layout(const arn_model *m, uint32_t table, arn__fb_layout *layout);

// Returns the position of a field of the table that was just checked; 0 where it is absent.
static inline uint32_t arn__fb_laid(const arn__fb_layout *layout, uint32_t table, uint32_t id) {
  return layout->at[id] ? table + layout->at[id] : 0;
}

// Follows the offset at `at`, a multiple of 4. Says whether 4 bytes there lie inside the file.
// Targets are multiples of 4 behind their offset; a sum that wraps is not behind it.
ARN__FB_INLINE bool arn__fb_check_target(const arn_model *m, uint32_t at, uint32_t *target) {
  *target = at + arn__fb_u32(m, at);
  return *target > at && *target <= m->size_bytes - 4 && *target % 4 == 0;
}

// Follows the offset at `at` (0: absent) to a vector; all of its elements of 1 << `shift` bytes
// must lie inside the file. Sets *first and *count as arn__fb_vector does.
bool arn__fb_check_vector_at(const arn_model *m, uint32_t at, uint32_t shift, uint32_t *first,
                             uint32_t *count);

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
