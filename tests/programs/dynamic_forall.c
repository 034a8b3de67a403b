// SPDX-License-Identifier: Apache-2.0
// forall with ANY over processes: each iteration once, whenever the members come, without a barrier.
#include <unistd.h>

#include "check.h"

enum { most = 1000, rounds = 40 };
static int executed[most], total[most], mine;

static void begin(void) {
    for (int i = 0; i < most; i++) executed[i] = 0;
    mine = 0;
}

static void end(m_scope_t scope, int n) {
    m_allreduce(scope, executed, total, most, M_INT, M_SUM);
    for (int k = 0; k < most; k++) CHECK(total[k] == (k < n));
}

__kernel void in_kernel(void *argument) {
    (void)argument;
    // Each thread does its process's part, as with BLOCK.
    forall (int i = 0; i < 100; i++; ANY; CCC_ALL) __atomic_fetch_add(&executed[i], 1, __ATOMIC_RELAXED);
}

int main(void) {
    const m_scope_t scopes[] = {CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE};
    const int lengths[] = {0, 1, 2, 3, 63, most};
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    for (int s = 0; s < 4; s++) {
        for (int l = 0; l < 6; l++) {
            begin();
            forall (long i = lengths[l] - 1; i >= 0; i--; ANY; scopes[s]) executed[i]++;
            end(scopes[s], lengths[l]);
        }
    }

    // Members that come late, and one that is always late, by more than the loop takes.
    for (int late = 0; late < 3; late++) {
        begin();
        usleep(rank == late % size ? 50000 : (unsigned)rank * 1000);
        forall (int i = 0; i < most; i++; ANY; CCC_ALL) executed[i]++;
        end(CCC_ALL, most);
    }

    // Uneven iterations: who has the long ones does fewer of them. The first member sleeps in each of its own.
    begin();
    m_barrier(CCC_ALL);
    forall (int i = 0; i < most; i++; ANY; CCC_ALL) {
        executed[i]++, mine++;
        if (rank == 0) usleep(300 * size);
    }
    if (size > 1 && rank == 0) CHECK(mine < most / size);
    end(CCC_ALL, most);

    // No barrier: rank 0 goes through all loops, and says so, before the others begin the first.
    begin();
    int go = 0;
    if (rank != 0) m_bcast(CCC_ALL, &go, 1, M_INT, 0);
    for (int round = 0; round < rounds; round++) {
        forall (int i = 0; i != 20; i++; ANY; CCC_ALL) executed[i]++, mine++;
        forall (int i = 0; i < round; i++; ANY; CCC_NODE) mine += 0 * i;
        // A loop over threads inside, and another scope after it.
        forall (int i = 20; i < 22; i++; ANY; CCC_SNODE)
            forall (int k = 0; k < 10; k++; ANY; CCC_ARRAY)
                __atomic_fetch_add(&executed[i * 10 + k], 1, __ATOMIC_RELAXED);
    }
    CHECK(mine == (rank == 0 ? rounds * 20 : 0));
    go = 1;
    if (rank == 0) m_bcast(CCC_ALL, &go, 1, M_INT, 0);
    m_allreduce(CCC_ALL, executed, total, most, M_INT, M_SUM);
    for (int k = 0; k < 20; k++) CHECK(total[k] == rounds);
    for (int k = 200; k < 220; k++) CHECK(total[k] == rounds * (size / m_size(CCC_SNODE)));

    begin();
    m_run(in_kernel, NULL);
    m_allreduce(CCC_ALL, executed, total, most, M_INT, M_SUM);
    for (int k = 0; k < 100; k++) CHECK(total[k] == m_size(CCC_ARRAY));
    return all_checks_passed("dynamic_forall");
}
