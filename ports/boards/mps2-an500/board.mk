# Arm MPS2 with the AN500 image: a Cortex-M7 with all the memory that tests want.
CORE ?= m7
MACHINE := mps2-an500
