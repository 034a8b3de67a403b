// SPDX-License-Identifier: Apache-2.0
// A rank that ends with an exit code other than 0 ends the job with that code.
// RUN: %parcc %s -o %t
// RUN: (%parcrun -n 4 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: (%parcrun.openmpi -n 4 --processes-per-node 2 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: (%parcrun.mpich -n 4 --processes-per-node 2 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK: rank 2 {{.*}}7
// CHECK: exit code 7
#include <parallelc.h>
#include <stdlib.h>

int main(void) {
    if (m_rank(CCC_ALL) == 2) exit(7);
    m_barrier(CCC_ALL);
}
