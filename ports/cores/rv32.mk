ARCH := riscv
CROSS := riscv64-unknown-elf-
CORE_FLAGS := -march=rv32imac -mabi=ilp32 -mcmodel=medany
LIBC ?= picolibc
