// SPDX-License-Identifier: Apache-2.0
// Reduce of the Parallel Research Kernels: each rank adds ones to its vector, then the vectors are summed up
// in that of rank 0. Time of one iteration.
#include <math.h>

#include "kernels.h"

int main(int argc, char** argv) {
  const char* usage = "reduce ITERATIONS LENGTH";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long iterations = argument(argc, argv, 1, 1, usage), length = argument(argc, argv, 2, 1, usage);
  double *vector = memory(length * sizeof *vector), *ones = memory(length * sizeof *ones);
  for (long i = 0; i < length; i++) vector[i] = ones[i] = 1;
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    if (iteration == 1) {  // the first one warms up
      m_barrier(CCC_ALL);
      begin = m_wtime();
    }
    for (long i = 0; i < length; i++) vector[i] += ones[i];
    m_reduce(CCC_ALL, vector, rank == 0 ? vector : NULL, length, M_DOUBLE, M_SUM, 0);
  }
  const double seconds = (m_wtime() - begin) / iterations;
  // Iteration k adds one here, and k + 2 for each of the others.
  const double others = (iterations + 1) * (iterations + 4) / 2.0 * (size - 1),
               expected = iterations + 2 + others;
  int right = 1;
  for (long i = 0; rank == 0 && i < length; i++) right &= fabs(vector[i] - expected) < 1e-8;
  free(vector), free(ones);
  return report("reduce", seconds, 1e-6 * (2.0 * size - 1) * length, "Mflop", right);
}
