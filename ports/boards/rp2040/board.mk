# RP2040: Cortex-M0+, 264 KB RAM, flash outside (2 MB here), whose first 256 bytes are the second
# boot stage: bring your own. No machine simulates it here: images are linked, not run.
CORE ?= m0plus
MACHINE :=
