# The conformance runner, as it is, on a bare machine: cases and goldens are read through
# semihosting. Here int and long are both 32 bits wide, and uint32_t is long: -Wno-format; so is
# size_t: -Wno-type-limits.
APP_SOURCES := $(wildcard tests/conformance/*.c host/check/*.c host/rewrite/*.c host/search/row*.c host/search/order.c)
APP_FLAGS := -Iports/libc/include -D_GNU_SOURCE -Wno-missing-prototypes \
             -Wno-format -Wno-type-limits -D_POSIX_TIMERS=1 -D_POSIX_MONOTONIC_CLOCK=200112L \
             -D_POSIX_CPUTIME=200112L -D_POSIX_THREAD_CPUTIME=200112L
APP_STACK := 65536
APP_LIBC := yes
$(OUT)/tests/conformance/main.o: APP_FLAGS += -Dmain=conformance_main
