// Marks for the instruction counter: no-ops of the processor that the simulator's plugin reports
// with the number of instructions executed before them.
#ifndef ARENITE_BENCH_DEVICE_MARK_H
#define ARENITE_BENCH_DEVICE_MARK_H

#if defined(__riscv)
#define MARK(n) __asm volatile("slti x0, x0, " #n ::: "memory")
#elif defined(__ARM_ARCH_6M__)  // its set has none, but that of the machine that runs it
#define MARK(n) __asm volatile(".short 0xf3af, 0x80f0 + " #n ::: "memory")
#else
#define MARK(n) __asm volatile("dbg #" #n ::: "memory")
#endif

#endif
