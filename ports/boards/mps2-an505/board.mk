# Arm MPS2 with the AN505 image: a Cortex-M33. It starts in secure state; all addresses are secure
# aliases.
CORE ?= m33
MACHINE := mps2-an505
