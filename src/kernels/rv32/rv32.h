// Variants for RV32 with multiplication: no vectors, but registers enough for blocks of sums.
#ifndef ARENITE_SRC_KERNELS_RV32_RV32_H
#define ARENITE_SRC_KERNELS_RV32_RV32_H

#if defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__riscv) && defined(__riscv_mul) && \
    !defined(__riscv_vector)
#if __riscv_xlen == 32
#define ARN__RV32 1
#endif
#endif

#endif
