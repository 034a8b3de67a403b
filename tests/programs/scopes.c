// SPDX-License-Identifier: Apache-2.0
// Ranks, sizes and nesting of scopes.
#include "check.h"

int main(void) {
    const m_scope_t scopes[] = {CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE};
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    CHECK(rank >= 0 && rank < size);
    for (int s = 0; s < 4; s++) {
        const int mine = m_rank(scopes[s]), members = m_size(scopes[s]);
        CHECK(mine >= 0 && mine < members);
        CHECK(m_global_rank(scopes[s], mine) == rank);
        CHECK(m_global_rank(scopes[s], members) == -1);
        CHECK(m_global_rank(scopes[s], -1) == -1);
        if (s > 0) CHECK(m_size(scopes[s - 1]) % members == 0);
        int sum = -1;
        m_allreduce(scopes[s], &mine, &sum, 1, M_INT, M_SUM);
        CHECK(sum == members * (members - 1) / 2);
    }
    CHECK(m_rank(CCC_ARRAY) == 0 && m_size(CCC_ARRAY) >= 1);
    return all_checks_passed("scopes");
}
