# STM32F411xE: Cortex-M4F, 512 KB flash, 128 KB RAM. The simulated STM32F405 has these at the same
# addresses.
CORE ?= m4
MACHINE := netduinoplus2
