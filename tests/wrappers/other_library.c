// SPDX-License-Identifier: Apache-2.0
// Programs of the compiler of Open MPI are refused before they start.
// REQUIRES: openmpi
// RUN: mpicc.openmpi %s -o %t.openmpi && not-19 %marun -n 2 %t.openmpi 2>&1 | FileCheck-19 %s
// CHECK: marun: {{.*}} was linked to another MPI library (libmpi{{.*}}), which cannot run in ranks that are threads; build it with macc, mac++ or mafc
#include <mpi.h>

int main(int count, char **words) {
  MPI_Init(&count, &words);
  MPI_Finalize();
}
