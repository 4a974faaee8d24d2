#include "../unary.h"

void arn__unary_fill_table(uint8_t *table, arn__unary_fn fn, const void *params, uint8_t flip) {
  for (uint32_t i = 0; i < 256; i++) table[i] = (uint8_t)(i ^ flip);
  fn(table, table, 256, params);
  for (uint32_t i = 0; i < 256; i++) table[i] = (uint8_t)(table[i] ^ flip);
}

void arn__unary_look_up(const uint8_t *table, const uint8_t *in, uint8_t *out, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) out[i] = table[in[i]];
}
