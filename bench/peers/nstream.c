// SPDX-License-Identifier: Apache-2.0
// Nstream of the Parallel Research Kernels: a += b + 3 c on vectors dealt in blocks; time of one iteration.
#include <math.h>

#include "kernels.h"

int main(int argc, char** argv) {
  const char* usage = "nstream ITERATIONS LENGTH";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long iterations = argument(argc, argv, 1, 1, usage), length = argument(argc, argv, 2, 1, usage);
  if (length < size) refuse("nstream: %ld elements are fewer than %d ranks", length, size);
  const long count = first_of(length, rank + 1, size) - first_of(length, rank, size);
  double* restrict a = memory(count * sizeof *a), * restrict b = memory(count * sizeof *b), * restrict c = memory(count * sizeof *c);
  for (long i = 0; i < count; i++) a[i] = 0, b[i] = c[i] = 2;
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    if (iteration == 1) {  // the first one warms up
      m_barrier(CCC_ALL);
      begin = m_wtime();
    }
    for (long i = 0; i < count; i++) a[i] += b[i] + 3 * c[i];
  }
  const double seconds = (m_wtime() - begin) / iterations;
  double sum = 0;
  for (long i = 0; i < count; i++) sum += a[i];
  const double expected = 8.0 * (iterations + 1) * count;
  const int right = fabs(sum - expected) <= 1e-8 * expected;
  free(a), free(b), free(c);
  return report("nstream", seconds, 32e-6 * length, "MB", right);
}
