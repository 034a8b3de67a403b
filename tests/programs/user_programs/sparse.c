/* SPDX-License-Identifier: Apache-2.0
 * Sparse matrices: rows, columns, a triangular solution by either, conjugate gradients, a matrix in slices, one in
 * diagonals. */
#include <math.h>

#include "user.h"

enum { n = 400, most = 12 * n, slice = 8, diagonals = 5 };
static struct sparse {
    int count;
    int begin[n + 1];
    int column[most];
    double value[most];
} lower, columns;
static double x[n], y[n], right[n], residual[n], direction[n], product[n];
static float bands[diagonals][n];
static float by_bands[n], in[n];
static int slice_width[n / slice], slice_begin[n / slice + 1];
static int slice_column[16 * n];
static double slice_value[16 * n];
static double by_slices[n];
static const int offsets[diagonals] = {-20, -1, 0, 1, 20};

KERNEL void forward(void *argument) {
    const struct sparse *const own = argument;
    ONE_THREAD;
    for (int i = 0; i < own->count; i++) {
        double sum = right[i];
        int k = own->begin[i];
        for (; k < own->begin[i + 1] - 1; k++) sum -= own->value[k] * x[own->column[k]];
        x[i] = sum / own->value[k];
    }
}

KERNEL void forward_by_columns(void *argument) {
    const struct sparse *restrict const own = argument;
    ONE_THREAD;
    memcpy(y, right, sizeof y);
    for (int j = 0; j < own->count; j++) {
        const double solved = y[j] /= own->value[own->begin[j]];
        for (int k = own->begin[j] + 1; k < own->begin[j + 1]; k++) y[own->column[k]] -= own->value[k] * solved;
    }
}

/* L L^T v, with rows. */
static void apply(const struct sparse *matrix, const double *restrict from, double *restrict to) {
    double middle[n];
    for (int i = 0; i < n; i++) middle[i] = to[i] = 0;
    for (int i = 0; i < n; i++)
        for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; k++)
            middle[matrix->column[k]] += matrix->value[k] * from[i];
    for (int i = 0; i < n; i++)
        for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; k++)
            to[i] += matrix->value[k] * middle[matrix->column[k]];
}
static double dot(const double *one, const double *other) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += one[i] * other[i];
    return sum;
}
KERNEL void gradients(void *argument) {
    const struct sparse *const own = argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) x[i] = 0, residual[i] = direction[i] = right[i];
    double square = dot(residual, residual);
    for (int round = 0; round < 12 && square > 1e-20; round++) {
        apply(own, direction, product);
        const double step = square / dot(direction, product);
        for (int i = 0; i < n; i++) x[i] += step * direction[i], residual[i] -= step * product[i];
        const double before = square;
        square = dot(residual, residual);
        for (int i = 0; i < n; i++) direction[i] = residual[i] + square / before * direction[i];
    }
}

KERNEL void slices_and_bands(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int s = 0; s < n / slice; s++) {
        double sums[slice] = {0};
        for (int k = 0; k < slice_width[s]; k++)
            for (int r = 0; r < slice; r++) {
                const int at = slice_begin[s] + k * slice + r;
                sums[r] += slice_value[at] * right[slice_column[at]];
            }
        for (int r = 0; r < slice; r++) by_slices[s * slice + r] = sums[r];
    }
    for (int i = 0; i < n; i++) by_bands[i] = 0;
    for (int d = 0; d < diagonals; d++) {
        const int offset = offsets[d], begin = offset < 0 ? -offset : 0, end = offset > 0 ? n - offset : n;
        for (int i = begin; i < end; i++) by_bands[i] += bands[d][i] * in[i + offset];
    }
}

int main(void) {
    lower.count = columns.count = n;
    int used = 0, by_column = 0;
    for (int i = 0; i < n; i++) {
        lower.begin[i] = used, columns.begin[i] = by_column;
        for (int k = 0; k < 6; k++)
            if (i > 0)
                lower.column[used] = (int)(next_random() % (unsigned)i), lower.value[used++] = next_double() * 0.1;
        lower.column[used] = i, lower.value[used++] = 1 + next_double();
        columns.column[by_column] = i, columns.value[by_column++] = 1 + next_double();
        for (int k = 0; k < 4; k++)
            if (i + 1 < n)
                columns.column[by_column] = i + 1 + (int)(next_random() % (unsigned)(n - i - 1)),
                columns.value[by_column++] = next_double() * 0.1;
        right[i] = next_double() - 0.5, in[i] = (float)next_double();
        for (int d = 0; d < diagonals; d++) bands[d][i] = (float)next_double();
    }
    lower.begin[n] = used, columns.begin[n] = by_column;
    for (int s = 0; s < n / slice; s++) {
        slice_width[s] = 1 + (int)(next_random() % 15);
        slice_begin[s + 1] = slice_begin[s] + slice_width[s] * slice;
        for (int at = slice_begin[s]; at < slice_begin[s + 1]; at++)
            slice_column[at] = (int)(next_random() % n), slice_value[at] = next_double();
    }
    RUN(forward, &lower);
    SHOW(x);
    RUN(forward_by_columns, &columns);
    RUN(gradients, &lower);
    RUN(slices_and_bands, NULL);
    SHOW(x), SHOW(y), SHOW(residual), SHOW(by_slices), SHOW(by_bands);
    return 0;
}
