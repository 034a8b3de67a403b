/* SPDX-License-Identifier: Apache-2.0
 * What self-checking Parallel C programs share: a failed check names its place and rank and ends the job. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <parallelc.h>
#include <stdio.h>

#define CHECK(condition)                                                                                            \
    do {                                                                                                            \
        if (!(condition)) {                                                                                         \
            fprintf(stderr, "%s:%d: rank %d: check failed: %s\n", __FILE__, __LINE__, m_rank(CCC_ALL), #condition); \
            m_abort(3);                                                                                             \
        }                                                                                                           \
    } while (0)

/* Every process calls it last; one line proves that all of them came here. */
static inline int all_checks_passed(const char *name) {
    int one = 1, all = 0;
    m_allreduce(CCC_ALL, &one, &all, 1, M_INT, M_SUM);
    CHECK(all == m_size(CCC_ALL));
    if (m_rank(CCC_ALL) == 0) printf("%s: passed on %d processes\n", name, all);
    return 0;
}

#endif
