#include "../unary.h"

void arn__unary_through_table(arn__unary_fn fn, const void *params, uint8_t flip, const uint8_t *in,
                              uint8_t *out, uint32_t count) {
  uint8_t table[256];
  for (uint32_t i = 0; i < 256; i++) table[i] = (uint8_t)(i ^ flip);
  fn(table, table, 256, params);
  for (uint32_t i = 0; i < 256; i++) table[i] = (uint8_t)(table[i] ^ flip);
  for (uint32_t i = 0; i < count; i++) out[i] = table[in[i]];
}
