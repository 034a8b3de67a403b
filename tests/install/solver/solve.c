// SPDX-License-Identifier: Apache-2.0
// A C program that solves a system with an installed libamgsolve: the Laplacian on 50 x 50 points.
#include <amgsolve.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 50, ROWS = N * N };

static int32_t starts[ROWS + 1], columns[5 * ROWS];
static double values[5 * ROWS], b[ROWS], x[ROWS];

static void add(int row, int column, double value) {
  columns[starts[row + 1]] = column;
  values[starts[row + 1]++] = value;
}

int main(void) {
  for (int row = 0; row < ROWS; ++row) {
    starts[row + 1] = starts[row];
    if (row >= N) add(row, row - N, -1);
    if (row % N > 0) add(row, row - 1, -1);
    add(row, row, 4);
    if (row % N + 1 < N) add(row, row + 1, -1);
    if (row + N < ROWS) add(row, row + N, -1);
    b[row] = 1;
  }
  amgsolve* solver = amgsolve_create(2);
  if (amgsolve_set(solver, "smother", "jacobi") == 0 || strstr(amgsolve_error(solver), "smother") == NULL)
    return 1;
  if (amgsolve_set(solver, "smoother", "l1-jacobi") != 0 || amgsolve_set(solver, "tol", "1e-10") != 0 ||
      amgsolve_setup32(solver, ROWS, starts, columns, values) != 0 || amgsolve_solve(solver, b, x) != 0) {
    fprintf(stderr, "%s\n", amgsolve_error(solver));
    return 1;
  }
  double largest = 0;
  for (int row = 0; row < ROWS; ++row) {
    double rest = b[row];
    for (int k = starts[row]; k < starts[row + 1]; ++k) rest -= values[k] * x[columns[k]];
    largest = fmax(largest, fabs(rest));
  }
  printf("%d iterations, largest element of the residual %.1e\n", amgsolve_last(solver).iterations, largest);
  amgsolve_destroy(solver);
  return largest < 1e-8 ? 0 : 1;
}
