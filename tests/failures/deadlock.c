// SPDX-License-Identifier: Apache-2.0
// parcrun --deadlock-timeout says who waits where and for what, and ends the job.
// RUN: %parcc -g %s -o %t
// RUN: (%parcrun -n 2 --threads 2 --deadlock-timeout 0.4 %t receive; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=RECEIVE %s
// RUN: (%parcrun.openmpi -n 2 --processes-per-node 2 --threads 2 --deadlock-timeout 0.4 %t receive; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=RECEIVE %s
// RUN: (%parcrun -n 2 --threads 2 --deadlock-timeout 0.4 %t reply; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=REPLY %s
// RUN: (%parcrun -n 2 --threads 2 --deadlock-timeout 2 %t lock; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=LOCK %s
// RUN: (%parcrun -n 1 --threads 2 --deadlock-timeout 0.4 %t kernel; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=KERNEL %s
// RUN: (%parcrun -n 1 --threads 16 --deadlock-timeout 0.4 %t crowd; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=CROWD %s
// RUN: (%parcrun -n 2 --threads 2 --deadlock-timeout 0.4 %t task; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=TASK %s
// RUN: (%parcrun -n 2 --threads 2 --deadlock-timeout 1 %t compute; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=COMPUTE %s
// RECEIVE-DAG: taihu: deadlock: no rank has gone on for 0.4 s
// RECEIVE-DAG: taihu: rank 0 waits in m_recv for rank 1, tag 5, at deadlock.c:[[@LINE+55]]
// RECEIVE-DAG: taihu: rank 1 waits in m_barrier for the other processes of CCC_ALL, at deadlock.c:[[@LINE+79]]
// RECEIVE: exit code 1
// REPLY: taihu: deadlock: no rank has gone on for 0.4 s
// REPLY-DAG: taihu: rank 0 waits in m_wait_reply for reply word arrived to reach 2 (it is 1), at deadlock.c:[[@LINE+54]]
// REPLY-DAG: taihu: rank 1 has ended
// REPLY: exit code 1
// LOCK: taihu: deadlock: no rank has gone on for 2 s
// LOCK-DAG: taihu: rank 0 waits in m_barrier for the other processes of CCC_ALL, at deadlock.c:[[@LINE+72]]
// LOCK-DAG: taihu: rank 1 waits in m_lock for lock 3 of CCC_ALL, at deadlock.c:[[@LINE+57]]
// LOCK: exit code 1
// KERNEL: taihu: deadlock: no rank has gone on for 0.4 s
// KERNEL-DAG: taihu: rank 0 waits in m_run for its kernel, at deadlock.c:[[@LINE+58]]
// KERNEL-DAG: taihu: rank 0, accelerator thread 0, waits in m_barrier for the other threads of CCC_ARRAY, at deadlock.c:[[@LINE+25]]
// KERNEL-DAG: taihu: rank 0, accelerator thread 1, waits in m_recv for any rank, any tag, at deadlock.c:[[@LINE+22]]
// KERNEL: exit code 1
// CROWD-DAG: taihu: rank 0 waits in m_run for its kernel, at deadlock.c:[[@LINE+56]]
// CROWD-DAG: taihu: rank 0, accelerator thread 15, waits in m_barrier for the other threads of CCC_ARRAY, at deadlock.c:[[@LINE+28]]
// CROWD-DAG: taihu: rank 0, accelerator thread 13, waits in m_lock for lock 7 of CCC_ARRAY, at deadlock.c:[[@LINE+28]]
// CROWD-DAG: taihu: rank 0, accelerator thread 14, waits in m_wait_reply for reply word arrived to reach 14 (it is 0), at deadlock.c:[[@LINE+28]]
// CROWD: exit code 1
// TASK-DAG: taihu: rank 0 waits in m_recv for rank 1, tag 0, at deadlock.c:[[@LINE+54]]
// TASK-DAG: taihu: rank 1 waits in get_task_id for a task of CCC_ALL, at deadlock.c:[[@LINE+54]]
// TASK: exit code 1
// COMPUTE-NOT: taihu: deadlock
// COMPUTE: exit code 0
#include <parallelc.h>
#include <string.h>
#include <unistd.h>

int arrived;

__kernel void part_ways(void *argument) {
    (void)argument;
    char none;
    if (m_rank(CCC_ARRAY) == 1)
        m_recv(M_ANY_RANK, &none, 1, M_ANY_TAG, NULL);
    else
        m_barrier(CCC_ARRAY);
}

__kernel void crowd(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) == 0) m_lock(CCC_ARRAY, 7);
    m_barrier(CCC_ARRAY);
    if (m_rank(CCC_ARRAY) % 3 == 0) m_barrier(CCC_ARRAY);
    if (m_rank(CCC_ARRAY) % 3 == 1) m_lock(CCC_ARRAY, 7);
    if (m_rank(CCC_ARRAY) % 3 == 2) m_wait_reply(&arrived, m_rank(CCC_ARRAY));
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const int rank = m_rank(CCC_ALL);
    char none = 0;
    if (strcmp(what, "receive") == 0 && rank == 0)
        m_recv(1, &none, 1, 5, NULL);
    if (strcmp(what, "reply") == 0) {
        if (rank == 1) return m_msg_put_wait(0, &none, NULL, 0, &arrived);
        m_wait_reply(&arrived, 2);
    }
    if (strcmp(what, "lock") == 0) {
        if (rank == 0) m_lock(CCC_ALL, 3);
        int held = 0;
        if (rank == 0) m_send(1, &held, sizeof held, 0);
        if (rank == 1) {
            m_recv(0, &held, sizeof held, 0, NULL);
            m_lock(CCC_ALL, 3);
        }
    }
    if (strcmp(what, "kernel") == 0)
        m_run(part_ways, NULL);
    if (strcmp(what, "crowd") == 0)
        m_run(crowd, NULL);
    if (strcmp(what, "task") == 0) {
        while (get_task_id(3, NULL, CCC_ALL) >= 0) {}
        if (rank == 0) m_recv(1, &none, 1, 0, NULL);
        for (int i = 0; rank == 1 && i < 5; i++) get_task_id(3, NULL, CCC_ALL);
    }
    if (strcmp(what, "compute") == 0 && rank == 0)
        usleep(2500000);
    m_barrier(CCC_ALL);
    return 0;
}
