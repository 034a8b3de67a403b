// SPDX-License-Identifier: Apache-2.0
// The examples of docs/reference/language.md, "Optimisation": what parcc --auto-dma does not move, and the same rewritten.
// RUN: %parcc -O2 --auto-dma --report=layout -c %s -o %t.o 2>&1 | %check %s
// RUN: %parcc -O2 --optimise-for-host --report=layout -c %s -o %t.o 2>&1 | grep "^host:" | %check %s --check-prefix=HOST
#include <parallelc.h>

enum { n = 100000, side = 500 };
double in[n], out[n], value[n], a[8 * n], way[side][side], row[side], column[side];
int key[n];
long bins[100000];
struct cell {
    double value, other;
} cells[n];
struct part {
    double *data;
    long size;
};
double f(double);
#define KERNEL(name) __kernel void name(void *argument)

// CHECK-LABEL: layout: kernel condition
// CHECK: out: written under a condition
KERNEL(condition) {
    (void)argument;
    for (long i = 0; i < n; i++)
        if (in[i] > 0) out[i] = in[i];
}
// CHECK-LABEL: layout: kernel condition_rewritten
// CHECK: through the scratchpad: in, out{{[^;]*$}}
KERNEL(condition_rewritten) {
    (void)argument;
    for (long i = 0; i < n; i++) out[i] = in[i] > 0 ? in[i] : out[i];
}

// CHECK-LABEL: layout: kernel gaps
// CHECK: cells: written with gaps
KERNEL(gaps) {
    (void)argument;
    for (long i = 0; i < n; i++) cells[i].value = in[i];
}
// CHECK-LABEL: layout: kernel gaps_rewritten
// CHECK: through the scratchpad: in, value{{[^;]*$}}
KERNEL(gaps_rewritten) {
    (void)argument;
    for (long i = 0; i < n; i++) value[i] = in[i];
}

// CHECK-LABEL: layout: kernel search
// CHECK: left as it is: it may be left early
KERNEL(search) {
    const double wanted = *(double *)argument;
    long i = 0;
    for (; i < n; i++)
        if (in[i] == wanted) break;
    *(long *)argument = i;
}
// CHECK-LABEL: layout: kernel search_rewritten
// CHECK: through the scratchpad: in{{[^;]*$}}
KERNEL(search_rewritten) {
    const double wanted = *(double *)argument;
    long found = n;
    for (long i = 0; i < n; i++) found = in[i] == wanted ? i : found;
    *(long *)argument = found;
}

// CHECK-LABEL: layout: kernel end
// CHECK: left as it is: its number of iterations is not known when it begins, because its end is read from memory
KERNEL(end) {
    const struct part *part = argument;
    for (long i = 0; i < part->size; i++) ((long *)part->data)[i] *= 2;
}
// CHECK-LABEL: layout: kernel end_rewritten
// CHECK: through the scratchpad: pointer in byte 0 of argument 1
KERNEL(end_rewritten) {
    const struct part *part = argument;
    long *const data = (long *)part->data;
    for (long i = 0, size = part->size; i < size; i++) data[i] *= 2;
}

// CHECK-LABEL: layout: kernel other_file
// CHECK: left as it is: it calls f at line
KERNEL(other_file) {
    (void)argument;
    for (long i = 0; i < n; i++) out[i] = f(in[i]);
}

// CHECK-LABEL: layout: kernel histogram
// CHECK: main memory: its address comes from memory
// CHECK: through the scratchpad: key
KERNEL(histogram) {
    (void)argument;
    for (long i = 0; i < n; i++) bins[key[i]]++;
}

// CHECK-LABEL: layout: kernel paths
// CHECK: done where its accesses lie apart (a check at run time)
// CHECK: not in tiles: nothing of it can be moved; way: the access at line [[#@LINE+8]] lies in what is written
// CHECK: through the scratchpad: way, {{.*}}; way: the access at line [[#@LINE+7]] lies in what is written; way: moved when the run finds that the access at line [[#@LINE+7]] lies apart
// CHECK-LABEL: layout: kernel paths_rewritten
KERNEL(paths) {
    (void)argument;
    for (long k = 0; k < side; k++)
        for (long i = 0; i < side; i++)
            for (long j = 0; j < side; j++)
                way[i][j] = way[i][j] < way[i][k] + way[k][j] ? way[i][j] : way[i][k] + way[k][j];
}
// CHECK: in tiles of it and of the loop at line {{.*}} through the scratchpad: {{.*}}way
KERNEL(paths_rewritten) {
    (void)argument;
    for (long k = 0; k < side; k++) {
        for (long j = 0; j < side; j++) row[j] = way[k][j];
        for (long i = 0; i < side; i++) column[i] = way[i][k];
        for (long i = 0; i < side; i++)
            for (long j = 0; j < side; j++)
                way[i][j] = way[i][j] < column[i] + row[j] ? way[i][j] : column[i] + row[j];
    }
}

// HOST-DAG: looks up way:
KERNEL(looks_up) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        const double x = way[0][key[i]];
        if (x > 3)
            sum = sum * x + 1;
        else
            out[i] = x * sum;
    }
    *(double *)argument = sum;
}

// HOST-DAG: writes out: past the caches
KERNEL(stores) {
    (void)argument;
    for (long i = 0; i < n; i++) out[i] = in[i] + value[i];
}
