// SPDX-License-Identifier: Apache-2.0
// get_task_id: every id exactly once per round, from processes and from accelerator threads.
#include "check.h"

enum { total = 500 };
static int taken[total], sum[total];

static void check_round(m_scope_t scope, long count) {
    m_allreduce(scope, taken, sum, total, M_INT, M_SUM);
    for (int i = 0; i < total; i++) {
        CHECK(sum[i] == (i < count));
        taken[i] = 0;
    }
}

static void work(long amount) {
    for (volatile long i = 0; i < amount % 50 * 200; i++) {
    }
}

__kernel void take(void *argument) {
    const m_scope_t scope = *(m_scope_t *)argument;
    long id;
    while ((id = get_task_id(total, NULL, scope)) >= 0) {
        __atomic_fetch_add(&taken[id], 1, __ATOMIC_RELAXED);
        work(id);
    }
}

/* Only some threads ask. */
__kernel void take_by_first(void *argument) {
    if (m_rank(CCC_ARRAY) == 0) take(argument);
}

int main(void) {
    const m_scope_t scopes[] = {CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE};
    long id;
    for (int s = 0; s < 4; s++) {
        const long counts[] = {total, 0, 1, 17, 3};
        for (int round = 0; round < 5; round++) {
            while ((id = get_task_id(counts[round], "", scopes[s])) >= 0) {
                taken[id]++;
                work(id);
            }
            check_round(scopes[s], counts[round]);
        }
    }
    for (int s = 0; s < 4; s++) {
        m_run(take, (void *)&scopes[s]);
        check_round(scopes[s], total);
    }
    m_scope_t everybody = CCC_ALL;
    for (int round = 0; round < 3; round++) {
        m_run(round % 2 == 0 ? take_by_first : take, &everybody);
        check_round(CCC_ALL, total);
    }
    m_scope_t array = CCC_ARRAY;
    for (int round = 0; round < 3; round++) {
        m_run(take, &array);
        for (int i = 0; i < total; i++) {
            CHECK(taken[i] == 1);
            taken[i] = 0;
        }
    }
    return all_checks_passed("tasks");
}
