// SPDX-License-Identifier: Apache-2.0
#include "call_sites_library.h"

#include <mpi.h>

int sum_in_library(int number) {
  int sum = -1;
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  // place: library
  return sum;
}
