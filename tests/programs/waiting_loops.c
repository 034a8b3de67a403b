// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other in plain loops, also more of them than cores.
#include "check.h"

static int turn, reply, arrived;

// Each waits for the one before it, so the last one's loop goes on until all others have run.
__kernel void in_turns(void *argument) {
    const int me = m_rank(CCC_ARRAY), rounds = *(int *)argument;
    const int all = m_size(CCC_ARRAY);
    for (int round = 0; round < rounds; round++) {
        while (turn != round * all + me);
        turn = round * all + me + 1;
    }
}

__kernel void for_replies(void *argument) {
    (void)argument;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    while (reply < 1);
}

int main(void) {
    int rounds = 100;
    m_run(in_turns, &rounds);
    CHECK(turn == rounds * m_size(CCC_ARRAY));
    // A reply word that the process counts up by a put to itself while its threads wait for it.
    m_spawn_t spawned = m_spawn(for_replies, NULL);
    while (arrived < m_size(CCC_ARRAY));
    int source = 1;
    static int target;
    m_wait_msg(m_msg_put(m_rank(CCC_ALL), &source, &target, sizeof target, &reply));
    m_join(spawned);
    CHECK(target == 1);
    return all_checks_passed("waiting_loops");
}
