// SPDX-License-Identifier: Apache-2.0
// STREAM: copy, scale, add and triad on vectors of LENGTH elements of each rank; the best time of each of
// TIMES rounds but the first, by STREAM's rule. The last line is that of the triad.
#include <float.h>
#include <math.h>

#include "kernels.h"

enum { copy, scale, add, triad, operations };
static const char* const names[operations] = {"copy", "scale", "add", "triad"};
static const int words[operations] = {2, 2, 3, 3};  // read and written for each element

static void operate(int operation, long n, double* restrict a, double* restrict b, double* restrict c) {
  switch (operation) {
    case copy:
      for (long i = 0; i < n; i++) c[i] = a[i];
      break;
    case scale:
      for (long i = 0; i < n; i++) b[i] = 3 * c[i];
      break;
    case add:
      for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
      break;
    case triad:
      for (long i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
      break;
  }
}

// STREAM's check: the mean difference from the value that each element has.
static int is_near(const double* values, long n, double expected) {
  double error = 0;
  for (long i = 0; i < n; i++) error += fabs(values[i] - expected);
  return error / n <= 1e-13 * expected;
}

int main(int argc, char** argv) {
  const char* usage = "stream LENGTH TIMES";
  const long n = argument(argc, argv, 1, 1, usage), times = argument(argc, argv, 2, 2, usage);
  if (times > 250) refuse("stream: %ld times are beyond 250, where the values leave double precision", times);
  double *a = memory(n * sizeof *a), *b = memory(n * sizeof *b), *c = memory(n * sizeof *c);
  for (long i = 0; i < n; i++) a[i] = 1, b[i] = 2, c[i] = 0;
  double best[operations] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, expected[3] = {1, 2, 0};
  for (long round = 0; round < times; round++) {
    for (int operation = 0; operation < operations; operation++) {
      m_barrier(CCC_ALL);
      const double begin = m_wtime();
      operate(operation, n, a, b, c);
      m_barrier(CCC_ALL);
      const double time = m_wtime() - begin;
      if (round > 0 && time < best[operation]) best[operation] = time;
      operate(operation, 1, &expected[0], &expected[1], &expected[2]);
    }
  }
  const int right = is_near(a, n, expected[0]) && is_near(b, n, expected[1]) && is_near(c, n, expected[2]);
  free(a), free(b), free(c);
  m_allreduce(CCC_ALL, best, best, operations, M_DOUBLE, M_MAX);
  const double megabytes = 8e-6 * n * m_size(CCC_ALL);
  for (int operation = 0; m_rank(CCC_ALL) == 0 && operation < triad; operation++)
    printf("%s: %.1f MB/s\n", names[operation], megabytes * words[operation] / best[operation]);
  return report("stream", best[triad], megabytes * words[triad], "MB", right);
}
