// SPDX-License-Identifier: Apache-2.0
// Kernels that are not joined, joined twice, or end their thread: one line that says so.
// RUN: %parcc %s -o %t
// RUN: (%parcrun -n 2 --threads 2 %t open; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=OPEN %s
// RUN: (%parcrun -n 2 --threads 2 %t twice; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=TWICE %s
// RUN: (%parcrun -n 2 --threads 2 %t leave; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=LEAVE %s
// RUN: (%parcrun -n 2 --threads 2 %t exit; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=EXIT %s
// OPEN-NOT: {{contract|rank 0}}
// OPEN: parallelc: rank 1: the process ended with 2 kernels not joined; call m_join for every m_spawn
// OPEN-NEXT: exit code 1
// TWICE: parallelc: rank 1: m_join(spawn={{.*}}): no kernel of this process that waits to be joined
// TWICE-NEXT: exit code 1
// LEAVE-NOT: terminate
// LEAVE: parallelc: rank 1: a kernel ended accelerator thread 1 (exit, pthread_exit); return from the kernel
// LEAVE-NEXT: exit code 1
// EXIT-NOT: terminate
// EXIT: parallelc: rank 1: a kernel ended accelerator thread 1 (exit, pthread_exit); return from the kernel
// EXIT-NEXT: exit code 1
#include <parallelc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__kernel void pause_a_little(void *argument) {
    (void)argument;
    usleep(200000);
}

__kernel void leave(void *argument) {
    if (m_rank(CCC_ARRAY) == 1) {
        if (argument != NULL) exit(0);
        pthread_exit(NULL);
    }
    m_barrier(CCC_ARRAY);
}

int main(int argc, char **argv) {
    if (argc < 2 || m_rank(CCC_ALL) == 0) return 0;
    if (strcmp(argv[1], "open") == 0) {
        m_spawn(pause_a_little, NULL);
        m_spawn(pause_a_little, NULL);
    }
    if (strcmp(argv[1], "twice") == 0) {
        m_spawn_t kernel = m_spawn(pause_a_little, NULL);
        m_join(kernel);
        m_join(kernel);
    }
    if (strcmp(argv[1], "leave") == 0) m_run(leave, NULL);
    if (strcmp(argv[1], "exit") == 0) m_run(leave, argv);
}
