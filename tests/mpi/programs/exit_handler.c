// SPDX-License-Identifier: Apache-2.0
// One rank ends with exit code 3 while the others wait for it, and MPI_Finalize is an exit handler, as
// libraries that look after themselves have it.
#include "check.h"

static void finalize(void) {
  MPI_Finalize();
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  atexit(finalize);
  if (rank == 1) exit(3);
  for (int k = 0; k < 3; ++k) MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
