// SPDX-License-Identifier: Apache-2.0
// Times collectives of 8 bytes of very many ranks: many_ranks REPETITIONS. Prints, by rank 0, microseconds of
// a barrier, an allreduce and a broadcast from changing roots, and exits with 1 when a sum is wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 10;
  double mine = rank, sum = 0, seconds[3];
  for (int what = 0; what < 3; ++what) {
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < repetitions; ++i) {
      if (what == 0) MPI_Barrier(MPI_COMM_WORLD);
      if (what == 1) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (what == 2) MPI_Bcast(&mine, 1, MPI_DOUBLE, i % size, MPI_COMM_WORLD);
    }
    if (what == 2) MPI_Barrier(MPI_COMM_WORLD);
    seconds[what] = (MPI_Wtime() - start) / repetitions;
    mine = rank;
  }
  const int right = sum == size * (size - 1.0) / 2;
  if (rank == 0) printf("%.3f %.3f %.3f\n", seconds[0] * 1e6, seconds[1] * 1e6, seconds[2] * 1e6);
  MPI_Finalize();
  return right ? 0 : 1;
}
