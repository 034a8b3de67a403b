/* SPDX-License-Identifier: Apache-2.0
 * A call of MPI-4 that Taihu has not: the program runs up to it. */
#include "../programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  printf("before\n");
  MPI_Request request;
  int value = 0;
  MPI_Psend_init(&value, 1, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  return end("unavailable");
}
