// SPDX-License-Identifier: Apache-2.0
// A program of one language in a job of the other ends it with one line that names the right command.
// RUN: %parcc %s -o %t
// RUN: (%marun -n 3 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: %macc -DWITH_MPI %s -o %t.mpi
// RUN: (%parcrun -n 3 %t.mpi; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=MPI %s
// CHECK-NOT: taihu:
// CHECK: {{^}}taihu: m_rank was called in a job that another command has started; start it with parcrun,
// CHECK-SAME: which runs Parallel C programs
// CHECK-NOT: taihu:
// CHECK: {{^}}exit code 1
// MPI-NOT: taihu:
// MPI: {{^}}taihu: MPI_Init was called in a job that another command has started; start it with marun,
// MPI-SAME: which runs MPI programs
// MPI-NOT: taihu:
// MPI: {{^}}exit code 1
#ifdef WITH_MPI
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Finalize();
}
#else
#include <parallelc.h>

int main(void) {
    return m_rank(CCC_ALL) < 0;
}
#endif
