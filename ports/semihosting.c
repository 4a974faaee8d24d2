// The console and the end of a program, by semihosting.
#include "port.h"

#define STOPPED_APPLICATION_EXIT 0x20026u

void port_put(const char *text) { port__semihost(PORT_SYS_WRITE0, text); }

void port_exit(int code) {
  const uintptr_t block[2] = {STOPPED_APPLICATION_EXIT, (uintptr_t)code};
  port__semihost(PORT_SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}
