// SPDX-License-Identifier: Apache-2.0
// Rank 0 passes a length to an allreduce for which another algorithm is taken than for that of the others, so
// that over several node processes nobody gets on: the report of --deadlock-timeout must tell both lengths.
#include "check.h"

enum { few = 1, many = 30000 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static int sent[many], got[many];
  MPI_Allreduce(sent, got, rank == 0 ? few : many, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return end("lengths");
}
