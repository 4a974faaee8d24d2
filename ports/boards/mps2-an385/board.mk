# Arm MPS2 with the AN385 image: a Cortex-M3 with all the memory that tests want.
CORE ?= m3
MACHINE := mps2-an385
