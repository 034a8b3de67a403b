// SPDX-License-Identifier: Apache-2.0
// Times of Parallel C's collectives, measured as mpi_collectives.c measures MPI's: calls
// follow each other without pause, time of the slowest rank, the least of ten batches. Results are checked.
// Prints "operation bytes microseconds"; bytes are those of one block, of an alltoall those of the whole
// buffer.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

enum { barrier, allreduce, alltoall, operations };
static const char* const names[] = {"barrier", "allreduce", "alltoall"};
static double *source, *result;
static int rank, ranks;

static void call(int operation, long count) {
  if (operation == barrier) m_barrier(CCC_ALL);
  if (operation == allreduce) m_allreduce(CCC_ALL, source, result, count, M_DOUBLE, M_SUM);
  if (operation == alltoall) m_alltoall(CCC_ALL, source, result, count, M_DOUBLE);
}

static void measure(int operation, long bytes, double seconds) {
  const long count = operation == alltoall ? bytes / 8 / ranks : bytes / 8, elements = bytes / 8;
  for (long i = 0; i < elements; i++) source[i] = rank + i % 7, result[i] = -1;
  call(operation, count);
  for (long i = 0; operation != barrier && i < (operation == alltoall ? count * ranks : count); i++) {
    const double expected = operation == allreduce ? ranks * (ranks - 1) / 2.0 + (double)ranks * (i % 7)
                                                   : i / count + (rank * count + i % count) % 7;
    if (result[i] != expected) {
      fprintf(stderr, "collectives: wrong %s of %ld bytes\n", names[operation], bytes);
      m_abort(1);
    }
  }
  m_barrier(CCC_ALL);
  double begin = m_wtime(), least = 1e9;
  for (int i = 0; i < 5; i++) call(operation, count);
  m_barrier(CCC_ALL);
  int rounds = (int)(seconds / 10 / ((m_wtime() - begin) / 5));
  rounds = rounds < 3 ? 3 : rounds > 20000 ? 20000 : rounds;
  m_bcast(CCC_ALL, &rounds, 1, M_INT, 0);
  for (int batch = 0; batch < 10; batch++) {
    m_barrier(CCC_ALL);
    begin = m_wtime();
    for (int i = 0; i < rounds; i++) call(operation, count);
    double time = (m_wtime() - begin) / rounds, slowest;
    m_allreduce(CCC_ALL, &time, &slowest, 1, M_DOUBLE, M_MAX);
    least = slowest < least ? slowest : least;
  }
  if (rank == 0) printf("%s %ld %.3f\n", names[operation], bytes, least * 1e6);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.1;
  rank = m_rank(CCC_ALL), ranks = m_size(CCC_ALL);
  source = malloc(2 << 20), result = malloc(2 << 20);
  measure(barrier, 0, seconds);
  measure(allreduce, 8, seconds);
  measure(allreduce, 65536, seconds);
  measure(alltoall, 2 << 20, seconds);
  free(source), free(result);
  return 0;
}
