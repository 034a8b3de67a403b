// SPDX-License-Identifier: Apache-2.0
// parcc --auto-dma: reasons to leave a loop, or one of two, that auto_dma.c and layout.c do not show.
// RUN: %parcc -O2 -fno-unroll-loops --auto-dma --report=layout -c %s -o %t.o 2>&1 | %check %s
#include <parallelc.h>
#include <string.h>

enum { n = 100000, side = 300 };
double x[n], y[n], z[n], grid[side][side], other[side][side], third[side][side];
double a1[4000], a2[4000], a3[4000];
int at[n];
extern double unknown[];
#define KERNEL(name) __kernel void name(void *argument)

// CHECK-LABEL: layout: kernel computed_jump
// CHECK: left as it is: it has jumps to computed places
KERNEL(computed_jump) {
    static void *const labels[] = {&&even, &&odd};
    for (long i = 0; i < n; i++) {
        goto *labels[at[i] & 1];
    even:
        x[i] = 1;
        continue;
    odd:
        x[i] = 2;
    }
    (void)argument;
}

// CHECK-LABEL: layout: kernel many_streams
// CHECK: left as it is: it accesses more than 24 streams
KERNEL(many_streams) {
    double *to = argument;
    (void)to;
    for (long i = 0; i < 100; i++)
#define S(k) x[i + k * 400 + 300]
        y[i] = S(0) + S(1) + S(2) + S(3) + S(4) + S(5) + S(6) + S(7) + S(8) + S(9) + S(10) + S(11) + S(12) + S(13) + S(14) + S(15) + S(16) + S(17) + S(18) + S(19) + S(20) + S(21) + S(22) + S(23) + S(24);
}

// CHECK-LABEL: layout: kernel two_loops
// CHECK: of it alone: there is not one loop in it
KERNEL(two_loops) {
    (void)argument;
    for (long i = 0; i < side; i++) {
        for (long j = 0; j < side; j++) grid[i][j] += other[i][j];
        for (long j = 0; j < side; j++) third[i][j] += other[i][j];
    }
}

// CHECK-LABEL: layout: kernel triangle
// CHECK: not in tiles: the number of iterations of the loop in it at line [[#@LINE+4]] is not the same in all rounds, which makes no box
KERNEL(triangle) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < i; j++) grid[i][j] = other[i][j];
}

// CHECK-LABEL: layout: kernel carried
// CHECK: of it alone: a value goes from iteration to iteration
KERNEL(carried) {
    double sum = 0;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) sum += grid[i][j];
    *(double *)argument = sum;
}

// CHECK-LABEL: layout: kernel several
// CHECK: left as it is: it is entered in several ways
KERNEL(several) {
    static void *const labels[] = {&&head, &&out};
    long i = 0;
    goto *labels[at[0] & 1];
head:
    for (;;) {
        x[i] = y[i];
        if (++i >= n) break;
    }
out:
    (void)argument;
}

// CHECK-LABEL: layout: kernel several_rows
// CHECK: grid: written in several rows at line
KERNEL(several_rows) {
    (void)argument;
    for (long i = 0; i < side - 1; i++)
        for (long j = 0; j < side; j++) { grid[i][j] = other[i][j] * 2; grid[i + 1][j] = third[i][j] * 3; }
}

// CHECK-LABEL: layout: kernel unknown_writes
// CHECK: of it alone: only the run knows what it writes at line
KERNEL(unknown_writes) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) { grid[i][j] = other[i][j] + third[i][j] + other[j][i]; z[at[j]] = 1; }
}

// CHECK-LABEL: layout: kernel unknown_reads
// CHECK: of it alone: only the run knows what it reads at line
KERNEL(unknown_reads) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) { grid[i][j] = other[i][j] + third[i][j] + other[j][i] + grid[at[j]][i]; }
}

// CHECK-LABEL: layout: kernel steps_far
// CHECK: left as it is: it may be left early
KERNEL(steps_far) {
    (void)argument;
    for (long r = 0; r < 5; r++)
    for (long i = 0; i < 5000; i++) { if (x[i] > 3) break; z[i * 16] = x[i]; z[i] = 1; }
}

// CHECK-LABEL: layout: kernel steps_more
// CHECK: z: steps by 128 bytes, more than 64
KERNEL(steps_more) {
    (void)argument;
    for (long i = 0; i < 5000; i++) { z[i * 16] = x[i]; }
    for (long i = 0; i < 5000; i++) { z[i] = x[i]; }
}

// CHECK-LABEL: layout: kernel outside_too
// CHECK: of it alone: it writes outside of the loop in it at line
KERNEL(outside_too) {
    (void)argument;
    for (long i = 0; i < side; i++) {
        y[i] = x[i] * 3;
        for (long j = 0; j < side; j++) grid[i][j] = other[i][j] * 2;
    }
}

// CHECK-LABEL: layout: kernel after
// CHECK: of it alone: values of the loops are used after them
KERNEL(after) {
    long i, j;
    for (i = 0; i < side; i++)
        for (j = 0; j < side; j++) grid[i][j] = other[j][i];
    double last = 0;
    for (i = 0; i < side; i++)
        for (j = 0; j < side; j++) { last = other[i][j]; third[i][j] = last; }
    *(double *)argument = last;
}

// CHECK-LABEL: layout: kernel same
// CHECK: of it alone: both loops write the same at line
KERNEL(same) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++)
            for (long k = 0; k < side; k++) y[k] = y[k] * grid[i][k] + other[j][k];
}

// CHECK-LABEL: layout: kernel one_dimension
// CHECK: of it alone: both loops step along the same dimension at line
KERNEL(one_dimension) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) y[i + j] = y[i + j] * 0.5 + grid[i][j];
}

// CHECK-LABEL: layout: kernel forth_and_back
// CHECK: of it alone: iterations depend on each other forward in one loop and back in the other at line
KERNEL(forth_and_back) {
    (void)argument;
    for (long i = 1; i < side; i++)
        for (long j = 0; j < side - 1; j++) grid[i][j] = grid[i - 1][j + 1] * 0.5;
}

// What is read before the inner loop may be written in it: cut into tiles of both, a later tile would read it anew.
// CHECK-LABEL: layout: kernel read_before
// CHECK: of it alone: it reads outside of the loop in it what that writes at line [[#@LINE+4]]
KERNEL(read_before) {
    (void)argument;
    for (long i = 0; i < side; i++) {
        const double first = z[i];
        for (long j = 0; j < side; j++)
            if (grid[i][j] > 3) z[i] = first + grid[i][j];
    }
}

// Rounds of the outer loop write what those before have written.
// CHECK-LABEL: layout: kernel wider_than_steps
// CHECK: of it alone: accesses are wider than the step of the only loop that moves them at line
typedef double wide __attribute__((vector_size(32), aligned(8)));
KERNEL(wider_than_steps) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) *(wide *)(y + j) = *(wide *)(y + j) * 0.5 + grid[i][j];
}

// And rows where those before have written the row above it.
// CHECK-LABEL: layout: kernel wide_from_above
// CHECK: of it alone: accesses overlap in part at line
KERNEL(wide_from_above) {
    (void)argument;
    for (long i = 1; i < side; i++)
        for (long j = 0; j < side - 4; j++) *(wide *)(grid[i] + j) = *(wide *)(grid[i - 1] + j) * 0.5;
}

// CHECK-LABEL: layout: kernel in_part
// CHECK: of it alone: accesses overlap in part at line
KERNEL(in_part) {
    (void)argument;
    for (long i = 1; i < side; i++)
        for (long j = 0; j < side - 1; j++) grid[i][j] = *(double *)((char *)&grid[i - 1][j] + 4);
}

// CHECK-LABEL: layout: kernel inner_dimension
// CHECK: of it alone: an inner loop steps along the same dimension at line
KERNEL(inner_dimension) {
    (void)argument;
    for (long i = 1; i < 38; i++)
        for (long j = 0; j < 100; j++)
            for (long k = 0; k < 50; k++) grid[i][j + k] = grid[i - 1][j + k + 1] * 0.5;
}

// CHECK-LABEL: layout: kernel guarded
// CHECK: in tiles through the scratchpad: {{grid, unknown|unknown, grid}};
// CHECK-SAME: unknown: accessed under a condition at line {{[0-9]+}}, so moved when the run finds that it lies inside of a variable
KERNEL(guarded) {
    (void)argument;
    double sum = 0;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++)
            if (grid[i][j] > 3) sum += unknown[i * side + j] / grid[i][j];
    *(double *)argument = sum;
}

// CHECK-LABEL: layout: kernel nothing_moved
// CHECK: not in tiles: nothing of it can be moved; grid: written with gaps
KERNEL(nothing_moved) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side / 2; j++) grid[i][2 * j] = 1;
}

// CHECK-LABEL: layout: kernel no_nest
// CHECK: not in tiles: most of its accesses follow no constant steps of counted loops
KERNEL(no_nest) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) grid[(i * j) % side][at[j]] = 1;
}

// CHECK-LABEL: layout: kernel room
// CHECK: others gain more for the room
KERNEL(room) {
    (void)argument;
    for (long i = 0; i < n; i++) y[i] = a1[at[i] & 2047] + a2[at[i] & 2047] + a3[at[i] & 2047];
}

// What it writes may be its own end.
// CHECK-LABEL: layout: kernel end_in_memory
// CHECK: its number of iterations is not known when it begins, because its end is read from memory in each iteration at line [[#@LINE+3]]
KERNEL(end_in_memory) {
    long *to = argument;
    for (long i = 0; i < to[0]; i++) to[i] = i;
}

// CHECK-LABEL: layout: kernel end_by_call
// CHECK: its number of iterations is not known when it begins, because its end depends on last at line [[#@LINE+4]]
extern long last(void);
KERNEL(end_by_call) {
    (void)argument;
    for (long i = 0; i < last(); i++) x[i] = y[i];
}

// CHECK-LABEL: layout: kernel apart
// CHECK: of it alone: iterations of a loop that does not move it depend on each other at line
KERNEL(apart) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) y[2 * j] = y[2 * j + 1] * grid[i][j], y[2 * j + 1] = other[i][j];
}

// What a copy or fill touches is not known, so nothing is placed for the whole kernel.
// CHECK-LABEL: layout: kernel fills
// CHECK-NOT: from begin to end
// CHECK: not seen: accesses of memset at line [[#@LINE+4]]
// CHECK-NOT: from begin to end
// CHECK-LABEL: layout: kernel copies
KERNEL(fills) {
    memset(argument, 0, 8 * sizeof *a1);
    for (long i = 0; i < n; i++) y[i] = a1[at[i] & 2047];
}

// CHECK: left as it is: it calls memcpy at line [[#@LINE+3]]
KERNEL(copies) {
    double *to = argument;
    for (long i = 0; i < n; i++) memcpy(to + at[i], x + i, 40);
}

// Loops that copy are moved.
// CHECK-LABEL: layout: kernel plain_copy
// CHECK: in tiles of it and of the loop at line {{.*}} through the scratchpad: other, grid
KERNEL(plain_copy) {
    (void)argument;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < side; j++) grid[i][j] = other[i][j];
}
