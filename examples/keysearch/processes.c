// SPDX-License-Identifier: Apache-2.0
// Recovery of the forgotten password of one's own archive. Processes alone: each takes tasks and tells all when it has found it.
// The same file is compiled for both models; in the autonomic one each process runs on an accelerator thread.
#include <parallelc.h>
#include <string.h>

#include "search.h"

static long found_number = -1;
static int told;  // how many processes have told

int main(int argc, char **argv) {
    const struct search search = begin_search(argc, argv);
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    long tasks = 0, own = -1;
    m_barrier(CCC_ALL);
    const double begin = m_wtime();
    // A task that holds the password is not complete in the checkpoint file: a later run finds it again.
    for (long task; (search.everything || (own < 0 && !__atomic_load_n(&told, __ATOMIC_ACQUIRE))) &&
                    (task = get_task_id(search.tasks, search.checkpoint, CCC_ALL)) >= 0;) {
        const long number = search_task(&search, task);
        tasks++;
        if (number < 0) continue;
        own = number;
        for (int other = 0; other < size; other++) m_msg_put_wait(other, &own, &found_number, sizeof own, &told);
    }
    long sums[1] = {tasks * task_candidates}, all[1], found;
    m_allreduce(CCC_ALL, sums, all, 1, M_LONG, M_SUM);
    m_allreduce(CCC_ALL, &own, &found, 1, M_LONG, M_MAX);
    const double seconds = m_wtime() - begin;
    int status = 0;
    if (rank == 0)
        status = report_search(&search, found, all[0] < search.candidates ? all[0] : search.candidates, seconds);
    m_bcast(CCC_ALL, &status, 1, M_INT, 0);
    return status;
}
