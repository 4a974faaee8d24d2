// The semihosting call and the tick counter of Cortex-M.
#include "ports/port.h"

#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define SYST_CSR WORD(0xE000E010u)
#define SYST_RVR WORD(0xE000E014u)
#define SYST_CVR WORD(0xE000E018u)
#define PROCESSOR_CLOCK_ENABLED 5u

__attribute__((noinline)) intptr_t port__semihost(uintptr_t operation, const void *argument) {
  register uintptr_t r0 __asm("r0") = operation;
  register const void *r1 __asm("r1") = argument;
  __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return (intptr_t)r0;
}

void port_ticks_start(void) {
  SYST_RVR = PORT_TICKS_MASK;
  SYST_CVR = 0;
  SYST_CSR = PROCESSOR_CLOCK_ENABLED;
}

uint32_t port_ticks(void) { return PORT_TICKS_MASK - SYST_CVR; }
