/* SPDX-License-Identifier: Apache-2.0
 * A call that Taihu does not have for programs of this ABI: the program runs up to it. */
#include "../programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  printf("before\n");
  MPIX_Comm_revoke(MPI_COMM_WORLD);
  return end("unavailable");
}
