/* kernel.h - hot loops: compiled several times, the best one chosen when the program starts. */
#ifndef STOW_BASE_KERNEL_H
#define STOW_BASE_KERNEL_H

#include <stdint.h> /* and, with it, __GLIBC__ */

/* Sanitizers cannot follow the choice at start, and clang 14 has it for C only in part. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STOW_KERNEL __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define STOW_KERNEL
#endif

#endif
