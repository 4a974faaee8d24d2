// RISC-V in machine mode from reset to main.
#include "ports/port.h"

#define EXIT_FAULT 70

extern uint32_t port__data[], port__data_end[], port__data_load[];
extern uint32_t port__bss[], port__bss_end[];

void port__entry(void) __attribute__((noreturn, naked, section(".vectors")));
static void begin(void) __attribute__((noreturn, used));
static void fault(void) __attribute__((noreturn, used, aligned(4)));

static void fault(void) {
  port_put("fault\n");
  port_exit(EXIT_FAULT);
}

void port__entry(void) {
  __asm volatile(
      ".option push\n"
      ".option norelax\n"
      "la gp, __global_pointer$\n"
      ".option pop\n"
      "la sp, port__stack_top\n"
      "la t0, fault\n"
      ".option push\n"
      ".option arch, +zicsr\n"
      "csrw mtvec, t0\n"
      ".option pop\n"
      "j begin");
}

static void begin(void) {
  const uint32_t *from = port__data_load;
  for (uint32_t *to = port__data; to < port__data_end; to++) *to = *from++;
  for (uint32_t *to = port__bss; to < port__bss_end; to++) *to = 0;
  port_exit(main());
}
