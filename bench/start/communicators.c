// SPDX-License-Identifier: Apache-2.0
// What a new communicator costs: makes many, one after the other, uses each for a barrier, a broadcast and a
// reduction, whose results are checked, and frees it. The argument is how many. Prints microseconds for each
// of MPI_Comm_dup, MPI_Comm_split into halves, and both again without a collective on what they make.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void use(MPI_Comm comm, int number) {
  int rank, ranks, got, sum;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Barrier(comm);
  got = rank == 0 ? number : -1;
  MPI_Bcast(&got, 1, MPI_INT, 0, comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (got != number || sum != ranks * (ranks - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int form = 0; form < 4; ++form) {
    double start = 0;
    for (int i = -count / 10; i < count; ++i) {  // the first tenth is not counted: it connects the ranks
      if (i == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
      }
      MPI_Comm made;
      if (form % 2 == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
      else
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
      if (form < 2) use(made, i);
      MPI_Comm_free(&made);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%.2f%c", (MPI_Wtime() - start) / count * 1e6, form == 3 ? '\n' : ' ');
  }
  MPI_Finalize();
  return 0;
}
