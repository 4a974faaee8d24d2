ARCH := arm
CROSS := arm-none-eabi-
CORE_FLAGS := -mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16
LIBC ?= newlib
