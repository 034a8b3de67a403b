// SPDX-License-Identifier: Apache-2.0
// Every rank waits for its neighbour and nobody sends: what --deadlock-timeout is for. With an argument rank
// 0 computes for so many seconds first and then sends: no deadlock.
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int value = 0;
  if (argc > 1) {
    if (rank == 0) sleep((unsigned)atoi(argv[1]));
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return end("deadlock");
  }
  MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return end("deadlock");
}
