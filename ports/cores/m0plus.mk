ARCH := arm
CROSS := arm-none-eabi-
CORE_FLAGS := -mcpu=cortex-m0plus -mthumb
LIBC ?= newlib
