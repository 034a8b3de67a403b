// SPDX-License-Identifier: Apache-2.0
// The script for gdb goes from rank to rank.
// REQUIRES: gdb
// RUN: %macc -g -O0 %s -o %t
// RUN: printf 'set breakpoint pending on\nset pagination off\nsource %gdb_script\nbreak here\nrun\nranks print number\nrank 1\nprint number\nrank 0 print number + 100\nranks\nrank 5\n' > %t.commands
// RUN: (%marun -n 2 --debugger "gdb -batch -x %t.commands --args" %t || true) 2>&1 | %check %s
// CHECK: rank 0:
// CHECK-NEXT: = 40
// CHECK: rank 1:
// CHECK-NEXT: = 41
// CHECK: = 41
// CHECK: = 140
// CHECK: rank 0: thread {{[0-9]+}}, {{.*}} at {{.*}}debugger_ranks.c:
// CHECK: rank 5 is not in this node process, which has 0 to 1
#include <mpi.h>

static int number;

static void here(void) {
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  number = 40 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) here();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return number < 40;
}
