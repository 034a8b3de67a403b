// SPDX-License-Identifier: Apache-2.0
// A rank that crashes ends the job with a report that names it.
// RUN: %parcc -O0 -g %s -o %t
// RUN: (%parcrun -n 3 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: (%parcrun.openmpi -n 3 --processes-per-node 3 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: (%parcrun.mpich -n 3 --processes-per-node 2 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK: rank 1
// CHECK-SAME: SIGSEGV
// CHECK: fail_here
// CHECK-NOT: not reached
// CHECK: exit code 139
#include <parallelc.h>
#include <stdio.h>

static int *nowhere;
void fail_here(void) { *nowhere = 1; }

int main(void) {
    if (m_rank(CCC_ALL) == 1) fail_here();
    m_barrier(CCC_ALL);
    printf("not reached\n");
}
