/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in three orders of loops, as arrays, as pointers to rows, and as arrays of variable length. */
#include "user.h"

enum { n = 61, block = 16 };
static double a[n][n], b[n][n], by_rows[n][n], by_columns[n][n], in_blocks[n][n];
double *rows[n];

KERNEL void multiply_ijk(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];
            by_columns[i][j] = sum;
        }
}

KERNEL void multiply_ikj(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) by_rows[i][j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) by_rows[i][j] += a[i][k] * b[k][j];
    }
}

#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
KERNEL void multiply_blocked(void *argument) {
    (void)argument;
    ONE_THREAD;
    memset(in_blocks, 0, sizeof in_blocks);
    for (int ii = 0; ii < n; ii += block)
        for (int kk = 0; kk < n; kk += block)
            for (int jj = 0; jj < n; jj += block)
                for (int i = ii; i < SMALLER(ii + block, n); i++)
                    for (int k = kk; k < SMALLER(kk + block, n); k++)
                        for (int j = jj; j < SMALLER(jj + block, n); j++) in_blocks[i][j] += a[i][k] * b[k][j];
}

struct product {
    int size;
    const double *left, *right;
    double *result;
};
static void multiply_any(int size, const double left[size][size], const double right[size][size],
                         double result[size][size]) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            result[i][j] = 0;
            for (int k = 0; k < size; k++) result[i][j] += left[i][k] * right[k][j];
        }
}
KERNEL void multiply_variable(void *argument) {
    const struct product *own = argument;
    ONE_THREAD;
    multiply_any(own->size, (const double(*)[own->size])own->left, (const double(*)[own->size])own->right,
                 (double(*)[own->size])own->result);
}

KERNEL void transpose_rows(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i + 1; j < n; j++) {
            const double kept = rows[i][j];
            rows[i][j] = rows[j][i];
            rows[j][i] = kept;
        }
}

int main(void) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i][j] = next_double(), b[i][j] = next_double() - 0.5;
        rows[i] = by_rows[n - 1 - i];
    }
    RUN(multiply_ijk, NULL);
    RUN(multiply_ikj, NULL);
    RUN(multiply_blocked, NULL);
    SHOW(by_columns), SHOW(by_rows), SHOW(in_blocks);
    for (int size = 1; size < n; size += 19) {
        double *const result = malloc(sizeof(double) * (size_t)size * (size_t)size);
        struct product product = {size, &a[0][0], &b[0][0], result};
        RUN(multiply_variable, &product);
        SHOW_BYTES("variable", result, sizeof(double) * (size_t)size * (size_t)size);
        free(result);
    }
    RUN(transpose_rows, NULL);
    SHOW(by_rows);
    return 0;
}
