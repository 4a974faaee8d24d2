// A port without a console, for boards that run without a debugger (CONSOLE=none).
#include "port.h"

void port_put(const char *text) { (void)text; }

void port_exit(int code) {
  (void)code;
  for (;;) {
  }
}
