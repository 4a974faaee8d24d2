# ARENA: bytes of the arena.
ARENA ?= 65536
APP_SOURCES := bench/device/inputs.c
APP_FLAGS := -DARENA_BYTES=$(ARENA)
APP_STACK := 4096
