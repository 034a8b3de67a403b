// SPDX-License-Identifier: Apache-2.0
// The same search by hand for the accelerated model: in each process the accelerator threads take tasks.
#include <parallelc.h>

#include "search.h"

static struct search search;
static long found_number = -1, found_here = -1, tasks_done;
static int told;

__kernel void search_tasks(void *argument) {
    (void)argument;
    for (long task; (search.everything || !__atomic_load_n(&told, __ATOMIC_ACQUIRE)) &&
                    (task = get_task_id(search.tasks, search.checkpoint, CCC_ALL)) >= 0;) {
        const long number = search_task(&search, task);
        __atomic_fetch_add(&tasks_done, 1, __ATOMIC_RELAXED);
        if (number < 0) continue;
        __atomic_store_n(&found_here, number, __ATOMIC_RELAXED);
        long own = number;
        for (int other = 0; other < m_size(CCC_ALL); other++)
            m_msg_put_wait(other, &own, &found_number, sizeof own, &told);
        if (!search.everything) break;
    }
}

int main(int argc, char **argv) {
    search = begin_search(argc, argv);
    m_barrier(CCC_ALL);
    const double begin = m_wtime();
    m_run(search_tasks, NULL);
    long tried = tasks_done * task_candidates, all, found;
    m_allreduce(CCC_ALL, &tried, &all, 1, M_LONG, M_SUM);
    m_allreduce(CCC_ALL, &found_here, &found, 1, M_LONG, M_MAX);
    const double seconds = m_wtime() - begin;
    int status = 0;
    if (m_rank(CCC_ALL) == 0)
        status = report_search(&search, found, all < search.candidates ? all : search.candidates, seconds);
    m_bcast(CCC_ALL, &status, 1, M_INT, 0);
    return status;
}
