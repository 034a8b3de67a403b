// SPDX-License-Identifier: Apache-2.0
// All ranks but 0 wait for it in a call on a file: the report of --deadlock-timeout must name the place in
// the program.
#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int value = 0;
  MPI_File file;
  CHECK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file) ==
        MPI_SUCCESS);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  return end("deadlock_files");
}
