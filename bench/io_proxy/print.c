// SPDX-License-Identifier: Apache-2.0
// 64 accelerator threads print a line with ten arguments 100 times each (paper 000, section 6.1), to standard
// output, which `run` checks; times on standard error: the least of many rounds, and the median. Compiled as
// it is: packed requests. With --no-proxy-opt: one request for the format and for each argument. With
// -DUSE_RESULT: a call whose result is used, which the thread carries out itself. With -DIN_PARTS: each line
// by ten neighbouring calls.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

enum { lines = 100, most_rounds = 100 };

static volatile int characters;

__kernel void print(void* argument) {
  (void)argument;
  const int thread = m_rank(CCC_ARRAY);
  for (int i = 0; i < lines; i++) {
#ifdef IN_PARTS
    printf("%d ", thread);
    printf("%d ", i);
    printf("%d ", i);
    printf("%d ", i + 1);
    printf("%d ", i + 2);
    printf("%d ", i + 3);
    printf("%g ", 0.5 * i);
    printf("%g ", 1.5);
    printf("%g ", 2.5);
    printf("%g\n", thread / 4.0);
#else
#ifdef USE_RESULT
    characters =
#endif
        printf("%d %d %d %d %d %d %g %g %g %g\n", thread, i, i, i + 1, i + 2, i + 3, 0.5 * i, 1.5, 2.5,
               thread / 4.0);
#endif
  }
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

// Process code waits, and serves.
int main(int argc, char** argv) {
  const int rounds = argc == 2 ? atoi(argv[1]) : 0;
  if (rounds < 1 || rounds > most_rounds) return 2;
  const int threads = m_size(CCC_ARRAY);
  double times[most_rounds];
  for (int round = 0; round < rounds; round++) {
    const double begin = m_wtime();
    m_run(print, NULL);
    fflush(stdout);
    times[round] = m_wtime() - begin;
  }
  qsort(times, (size_t)rounds, sizeof *times, compare);
  const double each = 1e9 / (1.0 * threads * lines);
  fprintf(stderr, "nanoseconds a line: %.0f least, %.0f median\n", times[0] * each, times[rounds / 2] * each);
  return 0;
}
