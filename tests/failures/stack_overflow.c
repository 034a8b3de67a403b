// SPDX-License-Identifier: Apache-2.0
// RUN: %parcc -O0 %s -o %t
// RUN: (%parcrun -n 2 %t; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: (%parcrun -n 2 --threads 2 %t kernel; echo "exit code $?") 2>&1 | FileCheck-19 %s
// RUN: TAIHU_STACK_SIZE=200M %parcrun -n 2 --threads 2 %t enough | FileCheck-19 --check-prefix=ENOUGH %s
// ENOUGH: deep enough
// CHECK: rank 1
// CHECK-SAME: stack overflow
// CHECK: exit code 139
#include <parallelc.h>
#include <stdio.h>

volatile int depth;
int deeper(int n) {
    volatile char big[10000];
    big[n % 10000] = 1;
    return depth < 0 ? 0 : deeper(n + 1) + big[5];
}

__kernel void overflow(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) == 1) depth = deeper(0);
}

int limited(int n) {
    volatile char big[10000];
    big[n % 10000] = 1;
    return n == 0 ? 0 : limited(n - 1) + big[n % 10000];
}

__kernel void recurse(void *argument) { __atomic_fetch_add((int *)argument, limited(15000), __ATOMIC_RELAXED); }

int main(int argc, char **argv) {
    int sum = 0;
    if (m_rank(CCC_ALL) == 1) {
        if (argc == 1) depth = deeper(0);
        if (argc > 1 && argv[1][0] == 'k') m_run(overflow, NULL);
        m_run(recurse, &sum);
        if (sum == 15000 * m_size(CCC_ARRAY)) printf("deep enough\n");
    }
    m_barrier(CCC_ALL);
}
