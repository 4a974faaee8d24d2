ARCH := arm
CROSS := arm-none-eabi-
CORE_FLAGS := -mcpu=cortex-m3 -mthumb
LIBC ?= newlib
