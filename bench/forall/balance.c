// SPDX-License-Identifier: Apache-2.0
// `forall` with ANY against BLOCK over processes: iterations of equal length, of growing length (a triangle),
// and all of the work in the first eighth. In turns, the least time of many, so that what others do on the
// machine counts little; the sums are compared.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 4096, rounds = 30 };
typedef enum { even, triangle, eighth } shape_t;

static int steps_of(shape_t shape, int i, int n) {
  return shape == even ? 500 : shape == triangle ? 1000 * (long)i / n : i < n / 8 ? 4000 : 0;
}

static double work(int steps) {
  double x = 1;
  for (int i = 0; i < steps; i++) x = x * 0.999 + 0.5;
  return x;
}

static double run(int any, shape_t shape, int n, double* sum) {
  m_barrier(CCC_ALL);
  const double begin = m_wtime();
  double own = 0;
  if (any)
    forall(int i = 0; i < n; i++; ANY; CCC_ALL) own += work(steps_of(shape, i, n));
  else
    forall(int i = 0; i < n; i++; BLOCK; CCC_ALL) own += work(steps_of(shape, i, n));
  m_allreduce(CCC_ALL, &own, sum, 1, M_DOUBLE, M_SUM);
  double own_time = m_wtime() - begin, longest;
  m_allreduce(CCC_ALL, &own_time, &longest, 1, M_DOUBLE, M_MAX);
  return longest;
}

int main(void) {
  const char* const names[] = {"even", "triangle", "first eighth"};
  const int lengths[] = {16, 256, most};
  const int is_first = m_rank(CCC_ALL) == 0;
  if (is_first)
    printf("%-14s %10s %12s %12s %12s\n", "iterations", "number", "BLOCK us", "ANY us", "BLOCK / ANY");
  for (shape_t shape = even; shape <= eighth; shape++) {
    for (int l = 0; l < 3; l++) {
      double block = 1e9, any = 1e9, sums[2];
      for (int round = 0; round < rounds; round++) {
        const double b = run(0, shape, lengths[l], &sums[0]), a = run(1, shape, lengths[l], &sums[1]);
        block = b < block ? b : block;
        any = a < any ? a : any;
        if (sums[0] - sums[1] > 1e-9 * sums[0] || sums[1] - sums[0] > 1e-9 * sums[0])
          return fprintf(stderr, "balance: the sums differ: %.17g and %.17g\n", sums[0], sums[1]), 1;
      }
      if (is_first)
        printf("%-14s %10d %12.1f %12.1f %11.2fx\n", names[shape], lengths[l], block * 1e6, any * 1e6,
               block / any);
    }
  }
  return 0;
}
