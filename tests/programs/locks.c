// SPDX-License-Identifier: Apache-2.0
// Locks over every scope: exclusion, several locks at once, try.
#include "check.h"

node_shared long in_node, inside_node;
bnode_shared long in_big_node;
static long at_zero;
static int go;

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL), rounds = 100;
    for (int i = 0; i < rounds; i++) {
        m_lock(CCC_NODE, 2);
        CHECK(inside_node == 0);
        inside_node = 1;
        in_node++;
        inside_node = 0;
        m_unlock(CCC_NODE, 2);
        m_lock(CCC_BNODE, 2);
        m_lock(CCC_NODE, 3);
        in_big_node++;
        m_unlock(CCC_NODE, 3);
        m_unlock(CCC_BNODE, 2);
        long value;
        m_lock(CCC_ALL, 0);
        m_msg_get_wait(0, &at_zero, &value, sizeof value);
        value++;
        m_msg_put_wait(0, &value, &at_zero, sizeof value, NULL);
        m_unlock(CCC_ALL, 0);
    }
    m_barrier(CCC_ALL);
    CHECK(in_node == (long)rounds * m_size(CCC_NODE) && in_big_node == (long)rounds * m_size(CCC_BNODE));
    if (rank == 0) CHECK(at_zero == (long)rounds * size);
    int taken = -1, one = 1;
    if (rank == 0) {
        CHECK(m_trylock(CCC_ALL, 5, &taken) == M_SUCCESS && taken == 1);
        for (int to = 1; to < size; to++) m_msg_put_wait(to, &one, &go, sizeof go, NULL);
    } else {
        m_wait_reply(&go, 1);
        CHECK(m_trylock(CCC_ALL, 5, &taken) == M_SUCCESS && taken == 0);
    }
    m_barrier(CCC_ALL);
    if (rank == 0) m_unlock(CCC_ALL, 5);
    m_set_errors(M_ERRORS_RETURN);
    CHECK(m_lock(CCC_ALL, -1) == M_ERROR_ARGUMENT);
    m_set_errors(M_ERRORS_ABORT);
    return all_checks_passed("locks");
}
