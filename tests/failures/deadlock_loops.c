// SPDX-License-Identifier: Apache-2.0
// parcrun --deadlock-timeout names loops that wait in vain, and no others.
// RUN: %parcc -g %s -o %t
// RUN: (%parcrun -n 2 --threads 2 --deadlock-timeout 1 %t process; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=PROCESS %s
// RUN: (%parcrun -n 1 --threads 8 --deadlock-timeout 2 %t kernel; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=KERNEL %s
// RUN: (%parcrun -n 1 --threads 2 --deadlock-timeout 0.4 %t turns; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=TURNS %s
// RUN: (%parcrun -n 2 --threads 1 --deadlock-timeout 0.4 %t then_compute; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=COMPUTE %s
// PROCESS: taihu: deadlock: no rank has gone on for 1 s
// PROCESS-DAG: taihu: rank 0 waits in a loop, at deadlock_loops.c:[[@LINE+45]]
// PROCESS-DAG: taihu: rank 1 waits in m_barrier for the other processes of CCC_ALL, at deadlock_loops.c:[[@LINE+57]]
// PROCESS: exit code 1
// KERNEL: taihu: deadlock: no rank has gone on for 2 s
// KERNEL-DAG: taihu: rank 0 waits in m_run for its kernel
// KERNEL-DAG: taihu: rank 0, accelerator thread 0, waits in m_barrier for the other threads of CCC_ARRAY, at deadlock_loops.c:[[@LINE+23]]
// KERNEL-DAG: taihu: rank 0, accelerator thread 1, waits in a loop, at deadlock_loops.c:[[@LINE+21]]
// KERNEL-DAG: taihu: rank 0, accelerator thread 7, waits in a loop, at deadlock_loops.c:[[@LINE+20]]
// KERNEL: exit code 1
// TURNS-NOT: taihu: deadlock
// TURNS: exit code 0
// COMPUTE-NOT: taihu: deadlock
// COMPUTE: exit code 0
#include <parallelc.h>
#include <string.h>

int word;

static void compute(double seconds) {
    const double end = m_wtime() + seconds;
    while (m_wtime() < end) {
    }
}

__kernel void wait_for_nobody(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) > 0)
        while (word < 1);
    m_barrier(CCC_ARRAY);
}

// They wait nearly all of the time, in the same loop, and go on all the same.
__kernel void take_turns(void *argument) {
    (void)argument;
    for (int turn = m_rank(CCC_ARRAY); turn < 24; turn += 2) {
        while (word != turn);
        compute(0.05);
        word = turn + 1;
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const int rank = m_rank(CCC_ALL);
    if (strcmp(what, "process") == 0 && rank == 0)
        while (word < 1);
    if (strcmp(what, "kernel") == 0)
        m_run(wait_for_nobody, NULL);
    if (strcmp(what, "turns") == 0)
        m_run(take_turns, NULL);
    if (strcmp(what, "then_compute") == 0) {  // one after a loop that has ended, the other in a barrier
        int source = 1;
        if (rank == 1) m_msg_put_wait(0, &source, &word, sizeof word, NULL);
        if (rank == 0) {
            while (word < 1);
            compute(1.2);
        }
    }
    m_barrier(CCC_ALL);
    return 0;
}
