// SPDX-License-Identifier: Apache-2.0
// A rank may end early with success; the others go on. exit handlers run per rank.
// RUN: %parcc %s -o %t
// RUN: (%parcrun -n 3 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: (%parcrun.openmpi -n 3 --processes-per-node 2 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK-DAG: handler of 0
// CHECK-DAG: handler of 1
// CHECK-DAG: handler of 2
// CHECK-DAG: 1 got 5
// CHECK: exit code 0
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;
static void handler(void) { printf("handler of %d\n", rank); }

int main(void) {
    rank = m_rank(CCC_ALL);
    atexit(handler);
    if (rank == 0) exit(0);
    int value = 5;
    if (rank == 2) m_send(1, &value, sizeof value, 0);
    if (rank == 1) {
        value = 0;
        m_recv(2, &value, sizeof value, 0, NULL);
        printf("1 got %d\n", value);
    }
    return 0;
}
