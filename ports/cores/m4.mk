ARCH := arm
CROSS := arm-none-eabi-
CORE_FLAGS := -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16
LIBC ?= newlib
