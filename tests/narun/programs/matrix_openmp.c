/* SPDX-License-Identifier: Apache-2.0
 *
 * An ordinary OpenMP program that knows nothing of memory nodes: one thread builds a matrix in compressed
 * rows, all threads multiply with it, each with its share of the rows. It checks its own result; and at the
 * end it asks the kernel where the pages of the matrix are, and compares with the nodes of the threads that
 * read them (of threads on nodes without memory no page can be local: theirs are not counted).
 *
 * matrix_openmp [points per side] [shape] [seconds]: even rows, or `uneven` ones whose shares of the entries
 * are balanced; multiplies three times, and on until it has used so much processor time. Prints "matrix
 * pages: LOCAL of KNOWN local" and "matrix_openmp: passed". */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "page_nodes.h"

enum { most_threads = 1024 };

static int rows, entries;
static int *row_start, *column;
static double *value, *x, *y;

/* Five-point Laplace operator with an extra band in the second half when uneven. */
static int row_columns(int row, int side, int uneven, int* columns) {
  int n = 0;
  const int i = row / side, j = row % side;
  if (i > 0) columns[n++] = row - side;
  if (j > 0) columns[n++] = row - 1;
  columns[n++] = row;
  if (j < side - 1) columns[n++] = row + 1;
  if (i < side - 1) columns[n++] = row + side;
  for (int k = 0; uneven && row > rows / 2 && k < 6; k++) columns[n++] = (row + 7 * (k + 1)) % rows;
  return n;
}

/* One thread, as programs that read a matrix from a file do. */
static void build(int side, int uneven) {
  int columns[16];
  rows = side * side;
  row_start = malloc((size_t)(rows + 1) * sizeof *row_start);
  entries = 0;
  for (int row = 0; row < rows; row++) entries += row_columns(row, side, uneven, columns);
  column = malloc((size_t)entries * sizeof *column);
  value = malloc((size_t)entries * sizeof *value);
  x = calloc((size_t)rows, sizeof *x);
  y = calloc((size_t)rows, sizeof *y);
  entries = 0;
  for (int row = 0; row < rows; row++) {
    row_start[row] = entries;
    const int n = row_columns(row, side, uneven, columns);
    for (int k = 0; k < n; k++) {
      column[entries] = columns[k];
      value[entries++] = columns[k] == row ? 4.0 : -1.0;
    }
    x[row] = row % 17;
  }
  row_start[rows] = entries;
}

/* The first row of a thread's share: as many entries for each. */
static int first_row(int thread, int threads) {
  const double share = (double)entries * thread / threads;
  int low = 0, high = rows;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (row_start[middle] < share)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void multiply(void) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const int end = first_row(thread + 1, threads);
    for (int row = first_row(thread, threads); row < end; row++) {
      double sum = 0;
      for (int k = row_start[row]; k < row_start[row + 1]; k++) sum += value[k] * x[column[k]];
      y[row] = sum;
    }
  }
}

/* Whether the kernel lists memory on the node. */
static int has_memory(int node) {
  char name[64], text[256] = "";
  snprintf(name, sizeof name, "/sys/devices/system/node/node%d/meminfo", node);
  FILE* file = fopen(name, "r");
  long kilobytes = 0;
  if (file && fgets(text, sizeof text, file)) sscanf(text, "Node %*d MemTotal: %ld", &kilobytes);
  if (file) fclose(file);
  return kilobytes > 0;
}

/* Not static and called through no library: tests of triggers name a function of a library instead. */
int main(int argc, char** argv) {
  const int side = argc > 1 ? atoi(argv[1]) : 400;
  const int uneven = argc > 2 && strcmp(argv[2], "uneven") == 0;
  build(side, uneven);
  const double seconds = argc > 3 ? atof(argv[3]) : 0;
  for (int round = 0; round < 3 || (double)clock() < seconds * CLOCKS_PER_SEC; round++) multiply();

  static int node_of[most_threads];
  int threads = 1;
#pragma omp parallel
  {
    node_of[omp_get_thread_num()] = node_here();
#pragma omp single
    threads = omp_get_num_threads();
  }
  long local = 0, known = 0;
  for (int thread = 0; thread < threads; thread++) {
    if (!has_memory(node_of[thread])) continue;
    const int first = row_start[first_row(thread, threads)], last = row_start[first_row(thread + 1, threads)];
    count_pages((char*)(value + first), (char*)(value + last), node_of[thread], &local, &known);
    count_pages((char*)(column + first), (char*)(column + last), node_of[thread], &local, &known);
  }
  printf("matrix pages: %ld of %ld local\n", local, known);

  for (int row = 0; row < rows; row++) {
    double sum = 0;
    for (int k = row_start[row]; k < row_start[row + 1]; k++) sum += value[k] * x[column[k]];
    if (sum != y[row]) {
      printf("row %d: %g instead of %g\n", row, y[row], sum);
      return 1;
    }
  }
  free(row_start);
  free(column);
  free(value);
  free(x);
  free(y);
  printf("matrix_openmp: passed with %d threads\n", threads);
  return 0;
}
