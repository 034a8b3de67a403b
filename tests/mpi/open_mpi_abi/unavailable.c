/* SPDX-License-Identifier: Apache-2.0
 * A call of Open MPI alone: the program runs up to it. */
#include "../programs/check.h"

#include <mpi-ext.h> /* after mpi.h */

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char bound[OMPI_AFFINITY_STRING_MAX], current[OMPI_AFFINITY_STRING_MAX], exists[OMPI_AFFINITY_STRING_MAX];
  OMPI_Affinity_str(OMPI_AFFINITY_RSRC_STRING_FMT, bound, current, exists);
  return end("unavailable");
}
