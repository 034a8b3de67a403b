/* SPDX-License-Identifier: Apache-2.0
 * With -DKERNELS one thread of the array runs what is a plain function else. */
#ifndef USER_H
#define USER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef KERNELS
#include <parallelc.h>
#define KERNEL __kernel
#define RUN(kernel, argument) m_run(kernel, argument)
#define ONE_THREAD \
    if (m_rank(CCC_ARRAY) != 0) return
#else
#define KERNEL static __attribute__((noinline))
#define RUN(kernel, argument) kernel(argument)
#define ONE_THREAD (void)0
#endif

static uint64_t bits_of(const void *memory, size_t bytes) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char *)memory)[i]) * 1099511628211u;
    return sum;
}
#define SHOW(object) printf("%s %016llx\n", #object, (unsigned long long)bits_of(&(object), sizeof(object)))
#define SHOW_BYTES(name, memory, bytes) printf("%s %016llx\n", name, (unsigned long long)bits_of(memory, bytes))

static uint64_t random_state = 88172645463325252u;
static inline uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}
static inline double next_double(void) { return (double)(next_random() >> 11) / 9007199254740992.0; }

#endif
