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
/* The sum of from[i] where which[i] is not 0, of rows and columns: for kernels of another file, and for process code. */
double sum_of_grid(const double *from, const int *which, long rows, long columns);

#endif
