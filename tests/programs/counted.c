// SPDX-License-Identifier: Apache-2.0
// Calls whose numbers count_calls.py knows: by process code, by accelerator threads, nested ones and kernels of which one
// thread has all the work.
#include "check.h"

static int reply, values[1000], sums[1000], hits[4];

__kernel void uneven(void *argument) {
    (void)argument;
    volatile double x = 0;
    if (m_rank(CCC_ARRAY) == 0)
        for (int i = 0; i < 3000000; i++) x += i;
    m_barrier(CCC_ARRAY);
    m_lock(CCC_ARRAY, 1);
    hits[0]++;
    m_unlock(CCC_ARRAY, 1);
}

int main(void) {
    const int rank = m_rank(CCC_ALL), next = (rank + 1) % m_size(CCC_ALL);
    for (int i = 0; i < 3; i++) m_run(uneven, NULL);
    CHECK(hits[0] == 3 * m_size(CCC_ARRAY));
    for (int i = 0; i < 5; i++) m_wait_msg(m_msg_put(next, values, sums, sizeof sums, &reply));
    m_wait_reply(&reply, 5);
    m_allreduce(CCC_ALL, values, sums, 1000, M_INT, M_SUM);
    handle_t two[] = {m_isend(next, values, 8, 0), m_irecv(M_ANY_RANK, sums, 8, 0)};
    m_waitall(2, two, NULL);
    while (get_task_id(10, NULL, CCC_ALL) >= 0) {
    }
    return all_checks_passed("counted");
}
