// SPDX-License-Identifier: Apache-2.0
// Times of MPI's collectives, measured as collective_latency measures ours: calls follow each other without
// pause; time of the slowest rank, the best of several batches. Prints "operation bytes microseconds"; bytes
// are those of one block. Built with the wrapper of each MPI library (see compare).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { barrier, bcast, reduce, allreduce, gather, allgather, scatter, alltoall, operations };
static const char* const names[] = {"barrier", "bcast",     "reduce",  "allreduce",
                                    "gather",  "allgather", "scatter", "alltoall"};

static char *source, *result;
static int ranks, rank;

static void call(int operation, int bytes) {
  const int count = bytes / (int)sizeof(float);
  switch (operation) {
    case barrier:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case bcast:
      MPI_Bcast(source, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
      break;
    case reduce:
      MPI_Reduce(source, result, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    case allreduce:
      MPI_Allreduce(source, result, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      break;
    case gather:
      MPI_Gather(source, bytes, MPI_CHAR, result, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
      break;
    case allgather:
      MPI_Allgather(source, bytes, MPI_CHAR, result, bytes, MPI_CHAR, MPI_COMM_WORLD);
      break;
    case scatter:
      MPI_Scatter(source, bytes, MPI_CHAR, result, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
      break;
    case alltoall:
      MPI_Alltoall(source, bytes, MPI_CHAR, result, bytes, MPI_CHAR, MPI_COMM_WORLD);
      break;
  }
}

static void measure(int operation, int bytes, double budget_s) {
  call(operation, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int k = 0; k < 5; ++k) call(operation, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  double each = (MPI_Wtime() - start) / 5;
  const int batches = 10;
  int rounds = (int)(budget_s / batches / each);
  if (rounds < 3) rounds = 3;
  if (rounds > 20000) rounds = 20000;
  MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  double least = 1e12;
  for (int batch = 0; batch < batches; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int k = 0; k < rounds; ++k) call(operation, bytes);
    double time = (MPI_Wtime() - start) / rounds, slowest = 0;
    MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (slowest < least) least = slowest;
  }
  if (rank == 0) printf("%s %d %.3f\n", names[operation], bytes, least * 1e6);
}

int main(int argc, char** argv) {
  const int sizes[] = {0, 8, 64, 256, 1024, 4096, 8192, 32768, 65536, 262144, 1048576};
  const int size_count = sizeof sizes / sizeof *sizes;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const size_t most = (size_t)sizes[size_count - 1] * (size_t)ranks;
  source = aligned_alloc(4096, most);
  result = aligned_alloc(4096, most);
  memset(source, 0, most);
  memset(result, 0, most);
  const double budget_s = argc > 1 ? atof(argv[1]) : 0.05;
  for (int operation = 0; operation < operations; ++operation) {
    for (int k = 0; k < (operation == barrier ? 1 : size_count); ++k) measure(operation, sizes[k], budget_s);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
