// SPDX-License-Identifier: Apache-2.0
// How jobs end, in one node process and in two, over both libraries.
// RUN: %macc %s -o %t
// RUN: (%marun -n 4 %t code; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=CODE
// RUN: (%marun.openmpi -n 4 %t code; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=CODE
// RUN: (%marun.mpich -n 4 %t code; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=CODE
// CODE: rank 2 {{.*}}7
// CODE: exit code 7
// RUN: (%marun -n 4 %t early; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=EARLY
// RUN: (%marun.openmpi -n 4 %t early; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=EARLY
// RUN: (%marun.mpich -n 4 %t early; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=EARLY
// EARLY: taihu: rank 2: ended without MPI_Finalize after MPI_Init
// EARLY: exit code 1
// RUN: (%marun -n 4 %t abort; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=ABORT
// RUN: (%marun.openmpi -n 4 %t abort; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=ABORT
// RUN: (%marun.mpich -n 4 %t abort; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=ABORT
// ABORT: exit code 9
// RUN: %marun -n 4 %t fine && %marun.openmpi -n 4 %t fine && %marun.mpich -n 4 %t fine && %t fine
// RUN: %t code; test $? = 0
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  int rank;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) {
    if (strcmp(words[1], "code") == 0) exit(7);
    if (strcmp(words[1], "early") == 0) return 0;
    if (strcmp(words[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  }
  // The others are busy when the job ends.
  if (strcmp(words[1], "fine") != 0 && rank != 2 && getenv("TAIHU_RANKS") != NULL &&
      strcmp(getenv("TAIHU_RANKS"), "1") != 0)
    sleep(100);
  MPI_Finalize();
  return 0;
}
