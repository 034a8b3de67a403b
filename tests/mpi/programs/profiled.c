// SPDX-License-Identifier: Apache-2.0
// The profiling interface: a program puts its own MPI_Send before that of the library.
#include "check.h"

static int sends;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int value = rank, got = -1;
  if (rank % 2 == 0 && rank + 1 < ranks) MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  if (rank % 2 == 1) MPI_Recv(&got, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(sends == (rank % 2 == 0 && rank + 1 < ranks));
  CHECK(rank % 2 == 0 || got == rank - 1);
  return end("profiled");
}
