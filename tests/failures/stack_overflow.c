// SPDX-License-Identifier: Apache-2.0
// RUN: %parcc -O0 %s -o %t
// RUN: (%parcrun -n 2 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK: rank 1
// CHECK-SAME: stack overflow
// CHECK: exit code 139
#include <parallelc.h>

volatile int depth;
int deeper(int n) {
    volatile char big[10000];
    big[n % 10000] = 1;
    return depth < 0 ? 0 : deeper(n + 1) + big[5];
}

int main(void) {
    if (m_rank(CCC_ALL) == 1) depth = deeper(0);
    m_barrier(CCC_ALL);
}
