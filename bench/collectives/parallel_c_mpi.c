// SPDX-License-Identifier: Apache-2.0
// The same calls of MPI, measured in the same way (parallel_c.c).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { barrier, allreduce, alltoall, operations };
static const char* const names[] = {"barrier", "allreduce", "alltoall"};
static double *source, *result;
static int rank, ranks;

static void call(int operation, int count) {
  if (operation == barrier) MPI_Barrier(MPI_COMM_WORLD);
  if (operation == allreduce) MPI_Allreduce(source, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (operation == alltoall)
    MPI_Alltoall(source, count, MPI_DOUBLE, result, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void measure(int operation, long bytes, double seconds) {
  const int count = (int)(operation == alltoall ? bytes / 8 / ranks : bytes / 8);
  for (long i = 0; i < bytes / 8; i++) source[i] = rank + i % 7;
  call(operation, count);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime(), least = 1e9;
  for (int i = 0; i < 5; i++) call(operation, count);
  MPI_Barrier(MPI_COMM_WORLD);
  int rounds = (int)(seconds / 10 / ((MPI_Wtime() - begin) / 5));
  rounds = rounds < 3 ? 3 : rounds > 20000 ? 20000 : rounds;
  MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int batch = 0; batch < 10; batch++) {
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < rounds; i++) call(operation, count);
    double time = (MPI_Wtime() - begin) / rounds, slowest;
    MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    least = slowest < least ? slowest : least;
  }
  if (rank == 0) printf("%s %ld %.3f\n", names[operation], bytes, least * 1e6);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double seconds = argc > 1 ? atof(argv[1]) : 0.1;
  source = malloc(2 << 20), result = malloc(2 << 20);
  measure(barrier, 0, seconds);
  measure(allreduce, 8, seconds);
  measure(allreduce, 65536, seconds);
  measure(alltoall, 2 << 20, seconds);
  free(source), free(result);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
