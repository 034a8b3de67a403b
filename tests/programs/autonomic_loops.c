// SPDX-License-Identifier: Apache-2.0
// A plain C program with loops over arrays, for the autonomic model on the modelled machine.
#include <stdio.h>

enum { n = 20000 };
static double x[n], y[n];

__attribute__((noinline)) static void fill(long count) {
    for (long i = 0; i < count; i++) x[i] = (double)(i % 17) / 4;
}

__attribute__((noinline)) static void smooth(long count) {
    for (long i = 1; i < count - 1; i++) y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}

int main(void) {
    fill(n);
    smooth(n);
    double sum = 0;
    for (long i = 0; i < n; i++) sum += y[i];
    printf("sum %.17g\n", sum);
    return 0;
}
