// The semihosting call and the tick counter of RISC-V.
#include "ports/port.h"

// The three instructions must be uncompressed and in one page: that is how a debugger knows the
// call.
__attribute__((noinline)) intptr_t port__semihost(uintptr_t operation, const void *argument) {
  register uintptr_t a0 __asm("a0") = operation;
  register const void *a1 __asm("a1") = argument;
  __asm volatile(
      ".balign 16\n"
      ".option push\n"
      ".option norvc\n"
      "slli zero, zero, 0x1f\n"
      "ebreak\n"
      "srai zero, zero, 7\n"
      ".option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return (intptr_t)a0;
}

void port_ticks_start(void) {}

uint32_t port_ticks(void) {
  uint32_t cycles;
  __asm volatile(".option push\n .option arch, +zicsr\n csrr %0, mcycle\n .option pop"
                 : "=r"(cycles));
  return cycles & PORT_TICKS_MASK;
}
