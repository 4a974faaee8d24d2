#include "flatbuffer.h"

uint32_t arn__fb_field(const arn_model *m, uint32_t table, uint32_t id, uint32_t bytes) {
  const arn__fb_table t = arn__fb_open(m, table);
  const uint32_t slot = 4u + 2u * id;
  if (slot + 2u > t.vtable_bytes) return 0;
  const uint32_t distance = arn__fb_load_u16(t.vtable + slot);
  if (distance < 4 || distance + bytes > arn__fb_load_u16(t.vtable + 2)) return 0;
  return distance & (bytes - 1) ? 0 : table + distance;
}

// Says whether a vtable lies inside the file; sets the bytes of it and of its table.
static bool check_vtable(const arn_model *m, uint32_t vtable, uint32_t *bytes,
                         uint32_t *table_bytes) {
  if (vtable < 4 || vtable > m->size_bytes - 4 || vtable % 2 != 0) return false;
  *bytes = arn__fb_u16(m, vtable);
  *table_bytes = arn__fb_u16(m, vtable + 2);
  return *bytes >= 4 && *table_bytes >= 4 && arn__fb_inside(m, vtable, *bytes);
}

// Positions are below 2^31: where the distance to the vtable leads out of the file, the difference
// is not below the file's size.
bool arn__fb_check_table(const arn_model *m, uint32_t table) {
  uint32_t vtable_bytes, table_bytes;
  return table >= 4 && table % 4 == 0 && arn__fb_inside(m, table, 4) &&
         check_vtable(m, table - arn__fb_u32(m, table), &vtable_bytes, &table_bytes) &&
         arn__fb_inside(m, table, table_bytes);
}

static bool lay_out(const arn_model *m, uint32_t vtable, arn__fb_layout *layout) {
  uint32_t bytes;
  if (!check_vtable(m, vtable, &bytes, &layout->table_bytes)) return false;
  for (uint32_t id = 0; id < layout->count; id++) {
    const uint32_t slot = 4 + 2 * id, width = layout->widths[id];
    layout->at[id] = 0;
    if (width == 0 || slot + 2 > bytes) continue;
    const uint32_t distance = arn__fb_u16(m, vtable + slot);
    const uint32_t mask = width > 4 ? 3 : width - 1;
    if (distance == 0) continue;
    if (distance < 4 || distance + width > layout->table_bytes || (distance & mask)) return false;
    layout->at[id] = (uint16_t)distance;
  }
  layout->vtable = vtable;
  return bytes % 2 == 0;
}

bool arn__fb_check_layout(const arn_model *m, uint32_t table, arn__fb_layout *layout) {
  if (!lay_out(m, table - arn__fb_u32(m, table), layout)) {
    arn__fb_layout_init(layout, layout->widths, layout->count);
    return false;
  }
  return layout->table_bytes <= m->size_bytes - table;
}

bool arn__fb_check_follow(const arn_model *m, uint32_t table, uint32_t id, uint32_t *target) {
  const uint32_t at = arn__fb_field(m, table, id, 4);
  *target = 0;
  return at == 0 || arn__fb_check_target(m, at, target);
}

bool arn__fb_check_vector_at(const arn_model *m, uint32_t at, uint32_t shift, uint32_t *first,
                             uint32_t *count) {
  uint32_t target;
  *first = 0;
  *count = 0;
  if (at == 0) return true;
  if (!arn__fb_check_target(m, at, &target)) return false;
  *first = target + 4;
  *count = arn__fb_u32(m, target);
  return *count <= (m->size_bytes - *first) >> shift;
}

bool arn__fb_check_vector(const arn_model *m, uint32_t table, uint32_t id, uint32_t element_bytes,
                          uint32_t *first, uint32_t *count) {
  return arn__fb_check_vector_at(m, arn__fb_field(m, table, id, 4), 0, first, count) &&
         *count <= (m->size_bytes - *first) / element_bytes;
}

bool arn__fb_check_tables(const arn_model *m, uint32_t table, uint32_t id, uint32_t *first,
                          uint32_t *count) {
  if (!arn__fb_check_vector(m, table, id, 4, first, count)) return false;
  for (uint32_t i = 0; i < *count; i++) {
    uint32_t target;
    if (!arn__fb_check_target(m, *first + 4 * i, &target) || !arn__fb_check_table(m, target)) {
      return false;
    }
  }
  return true;
}
