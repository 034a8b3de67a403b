/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POINTERS_H
#define POINTERS_H

#include <parallelc.h>

enum { most_threads = 16 };

/* What a kernel adds up: from[i] where which[i] is not 0. */
struct part {
    const double *from;
    const int *which;
    double sum[most_threads];
    long count;
};

/* All do the same, and are told apart in the report. */
__kernel void in_program(void *part);
__kernel void in_file(void *part);
__kernel void over_end(void *part);
__kernel void few_only(void *part);
__kernel void in_memory(void *part);
__kernel void in_block(void *part);
__kernel void over_block(void *part);
__kernel void freed_block(void *part);

/* Adds up from[which[i]], of all in *part: a table of another file. */
__kernel void by_table(void *part);
__kernel void by_half_table(void *part);
__kernel void by_large_table(void *part);
__kernel void by_memory(void *part);
__kernel void by_declared(void *part);
extern double of_program[1000];
/* The same into to[i], which may lie in the table. */
struct looked_up {
    const double *from;
    const int *which;
    double *to;
    long count;
};
__kernel void beside_table(void *looked_up);
__kernel void within_table(void *looked_up);

/* What a kernel raises: to[i] to from[i] where that is higher. */
struct raised {
    double *to;
    const double *from;
    long count;
};
__kernel void raise_program(void *raised);
__kernel void raise_constant(void *raised);
__kernel void raise_memory(void *raised);
__kernel void raise_block(void *raised);
/* The same of rows and columns. */
void raise_rows(double *to, const double *from, long rows, long columns);
/* The sum of from[i] where which[i] is not 0, of rows and columns: for kernels of another file, and for process code. */
double sum_of_grid(const double *from, const int *which, long rows, long columns);

#endif
