// SPDX-License-Identifier: Apache-2.0
// Each rank sends as many messages as its number, and one more, to the next. It knows of no tool.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = -1, ranks = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks;
  for (int i = 0; i <= rank || i <= left; ++i) {
    int got = -1;
    MPI_Request request;
    if (i <= left) MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
    if (i <= rank) MPI_Send(&i, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    if (i <= left) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i <= left) sum += got;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (sum != left * (left + 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("ring: passed\n");
  MPI_Finalize();
  return 0;
}
