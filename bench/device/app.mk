APP_STACK := 8192
APP_SOURCES := bench/device/inputs.c
