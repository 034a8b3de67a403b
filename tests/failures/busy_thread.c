// SPDX-License-Identifier: Apache-2.0
// parcrun --deadlock-timeout names a thread of a kernel that keeps the others waiting, with the line where it
// is, and the job goes on.
// RUN: %parcc -g -O1 %s -o %t
// RUN: (%parcrun -n 1 --threads 3 --deadlock-timeout 1 %t compute; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=COMPUTE %s
// RUN: (%parcrun -n 1 --threads 3 --deadlock-timeout 1 %t ask; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=ASK %s
// RUN: (%parcrun -n 1 --threads 3 --deadlock-timeout 3 %t alone; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=ALONE %s
// COMPUTE: taihu: rank 0, accelerator thread 1, has not come back to the runtime for 1 s while {{1 other of its array waits|2 others of its array wait}}, at busy_thread.c:{{3[0-6]}}
// COMPUTE-NOT: taihu:
// COMPUTE: sum 3
// COMPUTE-NEXT: exit code 0
// ASK: taihu: rank 0, accelerator thread 1, has not come back to the runtime for 1 s while {{1 other of its array waits|2 others of its array wait}}, at busy_thread.c:{{38|4[0-5]}}
// ASK-NOT: taihu:
// ASK: sum 3
// ASK-NEXT: exit code 0
// ALONE-NOT: taihu:
// ALONE: sum 3
// ALONE-NEXT: exit code 0
#include <parallelc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { seconds = 4 };
static const char *what;
static volatile double result;
static int sum;
static time_t ready_at;

static __attribute__((noinline)) void compute(void) {
    for (const time_t end = time(NULL) + seconds; time(NULL) < end;) {
        double x = 1;
        for (int i = 0; i < 1000000; i++) x = x * 0.999999 + 1e-6;
        result = x;
    }
}

static __attribute__((noinline)) int is_ready(void) { return time(NULL) >= ready_at; }

static __attribute__((noinline)) void wait_by_asking(void) {
    ready_at = time(NULL) + seconds;
    while (!is_ready()) {
        result += 1;  // it may be that it computes
    }
}

__kernel void keep_waiting(void *argument) {
    (void)argument;
    const int all = strcmp(what, "alone") == 0;
    if (all || m_rank(CCC_ARRAY) == 1) strcmp(what, "ask") == 0 ? wait_by_asking() : compute();
    m_barrier(CCC_ARRAY);
    m_lock(CCC_ARRAY, 0);
    sum++;
    m_unlock(CCC_ARRAY, 0);
}

int main(int argc, char **argv) {
    what = argc > 1 ? argv[1] : "";
    m_run(keep_waiting, NULL);
    printf("sum %d\n", sum);
    return 0;
}
