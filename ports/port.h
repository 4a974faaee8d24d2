// What a program on a bare machine may ask of its port. None of it allocates. Console and files are
// those of the debugger or simulator (semihosting); CONSOLE=none builds a port whose console
// swallows all.
#ifndef ARENITE_PORTS_PORT_H
#define ARENITE_PORTS_PORT_H

#include <stddef.h>
#include <stdint.h>

// Writes text to the console.
void port_put(const char *text);
void port_put_unsigned(uint32_t value);

// Ends the program: the simulator's exit code is `code` (0..255).
void port_exit(int code) __attribute__((noreturn));

// Starts and reads the tick counter: SysTick or rdcycle. Ticks of the processor clock on hardware;
// under `-icount shift=0` nanoseconds of virtual time divided by the machine's clock: proportional
// to instructions. On Arm it wraps after 2^24 ticks.
void port_ticks_start(void);
uint32_t port_ticks(void);
#define PORT_TICKS_MASK 0xFFFFFFu

// Paints the stack below the caller's frame / returns the most bytes of it that have been in use
// since, as seen by the caller.
void port_stack_paint(void);
uint32_t port_stack_used(void);

// The semihosting operations that the ports use. Returns what the operation returns.
enum {
  PORT_SYS_OPEN = 0x01,
  PORT_SYS_CLOSE = 0x02,
  PORT_SYS_WRITE0 = 0x04,
  PORT_SYS_WRITE = 0x05,
  PORT_SYS_READ = 0x06,
  PORT_SYS_SEEK = 0x0A,
  PORT_SYS_FLEN = 0x0C,
  PORT_SYS_CLOCK = 0x10,
  PORT_SYS_GET_CMDLINE = 0x15,
  PORT_SYS_EXIT = 0x18,
  PORT_SYS_EXIT_EXTENDED = 0x20,
};
intptr_t port__semihost(uintptr_t operation, const void *argument);

int main(void);

#endif
