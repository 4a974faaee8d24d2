#include "flatbuffer.h"

void arn__fb_fields(const arn_model *m, uint32_t table, const uint8_t *widths, uint32_t count,
                    uint32_t *at) {
  const uint32_t vtable = table - arn__fb_u32(m, table);
  const uint32_t slots = (arn__fb_u16(m, vtable) - 4u) / 2u;  // checked: at least 4 bytes
  const uint32_t table_bytes = arn__fb_u16(m, vtable + 2);
  for (uint32_t id = 0; id < count; id++) {
    const uint32_t distance = id < slots ? arn__fb_u16(m, vtable + 4 + 2 * id) : 0;
    at[id] = distance >= 4 && distance + widths[id] <= table_bytes ? table + distance : 0;
  }
}

bool arn__fb_check_table(const arn_model *m, uint32_t table) {
  if (table < 4 || !arn__fb_inside(m, table, 4)) return false;
  const int64_t vtable = (int64_t)table - (int32_t)arn__fb_u32(m, table);
  if (vtable < 4 || vtable > (int64_t)m->size_bytes - 4) return false;
  const uint32_t at = (uint32_t)vtable;
  const uint32_t vtable_bytes = arn__fb_u16(m, at);
  const uint32_t table_bytes = arn__fb_u16(m, at + 2);
  return vtable_bytes >= 4 && table_bytes >= 4 && arn__fb_inside(m, at, vtable_bytes) &&
         arn__fb_inside(m, table, table_bytes);
}

// Follows the offset at `at`; the sum cannot wrap because both are below 2^31 when it is accepted.
static bool check_target(const arn_model *m, uint32_t at, uint32_t *target) {
  const uint32_t distance = arn__fb_u32(m, at);
  *target = at + distance;
  return distance >= 4 && distance <= m->size_bytes && arn__fb_inside(m, *target, 4);
}

bool arn__fb_check_follow(const arn_model *m, uint32_t table, uint32_t id, uint32_t *target) {
  const uint32_t at = arn__fb_field(m, table, id, 4);
  *target = 0;
  return at == 0 || check_target(m, at, target);
}

bool arn__fb_check_vector(const arn_model *m, uint32_t table, uint32_t id, uint32_t element_bytes,
                          uint32_t *first, uint32_t *count) {
  uint32_t at;
  *first = 0;
  *count = 0;
  if (!arn__fb_check_follow(m, table, id, &at)) return false;
  if (at == 0) return true;
  *first = at + 4;
  *count = arn__fb_u32(m, at);
  return *count <= (m->size_bytes - *first) / element_bytes;
}

bool arn__fb_check_tables(const arn_model *m, uint32_t table, uint32_t id, uint32_t *first,
                          uint32_t *count) {
  if (!arn__fb_check_vector(m, table, id, 4, first, count)) return false;
  for (uint32_t i = 0; i < *count; i++) {
    uint32_t target;
    if (!check_target(m, *first + 4 * i, &target) || !arn__fb_check_table(m, target)) return false;
  }
  return true;
}
