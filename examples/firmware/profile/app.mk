# ARENA: bytes of the arena. 0 of `invocation` is the input that `arenite run` generates.
ARENA ?= 16384
APP_SOURCES := bench/device/inputs.c
APP_FLAGS := -DARENA_BYTES=$(ARENA)
APP_STACK := 4096
