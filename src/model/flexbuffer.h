// Reading the custom options of an operator: a FlexBuffer whose root is a map from names to
// numbers.
//
// A FlexBuffer is read from its end: the last byte is the width of the root value, the one before
// it says the root's type, and the value itself stands before both. A map value is a distance back
// to
//
//   [distance to keys][width of keys][count][value 0] ... [value n-1][type 0] ... [type n-1]
//
// where every cell but the types is `width` bytes, and the keys are a vector of distances back to
// terminated strings. A type byte holds a type in its upper six bits and log2 of a width in the
// lower.
//
// The bytes come from the model file, so nothing in them is trusted: each cell is tested against
// the options' size when it is read. Values that are no numbers, or do not fit what was asked for,
// clear `map->ok`: read all options first, then test it once.
#ifndef ARENITE_SRC_MODEL_FLEXBUFFER_H
#define ARENITE_SRC_MODEL_FLEXBUFFER_H

#include "arenite/model.h"

typedef struct arn__flex_map {
  const uint8_t *bytes;   // borrowed from the model file
  uint32_t size_bytes;
  uint32_t values_at, keys_at, count;
  uint8_t width, key_width;  // bytes of a cell
  bool ok;                   // nothing malformed so far
} arn__flex_map;

// Opens the custom options of `node`. Absent options are an empty map. Malformed ones leave an
// empty map whose `ok` is false. O(1).
void arn__flex_open(arn__flex_map *map, const arn_model *model, const arn_node *node);

// Says whether the map has a value that is not null under `key`. O(count).
bool arn__flex_has(const arn__flex_map *map, const char *key);

// Reads a number under `key` as an integer (a float is truncated), a float, or a truth value.
// `otherwise` where the map has no such key, or null. A value outside the range of int32, that
// is not finite, or of a type that is no number, clears map->ok and gives `otherwise`. O(count).
int32_t arn__flex_i32(arn__flex_map *map, const char *key, int32_t otherwise);
float arn__flex_f32(arn__flex_map *map, const char *key, float otherwise);
bool arn__flex_bool(arn__flex_map *map, const char *key, bool otherwise);

#endif
