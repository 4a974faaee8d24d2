# QEMU's RISC-V machine "virt": all memory is RAM; the first 16 MB play the flash.
CORE ?= rv32
MACHINE := virt
