// SPDX-License-Identifier: Apache-2.0
// Rank 1 takes no part in an alltoall, because its call was refused, and waits elsewhere: the report of
// --deadlock-timeout must tell what it was refused.
#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int sent[8] = {0}, got[8];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Alltoall(sent, rank == 1 ? -1 : 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Recv(got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return end("refused");
}
