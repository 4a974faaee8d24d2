# STM32H743xI: Cortex-M7, 2 MB flash, 128 KB DTCM, 512 KB AXI SRAM. No machine simulates it here:
# images are linked, not run.
CORE ?= m7
MACHINE :=
