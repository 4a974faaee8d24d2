// The least that a Cortex-M under QEMU needs: vectors, floating point on, data copied, semihosting.
#include <stdint.h>
#include <string.h>

extern uint32_t image_data_load[], image_data[], image_data_end[], image_bss[], image_bss_end[];
extern uint32_t image_stack[];

int main(void);
void console_put(const char *text);
void start(void);
void stop(void);
_Noreturn void leave(uint32_t code);

static void call(uint32_t operation, const void *argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void console_put(const char *text) { call(0x04, text); }

_Noreturn void leave(uint32_t code) {
  const uint32_t block[2] = {0x20026, code};
  call(0x20, block);
  for (;;) {
  }
}

void start(void) {
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;  // CPACR: coprocessors 10 and 11
  __asm__ volatile("dsb\n\tisb");
  memcpy(image_data, image_data_load, (size_t)((char *)image_data_end - (char *)image_data));
  memset(image_bss, 0, (size_t)((char *)image_bss_end - (char *)image_bss));
  leave((uint32_t)main());
}

void stop(void) {
  console_put("fault\n");
  leave(99);
}

typedef union vector {
  uint32_t *stack;
  void (*handler)(void);
} vector;

extern const vector vectors[16];
const vector vectors[16] __attribute__((section(".vectors"), used)) = {
    {.stack = image_stack}, {.handler = start}, {.handler = stop}, {.handler = stop},
    {.handler = stop},      {.handler = stop},  {.handler = stop}};
