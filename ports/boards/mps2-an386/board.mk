# Arm MPS2 with the AN386 image: a Cortex-M4F with all the memory that tests want.
CORE ?= m4
MACHINE := mps2-an386
