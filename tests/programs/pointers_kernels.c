// SPDX-License-Identifier: Apache-2.0
// Kernels whose pointers name variables of another file: see pointers.c.
#include "pointers.h"

#define ADD_UP(name, more)                                                        \
    __kernel void name(void *argument) {                                          \
        struct part *part = argument;                                             \
        const double *restrict from = part->from;                                 \
        const int *restrict which = part->which;                                  \
        const long count = part->count + (more);                                  \
        double sum = 0;                                                           \
        for (long i = 0; i < count; i++)                                          \
            if (which[i] != 0) sum += from[i] / (1.0 + (double)(which[i] - 1));   \
        if (m_rank(CCC_ARRAY) < most_threads) part->sum[m_rank(CCC_ARRAY)] = sum; \
    }
ADD_UP(in_program, 0)
ADD_UP(in_file, 0)
ADD_UP(over_end, 1)
ADD_UP(few_only, 0)
ADD_UP(in_memory, 0)
ADD_UP(in_block, 0)
ADD_UP(over_block, 1)
ADD_UP(freed_block, 0)

#define LOOK_UP(name, table)                                                      \
    __kernel void name(void *argument) {                                          \
        struct part *part = argument;                                             \
        const double *const from = part->from;                                    \
        const int *const which = part->which;                                     \
        const long count = part->count;                                           \
        double sum = 0;                                                           \
        for (long i = 0; i < count; i++) sum += (table)[which[i]];                \
        (void)from;                                                               \
        if (m_rank(CCC_ARRAY) < most_threads) part->sum[m_rank(CCC_ARRAY)] = sum; \
    }
LOOK_UP(by_table, from)
LOOK_UP(by_half_table, from)
LOOK_UP(by_large_table, from)
LOOK_UP(by_memory, from)
LOOK_UP(by_declared, of_program)

static __attribute__((noinline)) void look_up_into(double *restrict to, const double *restrict from,
                                                   const int *restrict which, long count) {
    for (long i = 0; i < count; i++) to[i] = from[which[i]] * 2;
}
#define LOOK_UP_INTO(name)                                                                    \
    __kernel void name(void *argument) {                                                      \
        const struct looked_up *own = argument;                                               \
        if (m_rank(CCC_ARRAY) == 0) look_up_into(own->to, own->from, own->which, own->count); \
    }
LOOK_UP_INTO(beside_table)
LOOK_UP_INTO(within_table)

#define RAISE(name)                                             \
    __kernel void name(void *argument) {                        \
        const struct raised *raised = argument;                 \
        if (m_rank(CCC_ARRAY) != 0) return;                     \
        double *restrict to = raised->to;                       \
        const double *restrict from = raised->from;             \
        for (long i = 0, count = raised->count; i < count; i++) \
            if (from[i] > to[i]) to[i] = from[i];               \
    }
RAISE(raise_program)
RAISE(raise_constant)
RAISE(raise_memory)
RAISE(raise_block)

void raise_rows(double *restrict to, const double *restrict from, long rows, long columns) {
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++)
            if (from[i * columns + j] > to[i * columns + j]) to[i * columns + j] = from[i * columns + j];
}

double sum_of_grid(const double *restrict from, const int *restrict which, long rows, long columns) {
    double sum = 0;
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++)
            if (which[i * columns + j] != 0)
                sum += from[i * columns + j] / (1.0 + (double)(which[i * columns + j] - 1));
    return sum;
}
