// Cortex-M from reset to main. Enables the FPU (and Helium) where the compiler may use it.
#include "ports/port.h"

#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define CPACR WORD(0xE000ED88u)
#define VTOR WORD(0xE000ED08u)
#define FULL_ACCESS_CP10_CP11 (0xFu << 20)
#define EXIT_FAULT 70

extern uint32_t port__stack_top[], port__data[], port__data_end[], port__data_load[];
extern uint32_t port__bss[], port__bss_end[];

void port__entry(void) __attribute__((noreturn, naked));
static void begin(void) __attribute__((noreturn, used));
static void fault(void) __attribute__((noreturn));

typedef void (*handler)(void);
typedef struct vector_table {
  uint32_t *stack;
  handler handlers[15];
} vector_table;

// Of what follows reset (NMI, faults, three reserved, SVC, debug, reserved, PendSV, SysTick)
// nothing is expected.
static const vector_table vectors __attribute__((section(".vectors"), used)) = {
    port__stack_top,
    {port__entry, fault, fault, fault, fault, fault, fault, NULL, NULL, NULL, fault, fault, NULL,
     fault, fault}};

static void fault(void) {
  port_put("fault\n");
  port_exit(EXIT_FAULT);
}

#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
static void enable_units(void) {
  CPACR |= FULL_ACCESS_CP10_CP11;
  __asm volatile("dsb\n isb" ::: "memory");
}
#else
static void enable_units(void) {}
#endif

// The stack pointer is set by hand as well: a boot loader or a debugger may start here.
void port__entry(void) {
  __asm volatile("msr msp, %0\n b begin" ::"r"(port__stack_top));
}

static void begin(void) {
  VTOR = (uint32_t)(uintptr_t)&vectors;
  enable_units();
  const uint32_t *from = port__data_load;
  for (uint32_t *to = port__data; to < port__data_end; to++) *to = *from++;
  for (uint32_t *to = port__bss; to < port__bss_end; to++) *to = 0;
  port_exit(main());
}
