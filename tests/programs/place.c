// SPDX-License-Identifier: Apache-2.0
// m_place: says how much it placed, leaves the contents alone, refuses what cannot be. On several memory nodes the shares of all
// members are all whole pages once; on one there is nothing to place.
#include <sys/stat.h>

#include "check.h"

enum { most = 1 << 20, page = 4096 };
static node_shared char bytes[most] __attribute__((aligned(4096)));

static int several_nodes(void) {
    struct stat node;
    return stat("/sys/devices/system/node/node1", &node) == 0;
}

static void check_range(long first, long length, m_scope_t scope) {
    const long placed = m_place(bytes + first, length, scope);
    long all = 0;
    m_allreduce(scope, &placed, &all, 1, M_LONG, M_SUM);
    const long begin = (first + page - 1) / page * page, end = (first + length) / page * page;
    CHECK(placed >= 0 && placed % page == 0);
    CHECK(all == (several_nodes() && end > begin ? end - begin : 0));
}

__kernel void place_own(void *argument) {
    (void)argument;
    check_range(0, most, CCC_ARRAY);
}

int main(void) {
    const m_scope_t scopes[] = {CCC_ALL, CCC_BNODE, CCC_NODE};
    for (int s = 0; s < 3; s++) {
        check_range(0, most, scopes[s]);
        check_range(1, most - 2, scopes[s]);
        check_range(0, page, scopes[s]);
        check_range(10, 3, scopes[s]);
        check_range(5, 0, scopes[s]);
    }
    m_run(place_own, NULL);
    m_barrier(CCC_NODE);
    forall (int i = 0; i < most; i++; BLOCK; CCC_NODE) bytes[i] = (char)i;
    m_barrier(CCC_NODE);
    check_range(0, most, CCC_NODE);
    for (int i = 0; i < most; i++) CHECK(bytes[i] == (char)i);
    m_set_errors(M_ERRORS_RETURN);
    CHECK(m_place(NULL, 5, CCC_NODE) == -1 && m_place(bytes, -1, CCC_NODE) == -1);
    CHECK(m_place(bytes, 5, CCC_ARRAY) == -1 && m_place(bytes, 5, (m_scope_t)9) == -1);
    m_set_errors(M_ERRORS_ABORT);
    return all_checks_passed("place");
}
