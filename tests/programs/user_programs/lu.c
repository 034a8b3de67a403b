/* SPDX-License-Identifier: Apache-2.0
 * Factors of a matrix with exchanges of rows, plain and in blocks, and the solution of a system. */
#include "user.h"

enum { n = 90, width = 24 };
static double matrix[n][n], plain[n][n], blocked[n][n], right[n], solution[n];
static int pivots[n];

static void exchange(double *one, double *other, int count) {
    while (count-- > 0) {
        const double kept = *one;
        *one++ = *other;
        *other++ = kept;
    }
}

static double magnitude(double x) { return x < 0 ? -x : x; }

KERNEL void factor(void *argument) {
    double(*const m)[n] = argument;
    ONE_THREAD;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (magnitude(m[i][k]) > magnitude(m[best][k])) best = i;
        pivots[k] = best;
        if (best != k) exchange(m[k], m[best], n);
        for (int i = k + 1; i < n; i++) {
            m[i][k] /= m[k][k];
            for (int j = k + 1; j < n; j++) m[i][j] -= m[i][k] * m[k][j];
        }
    }
}

/* Without exchanges: the matrix is dominated by its diagonal. */
KERNEL void factor_blocked(void *argument) {
    double(*const m)[n] = argument;
    ONE_THREAD;
    for (int begin = 0; begin < n; begin += width) {
        const int end = begin + width < n ? begin + width : n;
        for (int k = begin; k < end; k++)
            for (int i = k + 1; i < n; i++) {
                const double part = m[i][k] /= m[k][k];
                for (int j = k + 1; j < end; j++) m[i][j] -= part * m[k][j];
            }
        for (int j = end; j < n; j++)
            for (int k = begin; k < end; k++)
                for (int i = k + 1; i < end; i++) m[i][j] -= m[i][k] * m[k][j];
        for (int i = end; i < n; i++)
            for (int k = begin; k < end; k++)
                for (int j = end; j < n; j++) m[i][j] -= m[i][k] * m[k][j];
    }
}

KERNEL void solve(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) solution[i] = right[i];
    for (int k = 0; k < n; k++) {
        const double kept = solution[k];
        solution[k] = solution[pivots[k]], solution[pivots[k]] = kept;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) solution[i] -= plain[i][j] * solution[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) solution[i] -= plain[i][j] * solution[j];
        solution[i] /= plain[i][i];
    }
}

int main(void) {
    for (int i = 0; i < n; i++) {
        right[i] = i % 7 - 3;
        for (int j = 0; j < n; j++) matrix[i][j] = next_double() + (i == j ? n : 0);
    }
    memcpy(blocked, matrix, sizeof matrix);
    for (int i = 0; i < n; i++) memcpy(plain[(i * 37 + 11) % n], matrix[i], sizeof matrix[i]);
    RUN(factor, plain);
    RUN(factor_blocked, blocked);
    RUN(solve, NULL);
    SHOW(plain), SHOW(blocked), SHOW(pivots), SHOW(solution);
    return 0;
}
