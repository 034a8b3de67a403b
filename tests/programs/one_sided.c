// SPDX-License-Identifier: Apache-2.0
// Put and get with reply words on every kind of symmetric address, also to a process that only computes.
#include <stdlib.h>

#include "check.h"

enum { n = 100000 };
static int row[n];
int global_value = -1;
int reply, reply_many, reply_computing, ready;
static int slots[1024];
static volatile int computing_done;
static unsigned char large[8 << 20];
static int reply_large;

static unsigned char pattern(int rank, long place) { return (unsigned char)(rank * 31 + place * 7 + (place >> 8)); }

static int has_pattern(const unsigned char *bytes, int rank) {
    unsigned char wrong = 0;
    for (long i = 0; i < (long)sizeof large; i++) wrong |= bytes[i] ^ pattern(rank, i);
    return wrong == 0;
}

static void put_and_get_large(int rank, int next, int previous) {
    unsigned char *mine = malloc(sizeof large);
    for (long i = 0; i < (long)sizeof large; i++) mine[i] = pattern(rank, i);
    CHECK(m_wait_msg(m_msg_put(next, mine, large, sizeof large, &reply_large)) == M_SUCCESS);
    m_wait_reply(&reply_large, 1);
    CHECK(has_pattern(large, previous));
    CHECK(m_msg_get_wait(next, large, mine, sizeof large) == M_SUCCESS && has_pattern(mine, rank));
    free(mine);
    m_barrier(CCC_ALL);
}

static int *in_function(void) {
    static int array[64];
    return array;
}

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    CHECK(m_wait_msg(m_msg_put(next, (void *)&rank, &global_value, sizeof rank, &reply)) == M_SUCCESS);
    m_wait_reply(&reply, 1);
    CHECK(global_value == previous && reply == 1);

    const long sizes[] = {0, 1, 3, 64, 1000, 16385, 100000, 400000};
    int *mine = malloc(n * sizeof(int));
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int i = 0; i < n; i++) {
            mine[i] = rank * 3 + i + (int)s;
            row[i] = -5;
        }
        m_barrier(CCC_ALL);
        CHECK(m_msg_put_wait(next, mine, row, sizes[s], &reply) == M_SUCCESS);
        m_wait_reply(&reply, 2 + (int)s);
        for (int i = 0; i < n; i++) {
            int expected = -5;
            const int value = previous * 3 + i + (int)s;
            for (long b = 0; b < 4; b++)
                if (i * 4 + b < sizes[s]) ((char *)&expected)[b] = ((const char *)&value)[b];
            CHECK(row[i] == expected);
        }
        m_barrier(CCC_ALL);
    }

    for (int k = 0; k < 32; k++) {  // many puts, one reply word, from everybody to everybody
        for (int to = 0; to < size; to++) {
            const int value = rank + 1;
            if (k == 0)
                m_msg_put_wait(to, (void *)&value, &slots[rank], sizeof value, &reply_many);
            else
                m_wait_msg(m_msg_put(to, (void *)&value, &slots[rank], sizeof value, &reply_many));
        }
    }
    m_wait_reply(&reply_many, 32 * size);
    for (int from = 0; from < size; from++) CHECK(slots[from] == from + 1);
    CHECK(reply_many == 32 * size);

    m_barrier(CCC_ALL);
    int got = -1;
    CHECK(m_wait_msg(m_msg_get(next, &slots[next], &got, sizeof got)) == M_SUCCESS && got == next + 1);
    in_function()[5] = 77 + rank;
    double *heap = m_malloc(1001 * sizeof(double));
    CHECK(heap != NULL && heap[1000] == 0.0);
    heap[1000] = rank + 0.5;
    m_barrier(CCC_ALL);
    double value = 0;
    CHECK(m_msg_get_wait(previous, heap + 1000, &value, sizeof value) == M_SUCCESS && value == previous + 0.5);
    CHECK(m_msg_get_wait(next, in_function() + 5, &got, sizeof got) == M_SUCCESS && got == 77 + next);
    handle_t handle = m_msg_get(previous, row, mine, n * (long)sizeof(int));
    while (!m_test_msg(handle)) {
    }
    m_barrier(CCC_ALL);
    m_free(heap);
    for (int k = 0; k < 20; k++) {  // sizes change; memory is zero and reusable
        char *a = m_malloc(1 + 777 * (size_t)k), *b = m_malloc(0);
        CHECK(a != NULL && a[0] == 0 && a[777 * k] == 0);
        a[0] = 1;
        m_free(b);
        m_free(a);
    }

    if (rank == 0) {  // the target computes and never calls the runtime: puts arrive all the same
        m_wait_reply(&ready, size - 1);
        for (int to = 1; to < size; to++) {
            const int done = 1;
            m_msg_put_wait(to, (void *)&done, (void *)&computing_done, sizeof done, &reply_computing);
        }
    } else {
        m_msg_put_wait(0, (void *)&rank, &slots[rank], sizeof rank, &ready);
        while (!computing_done) {
        }
    }

    put_and_get_large(rank, next, previous);

    m_set_errors(M_ERRORS_RETURN);
    int on_stack = 0;
    CHECK(m_msg_put_wait(next, mine, &on_stack, sizeof on_stack, NULL) == M_ERROR_ADDRESS);
    CHECK(m_msg_put_wait(next, mine, row, 4, &on_stack) == M_ERROR_ADDRESS);
    CHECK(m_msg_get_wait(next, mine, row, 4) == M_ERROR_ADDRESS);
    CHECK(m_msg_get_wait(size, row, row, 4) == M_ERROR_ARGUMENT);
    m_set_errors(M_ERRORS_ABORT);
    free(mine);
    return all_checks_passed("one_sided");
}
