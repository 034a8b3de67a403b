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

// Threads that take a lock of their own, count while they wait, delay, or look by a function of unknown kind.
static int lock, taken;
static long all_turns;

static int __attribute__((noinline)) is_turn_of(int *place, int value) {
    return __atomic_load_n(place, __ATOMIC_ACQUIRE) == value;
}

__kernel void by_all_means(void *argument) {
    const int me = m_rank(CCC_ARRAY), rounds = *(int *)argument;
    const int all = m_size(CCC_ARRAY);
    long turns = 0;
    for (int round = 0; round < rounds; round++) {
        const int mine = round * all + me;
        if (me % 3 == 0) {
            while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine) turns++;
        } else if (me % 3 == 1) {
            while (!is_turn_of(&turn, mine));
        } else {
            while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine)
                for (int k = 0; k < 100; k++) __asm__ volatile("" ::: "memory");
        }
        __atomic_store_n(&turn, mine + 1, __ATOMIC_RELEASE);
        int expected = 0;
        while (!__atomic_compare_exchange_n(&lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) expected = 0;
        taken++;
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    }
    __atomic_fetch_add(&all_turns, turns, __ATOMIC_RELAXED);
}

int main(void) {
    int rounds = 100;
    m_run(in_turns, &rounds);
    CHECK(turn == rounds * m_size(CCC_ARRAY));
    turn = 0;
    rounds = 20;
    m_run(by_all_means, &rounds);
    CHECK(taken == rounds * m_size(CCC_ARRAY));
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
