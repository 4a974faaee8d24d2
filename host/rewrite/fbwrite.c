#include "host/rewrite/fbwrite.h"

#include <stdlib.h>
#include <string.h>

static void put_u16(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
}

static void put_u32(uint8_t *at, uint32_t value) {
  put_u16(at, value);
  put_u16(at + 2, value >> 16);
}

static uint32_t get_u16(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8; }

static uint32_t get_u32(const uint8_t *at) { return get_u16(at) | get_u16(at + 2) << 16; }

uint32_t arn__fbwrite_fail(arn_fbwrite *file, const char *reason) {
  if (!file->error) file->error = reason;
  return 0;
}

// Appends `count` zero bytes. Returns their position, 0 on failure.
static uint32_t append(arn_fbwrite *file, uint32_t count) {
  if (file->error) return 0;
  if (count > ARN_FBWRITE_MAX_BYTES - file->size) {
    return arn__fbwrite_fail(file, "the file would be larger than 2 GiB");
  }
  const uint32_t needed = file->size + count;
  if (needed > file->capacity) {
    const uint32_t doubled = file->capacity < 4096 ? 8192 : 2 * file->capacity;
    const uint32_t capacity = needed > doubled ? needed : doubled;
    uint8_t *bytes = realloc(file->bytes, capacity);
    if (!bytes) return arn__fbwrite_fail(file, "out of memory");
    file->bytes = bytes;
    file->capacity = capacity;
  }
  const uint32_t at = file->size;
  memset(file->bytes + at, 0, count);
  file->size = needed;
  return at;
}

// Pads so that `offset` bytes from now the position is a multiple of `alignment`.
static void align(arn_fbwrite *file, uint32_t alignment, uint32_t offset) {
  const uint32_t misplaced = (file->size + offset) & (alignment - 1);
  if (misplaced) append(file, alignment - misplaced);
}

bool arn__fbwrite_begin(arn_fbwrite *file, const char identifier[4]) {
  append(file, 8);
  if (file->error) return false;
  memcpy(file->bytes + 4, identifier, 4);
  return true;
}

void arn__fbwrite_release(arn_fbwrite *file) {
  free(file->bytes);
  free(file->vtables);
  *file = (arn_fbwrite){0};
}

void arn__fbwrite_add(arn_fbtable *table, uint16_t id, uint8_t bytes, uint64_t bits) {
  if (table->count < ARN_FBWRITE_MAX_FIELDS) {
    table->fields[table->count] = (struct arn_fbfield){.bits = bits, .id = id, .bytes = bytes};
  }
  table->count++;
}

void arn__fbwrite_add_f32(arn_fbtable *table, uint16_t id, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  arn__fbwrite_add(table, id, 4, bits);
}

void arn__fbwrite_add_ref(arn_fbtable *table, uint16_t id) { arn__fbwrite_add(table, id, 4, 0); }

// A vtable being laid out: its bytes, and the size and alignment of the table it describes.
struct layout {
  uint8_t bytes[4 + 2 * 64];
  uint32_t vtable_bytes, table_bytes, alignment;
};

// Places wide fields first, so that no padding is needed between fields. The table begins with its
// 4-byte distance to the vtable; where there are 8-byte fields, the first of them follows it and is
// what gets aligned. Says whether the fields are well formed.
static bool lay_out(const arn_fbtable *table, struct layout *layout) {
  *layout = (struct layout){.vtable_bytes = 4, .table_bytes = 4, .alignment = 4};
  for (uint8_t bytes = 8; bytes; bytes /= 2) {
    for (uint32_t i = 0; i < table->count; i++) {
      const struct arn_fbfield *field = &table->fields[i];
      if (field->bytes != bytes) continue;
      const uint32_t slot = 4 + 2u * field->id;
      if (slot + 2 > sizeof layout->bytes || get_u16(layout->bytes + slot)) return false;
      put_u16(layout->bytes + slot, layout->table_bytes);
      layout->table_bytes += bytes;
      if (slot + 2 > layout->vtable_bytes) layout->vtable_bytes = slot + 2;
      if (bytes > layout->alignment) layout->alignment = bytes;
    }
  }
  put_u16(layout->bytes, layout->vtable_bytes);
  put_u16(layout->bytes + 2, layout->table_bytes);
  return true;
}

static void remember_vtable(arn_fbwrite *file, uint32_t at) {
  if (file->vtable_count == file->vtable_capacity) {
    const uint32_t capacity = file->vtable_capacity ? 2 * file->vtable_capacity : 64;
    uint32_t *vtables = realloc(file->vtables, capacity * sizeof *vtables);
    if (!vtables) {
      arn__fbwrite_fail(file, "out of memory");
      return;
    }
    file->vtables = vtables;
    file->vtable_capacity = capacity;
  }
  file->vtables[file->vtable_count++] = at;
}

// Returns the position of a vtable of this layout, written now if there is none yet.
static uint32_t share_vtable(arn_fbwrite *file, const struct layout *layout) {
  for (uint32_t i = 0; i < file->vtable_count; i++) {
    const uint8_t *known = file->bytes + file->vtables[i];
    if (get_u16(known) != layout->vtable_bytes) continue;
    if (memcmp(known, layout->bytes, layout->vtable_bytes) == 0) return file->vtables[i];
  }
  align(file, 2, 0);
  const uint32_t at = append(file, layout->vtable_bytes);
  if (!at) return 0;
  memcpy(file->bytes + at, layout->bytes, layout->vtable_bytes);
  remember_vtable(file, at);
  return at;
}

uint32_t arn__fbwrite_table(arn_fbwrite *file, const arn_fbtable *table) {
  struct layout layout;
  if (file->error) return 0;
  if (table->count > ARN_FBWRITE_MAX_FIELDS) {
    return arn__fbwrite_fail(file, "a table has too many fields");
  }
  if (!lay_out(table, &layout)) return arn__fbwrite_fail(file, "a table has an impossible field");
  const uint32_t vtable_at = share_vtable(file, &layout);
  align(file, layout.alignment, 4);
  const uint32_t at = append(file, layout.table_bytes);
  if (!at) return 0;
  put_u32(file->bytes + at, at - vtable_at);
  for (uint32_t i = 0; i < table->count; i++) {
    const struct arn_fbfield *field = &table->fields[i];
    uint8_t *value = file->bytes + at + get_u16(layout.bytes + 4 + 2u * field->id);
    for (uint32_t k = 0; k < field->bytes; k++) value[k] = (uint8_t)(field->bits >> (8 * k));
  }
  return at;
}

uint32_t arn__fbwrite_vector(arn_fbwrite *file, const arn_fbvector *vector) {
  const uint64_t bytes = (uint64_t)vector->count * vector->element_bytes;
  uint32_t alignment = vector->alignment ? vector->alignment : vector->element_bytes;
  if (alignment < 4) alignment = 4;
  if (alignment & (alignment - 1)) return arn__fbwrite_fail(file, "not a power of two");
  if (bytes > ARN_FBWRITE_MAX_BYTES - 4) {
    return arn__fbwrite_fail(file, "the file would be larger than 2 GiB");
  }
  align(file, alignment, 4);
  const uint32_t at = append(file, 4 + (uint32_t)bytes);
  if (!at) return 0;
  put_u32(file->bytes + at, vector->count);
  if (bytes) memcpy(file->bytes + at + 4, vector->data, (size_t)bytes);
  return at;
}

uint32_t arn__fbwrite_string(arn_fbwrite *file, const char *text, uint32_t length) {
  const uint32_t at = arn__fbwrite_vector(file, &(arn_fbvector){text, length, 1, 4});
  append(file, 1);  // strings are terminated, and the terminator is not counted
  return file->error ? 0 : at;
}

uint32_t arn__fbwrite_refs(arn_fbwrite *file, uint32_t count) {
  if (count > (ARN_FBWRITE_MAX_BYTES - 4) / 4) {
    return arn__fbwrite_fail(file, "the file would be larger than 2 GiB");
  }
  align(file, 4, 0);
  const uint32_t at = append(file, 4 + 4 * count);
  if (at) put_u32(file->bytes + at, count);
  return at;
}

static void link_slot(arn_fbwrite *file, uint32_t slot_at, uint32_t target_at) {
  if (file->error) return;
  if (target_at <= slot_at || target_at >= file->size) {
    arn__fbwrite_fail(file, "a reference must point forward, into the file");
    return;
  }
  put_u32(file->bytes + slot_at, target_at - slot_at);
}

void arn__fbwrite_link_root(arn_fbwrite *file, uint32_t target_at) {
  link_slot(file, 0, target_at);
}

void arn__fbwrite_link(arn_fbwrite *file, uint32_t table_at, uint16_t id, uint32_t target_at) {
  if (file->error) return;
  if (table_at < 8 || table_at >= file->size) {
    arn__fbwrite_fail(file, "a link from a table that was not written");
    return;
  }
  const uint8_t *vtable = file->bytes + table_at - get_u32(file->bytes + table_at);
  const uint32_t slot = 4 + 2u * id;
  const uint32_t distance = slot + 2 <= get_u16(vtable) ? get_u16(vtable + slot) : 0;
  if (!distance) {
    arn__fbwrite_fail(file, "a link from a field that the table does not have");
    return;
  }
  link_slot(file, table_at + distance, target_at);
}

void arn__fbwrite_link_at(arn_fbwrite *file, uint32_t refs_at, uint32_t index, uint32_t target_at) {
  if (file->error) return;
  if (refs_at < 8 || refs_at >= file->size || index >= get_u32(file->bytes + refs_at)) {
    arn__fbwrite_fail(file, "a link from an element that the vector does not have");
    return;
  }
  link_slot(file, refs_at + 4 + 4 * index, target_at);
}

void arn__fbwrite_pad(arn_fbwrite *file, uint32_t alignment) { align(file, alignment, 0); }
