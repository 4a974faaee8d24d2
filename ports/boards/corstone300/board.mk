# Corstone-300 (Cortex-M55), as in the AN547 image: code in ITCM, data in DTCM, models and heap in
# DDR.
CORE ?= m55
MACHINE := mps3-an547
