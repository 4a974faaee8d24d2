// What does not depend on the machine: numbers as text, and the painted stack.
#include "port.h"

#define PAINT 0x5AA5C33Cu
#define SPARE_WORDS 16u  // below the caller's frame: of the painting function itself

extern uint32_t port__stack_bottom[];

static const uint32_t *caller;

void port_put_unsigned(uint32_t value) {
  char text[11];
  char *at = text + sizeof text - 1;
  *at = '\0';
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  port_put(at);
}

__attribute__((noinline)) void port_stack_paint(void) {
  const uint32_t *frame = __builtin_frame_address(0);
  caller = frame;
  for (volatile uint32_t *at = port__stack_bottom; at < frame - SPARE_WORDS; at++) *at = PAINT;
}

uint32_t port_stack_used(void) {
  const uint32_t *lowest = port__stack_bottom;
  while (lowest < caller && *lowest == PAINT) lowest++;
  return (uint32_t)(caller - lowest) * 4u;
}
