#include "flexbuffer.h"

#include <float.h>
#include <string.h>

enum {
  TYPE_NULL = 0,
  TYPE_INT = 1,
  TYPE_UINT = 2,
  TYPE_FLOAT = 3,
  TYPE_INDIRECT_INT = 6,
  TYPE_INDIRECT_UINT = 7,
  TYPE_INDIRECT_FLOAT = 8,
  TYPE_MAP = 9,
  TYPE_BOOL = 26,
};

// Where a value is, and what it is. `width` 0: there is none.
struct value {
  uint32_t at;
  uint8_t type, width;
};

static bool inside(const arn__flex_map *m, uint32_t at, uint32_t bytes) {
  return at <= m->size_bytes && bytes <= m->size_bytes - at;
}

// Needs: the cell is inside.
static uint64_t read_cell(const arn__flex_map *m, uint32_t at, uint32_t width) {
  uint64_t cell = 0;
  memcpy(&cell, m->bytes + at, width);
  return cell;
}

// Follows the distance in a cell back to what it points to. Says whether both are inside.
static bool follow(const arn__flex_map *m, uint32_t at, uint32_t width, uint32_t *target) {
  if (!inside(m, at, width)) return false;
  const uint64_t distance = read_cell(m, at, width);
  if (distance > at) return false;
  *target = at - (uint32_t)distance;
  return true;
}

static bool is_width(uint64_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8;
}

// Needs: values_at and width. Finds the keys in front of the values.
static bool open_keys(arn__flex_map *m) {
  const uint32_t at = m->values_at, width = m->width;
  if (at < 3 * width || !inside(m, at, 0)) return false;
  const uint64_t key_width = read_cell(m, at - 2 * width, width);
  const uint64_t count = read_cell(m, at - width, width);
  if (!is_width(key_width) || !follow(m, at - 3 * width, width, &m->keys_at)) return false;
  if (count > m->size_bytes) return false;
  m->key_width = (uint8_t)key_width;
  m->count = (uint32_t)count;
  const uint64_t values = count * width + count, keys = count * key_width;
  return values <= m->size_bytes - at && keys <= m->size_bytes - m->keys_at;
}

static bool open_root(arn__flex_map *m) {
  if (m->size_bytes < 3) return false;
  const uint32_t root_width = m->bytes[m->size_bytes - 1];
  const uint32_t packed = m->bytes[m->size_bytes - 2];
  if (packed >> 2 != TYPE_MAP || !is_width(root_width)) return false;
  if (m->size_bytes < 2 + root_width) return false;
  m->width = (uint8_t)(1u << (packed & 3));
  if (!follow(m, m->size_bytes - 2 - root_width, root_width, &m->values_at)) return false;
  return open_keys(m);
}

void arn__flex_open(arn__flex_map *m, const arn_model *model, const arn_node *node) {
  memset(m, 0, sizeof *m);
  m->bytes = model->bytes + node->custom_at;
  m->size_bytes = node->custom_bytes;
  m->ok = true;
  if (m->size_bytes == 0 || open_root(m)) return;
  m->ok = false;
  m->count = 0;
}

static bool key_is(const arn__flex_map *m, uint32_t i, const char *key) {
  uint32_t at;
  if (!follow(m, m->keys_at + i * m->key_width, m->key_width, &at)) return false;
  for (; at < m->size_bytes && m->bytes[at] == (uint8_t)*key; at++, key++) {
    if (*key == '\0') return true;
  }
  return false;
}

static struct value find(const arn__flex_map *m, const char *key) {
  for (uint32_t i = 0; i < m->count; i++) {
    if (!key_is(m, i, key)) continue;
    const uint8_t packed = m->bytes[m->values_at + m->count * m->width + i];
    struct value v = {m->values_at + i * m->width, (uint8_t)(packed >> 2), m->width};
    if (v.type < TYPE_INDIRECT_INT || v.type > TYPE_INDIRECT_FLOAT) return v;
    const uint8_t width = (uint8_t)(1u << (packed & 3));
    const bool found = follow(m, v.at, m->width, &v.at) && inside(m, v.at, width);
    v.type = (uint8_t)(found ? v.type - TYPE_INDIRECT_INT + TYPE_INT : TYPE_MAP);
    v.width = width;
    return v;
  }
  return (struct value){0, TYPE_NULL, 0};
}

static int64_t read_signed(const arn__flex_map *m, const struct value *v) {
  const uint64_t cell = read_cell(m, v->at, v->width);
  const uint64_t sign = UINT64_C(1) << (8 * v->width - 1);
  return (int64_t)((cell ^ sign) - sign);
}

// A number of either kind.
struct number {
  bool is_real;
  int64_t integer;
  float real;
};

// Says whether `v` is a number; reads it. Unsigned ones beyond int64 are none that an option can
// have.
static bool read_number(const arn__flex_map *m, const struct value *v, struct number *number) {
  double wide;
  number->is_real = v->type == TYPE_FLOAT;
  number->integer = 0;
  if (number->is_real && v->width == sizeof number->real) {
    memcpy(&number->real, m->bytes + v->at, sizeof number->real);
  } else if (number->is_real && v->width == sizeof wide) {
    memcpy(&wide, m->bytes + v->at, sizeof wide);
    number->real = (float)wide;
  } else if (v->type == TYPE_INT) {
    number->integer = read_signed(m, v);
  } else if (v->type == TYPE_UINT || v->type == TYPE_BOOL) {
    number->integer = (int64_t)read_cell(m, v->at, v->width);
    return number->integer >= 0;
  } else {
    return false;
  }
  return true;
}

// Finds a number. Says whether there is one; clears m->ok where there is something else.
static bool find_number(arn__flex_map *m, const char *key, struct number *number) {
  const struct value v = find(m, key);
  if (v.type == TYPE_NULL) return false;
  const bool good = read_number(m, &v, number);
  m->ok = m->ok && good;
  return good;
}

bool arn__flex_has(const arn__flex_map *m, const char *key) {
  return find(m, key).type != TYPE_NULL;
}

int32_t arn__flex_i32(arn__flex_map *m, const char *key, int32_t otherwise) {
  struct number number;
  if (!find_number(m, key, &number)) return otherwise;
  if (number.is_real) {
    if (number.real >= -2147483648.0f && number.real < 2147483648.0f) return (int32_t)number.real;
  } else if (number.integer >= INT32_MIN && number.integer <= INT32_MAX) {
    return (int32_t)number.integer;
  }
  m->ok = false;
  return otherwise;
}

float arn__flex_f32(arn__flex_map *m, const char *key, float otherwise) {
  struct number number;
  if (!find_number(m, key, &number)) return otherwise;
  if (!number.is_real) return (float)number.integer;
  if (number.real >= -FLT_MAX && number.real <= FLT_MAX) return number.real;
  m->ok = false;
  return otherwise;
}

bool arn__flex_bool(arn__flex_map *m, const char *key, bool otherwise) {
  struct number number;
  if (!find_number(m, key, &number)) return otherwise;
  return number.is_real ? number.real != 0.0f : number.integer != 0;
}
