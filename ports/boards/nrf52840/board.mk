# nRF52840: Cortex-M4F, 1 MB flash, 256 KB RAM.
CORE ?= m4
MACHINE := mps2-an386
