// SPDX-License-Identifier: Apache-2.0
// Kernels on the accelerator threads: run, spawn, join, barriers, locks, loops, also from process code.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { n = 1000 };
static int hits[n], order[64], order_count, members_seen, locked_counter;
static long partial[1024];

__kernel void count_members(void *argument) {
    int *expected = argument;
    if (m_size(CCC_ARRAY) != *expected) abort();
    __atomic_fetch_add(&members_seen, 1, __ATOMIC_RELAXED);
}

__kernel void note_order(void *argument) {
    if (m_rank(CCC_ARRAY) == 0) order[order_count++] = *(int *)argument;
}

// No forall has a barrier: threads are in different loops at the same time.
__kernel void loops(void *argument) {
    (void)argument;
    forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
    forall (int i = 0; i < n; i++; BLOCK(7); CCC_ARRAY) __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
    forall (int i = 0; i < n; i++; i * 5; CCC_ARRAY) __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
    for (int repeat = 0; repeat < 40; repeat++)
        forall (int i = n - 1; i >= 0; i--; ANY; CCC_ARRAY) __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
}

__kernel void neighbours(void *argument) {
    const int me = m_rank(CCC_ARRAY), size = m_size(CCC_ARRAY);
    int *bad = argument;
    for (int round = 0; round < 200; round++) {
        partial[me] = round * 1000 + me;
        m_barrier(CCC_ARRAY);
        const int next = (me + 1) % size;
        if (partial[next] != round * 1000 + next) __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
        m_barrier(CCC_ARRAY);
    }
}

__kernel void with_lock(void *argument) {
    (void)argument;
    for (int i = 0; i < 500; i++) {
        m_lock(CCC_ARRAY, 3);
        locked_counter++;
        m_unlock(CCC_ARRAY, 3);
    }
}

static void divide_from_a_function(int *values, int count) {
    forall (int i = 0; i < count; i++; BLOCK; CCC_ARRAY) values[i] += i;
}

__kernel void call_function(void *argument) { divide_from_a_function(argument, n); }

static __thread int own_in_memory = 5;
static __thread_local int own_in_scratchpad = 6;

// What is a thread's own stays its own, whoever runs between the barriers.
__kernel void keep_own(void *argument) {
    const int me = m_rank(CCC_ARRAY);
    int *bad = argument;
    own_in_memory = 10 * me;
    own_in_scratchpad = 20 * me;
    for (int round = 0; round < 20; round++) {
        errno = 1 + me;
        m_barrier(CCC_ARRAY);
        if (own_in_memory != 10 * me || own_in_scratchpad != 20 * me || errno != 1 + me || m_rank(CCC_ARRAY) != me)
            __atomic_fetch_add(bad, 1, __ATOMIC_RELAXED);
    }
}

static volatile int opened;

// The first waits for the second one, in a loop that calls nothing.
__kernel void wait_in_a_loop(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) == 0 && m_size(CCC_ARRAY) > 1)
        while (!opened);
    if (m_rank(CCC_ARRAY) == 1) opened = 1;
}

// The first waits in the system for what the last one writes.
__kernel void block(void *argument) {
    const int *ends = argument;
    char byte = 7;
    if (m_rank(CCC_ARRAY) == m_size(CCC_ARRAY) - 1 && write(ends[1], &byte, 1) != 1) abort();
    if (m_rank(CCC_ARRAY) == 0 && (read(ends[0], &byte, 1) != 1 || byte != 7)) abort();
}

int main(void) {
    int threads = m_size(CCC_ARRAY);
    m_run(count_members, &threads);

    int bad_own = 0;
    m_run(keep_own, &bad_own);
    CHECK(bad_own == 0);
    m_run(wait_in_a_loop, NULL);
    int ends[2];
    CHECK(pipe(ends) == 0);
    m_run(block, ends);
    CHECK(members_seen == threads);

    int number[20];
    m_spawn_t spawned[20];
    for (int i = 0; i < 20; i++) {
        number[i] = i;
        spawned[i] = m_spawn(note_order, &number[i]);
    }
    for (int i = 19; i >= 0; i--) m_join(spawned[i]);
    CHECK(order_count == 20);
    for (int i = 0; i < 20; i++) CHECK(order[i] == i);

    m_run(loops, NULL);
    for (int i = 0; i < n; i++) CHECK(hits[i] == 43);

    int bad = 0;
    m_run(neighbours, &bad);
    CHECK(bad == 0);
    m_run(with_lock, NULL);
    CHECK(locked_counter == 500 * threads);

    int values[n] = {0};
    divide_from_a_function(values, n);
    m_run(call_function, values);
    for (int i = 0; i < n; i++) CHECK(values[i] == 2 * i);

    // Locals of process code are captured by reference, arrays of variable length too.
    int length = 37 + m_rank(CCC_ALL), sum = 0;
    double scale = 0.5, results[length];
    forall (int i = 0; i < length; i++; BLOCK; CCC_ARRAY) {
        results[i] = scale * i;
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    }
    CHECK(sum == length);
    for (int i = 0; i < length; i++) CHECK(results[i] == 0.5 * i);
    if (length > 0)
        forall (int i = 0; i < length; i++; ANY; CCC_ARRAY) results[i] = -1;
    else
        results[0] = 5;
    for (int i = 0; i < length; i++) CHECK(results[i] == -1);
    return all_checks_passed("kernels");
}
