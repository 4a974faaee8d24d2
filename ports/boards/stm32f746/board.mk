# STM32F746xG: Cortex-M7, 1 MB flash (here at the address of the ITCM interface), 64 KB DTCM, 256 KB
# SRAM. The simulated Cortex-M7 has memory at all of these; BOOT_COPY puts the vectors where it
# looks for them.
CORE ?= m7
MACHINE := mps2-an500
BOOT_COPY := yes
