// SPDX-License-Identifier: Apache-2.0
// An alltoall of 128 KB to 64 MB on each process, calls behind each other, checked: lines "bytes
// microseconds", the least of ten batches of the slowest process. With one accelerator thread for each
// process it copies alone.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

enum { least_bytes = 128 << 10, most_bytes = 64 << 20, batches = 10 };

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  const int rank = m_rank(CCC_ALL), ranks = m_size(CCC_ALL);
  long *source = malloc(most_bytes), *result = malloc(most_bytes);
  for (long bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    const long count = bytes / (long)sizeof(long) / ranks;
    for (long i = 0; i < count * ranks; i++) source[i] = rank * 1000000007L + i, result[i] = -1;
    m_barrier(CCC_ALL);
    double begin = m_wtime(), least = 1e9;
    // Enough for both ways to have been tried.
    for (int i = 0; i < 10; i++) m_alltoall(CCC_ALL, source, result, count, M_LONG);
    int rounds = (int)(seconds / batches / ((m_wtime() - begin) / 10)) + 1;
    rounds = rounds > 2000 ? 2000 : rounds;
    m_bcast(CCC_ALL, &rounds, 1, M_INT, 0);
    for (int batch = 0; batch < batches; batch++) {
      m_barrier(CCC_ALL);
      begin = m_wtime();
      for (int i = 0; i < rounds; i++) m_alltoall(CCC_ALL, source, result, count, M_LONG);
      double time = (m_wtime() - begin) / rounds, slowest;
      m_allreduce(CCC_ALL, &time, &slowest, 1, M_DOUBLE, M_MAX);
      least = slowest < least ? slowest : least;
    }
    for (long i = 0; i < count * ranks; i++) {
      if (result[i] == i / count * 1000000007L + rank * count + i % count) continue;
      fprintf(stderr, "helped_alltoall: wrong result of %ld bytes\n", bytes);
      m_abort(1);
    }
    if (rank == 0) printf("%ld %.3f\n", bytes, least * 1e6);
  }
  free(source), free(result);
  return 0;
}
