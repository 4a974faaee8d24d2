ARCH := arm
CROSS := arm-none-eabi-
CORE_FLAGS := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard
LIBC ?= newlib
