// SPDX-License-Identifier: Apache-2.0
// Reads memory that it has not got, for valgrind to find.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int third(const int* row) {
  return row[2];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int* const row = calloc(2, sizeof *row);
  if (third(row) == 7) puts("seven");
  free(row);
  MPI_Finalize();
}
