# The assembler of binutils 2.40 takes a conversion in an IT block (vcvtne.f32.s32: "if not equal")
# for Helium's VCVTN, and refuses it: -fno-if-conversion2 keeps the compiler from writing any.
ARCH := arm
CROSS := arm-none-eabi-
CORE_FLAGS := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -fno-if-conversion2
LIBC ?= newlib
