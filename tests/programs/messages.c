// SPDX-License-Identifier: Apache-2.0
// Two-sided messages between all pairs: sizes, order, wildcards, probes, self messages, truncation.
#include <stdlib.h>
#include <string.h>

#include "check.h"

static unsigned char pattern(int from, int to, long position) {
    return (unsigned char)(from * 31 + to * 17 + position * 7 + (position >> 8));
}

static void fill(unsigned char *buffer, long size, int from, int to) {
    for (long i = 0; i < size; i++) buffer[i] = pattern(from, to, i);
}

static void verify(const unsigned char *buffer, long size, int from, int to) {
    unsigned char wrong = 0;
    for (long i = 0; i < size; i++) wrong |= buffer[i] ^ pattern(from, to, i);
    CHECK(wrong == 0);
}

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    const long sizes[] = {0,    1,    7,     31,    40,    64,      65,      1000,   1024,
                          1025, 4096, 16384, 16385, 70001, 1 << 20, 3000001, 8 << 20};
    enum { most = 8 << 20 };
    unsigned char *out = malloc(most + 2), *in = malloc(most + 2);

    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {  // ring, unaligned
        fill(out + 1, sizes[s], rank, next);
        memset(in, 0, sizes[s] + 2);
        handle_t receive = m_irecv(previous, in + 1, sizes[s], 5);
        CHECK(m_send(next, out + 1, sizes[s], 5) == M_SUCCESS);
        m_status_t status;
        CHECK(m_wait(&receive, &status) == M_SUCCESS && receive == M_NO_HANDLE);
        CHECK(status.rank == previous && status.tag == 5 && status.size == sizes[s] && status.error == M_SUCCESS);
        verify(in + 1, sizes[s], previous, rank);
        CHECK(in[sizes[s] + 1] == 0);
    }

    handle_t handles[200];  // many small ones both ways at once, more than any ring holds
    int numbers[100], received[100];
    for (int i = 0; i < 100; i++) {
        numbers[i] = 1000 * rank + i;
        handles[i] = m_isend(next, &numbers[i], sizeof(int), i % 3);
    }
    for (int i = 0; i < 100; i++) handles[100 + i] = m_irecv(previous, &received[i], sizeof(int), i % 3);
    CHECK(m_waitall(200, handles, NULL) == M_SUCCESS);
    for (int i = 0; i < 100; i++) CHECK(received[i] == 1000 * previous + i);

    if (rank == 0) {  // wildcards: order kept per sender
        int seen[1024] = {0};
        for (int i = 0; i < 50 * (size - 1); i++) {
            m_status_t status;
            int value;
            CHECK(m_probe(M_ANY_RANK, M_ANY_TAG, &status) == M_SUCCESS);
            CHECK(m_recv(status.rank, &value, sizeof value, status.tag, &status) == M_SUCCESS);
            CHECK(status.size == sizeof value && value == status.rank * 100 + seen[status.rank]);
            CHECK(status.tag == seen[status.rank] % 5);
            seen[status.rank]++;
        }
        int found = 1;
        CHECK(m_iprobe(M_ANY_RANK, M_ANY_TAG, &found, NULL) == M_SUCCESS && found == 0);
    } else {
        for (int i = 0; i < 50; i++) {
            const int value = rank * 100 + i;
            m_send(0, &value, sizeof value, i % 5);
        }
    }
    m_barrier(CCC_ALL);

    handle_t to_self = m_isend(rank, out, 100000, 9);  // to oneself, long
    CHECK(m_recv(rank, in, 100000, M_ANY_TAG, NULL) == M_SUCCESS);
    int complete = 0;
    while (!complete) m_test(&to_self, &complete, NULL);
    CHECK(memcmp(in, out, 100000) == 0 && to_self == M_NO_HANDLE);

    m_set_errors(M_ERRORS_RETURN);  // truncation
    for (int k = 0; k < 2; k++) {
        const long length = k == 0 ? 50 : 50000;
        handle_t send = m_isend(next, out, length, 1);
        m_status_t status;
        memset(in, 99, 100);
        CHECK(m_recv(previous, in, 20, 1, &status) == M_ERROR_TRUNCATE);
        CHECK(status.error == M_ERROR_TRUNCATE && status.size == length && in[20] == 99);
        m_wait(&send, NULL);
    }
    CHECK(m_send(size, out, 1, 0) == M_ERROR_ARGUMENT && m_send(next, out, -1, 0) == M_ERROR_ARGUMENT);
    CHECK(m_send(next, out, 1, -5) == M_ERROR_ARGUMENT && m_recv(-7, in, 1, 0, NULL) == M_ERROR_ARGUMENT);
    m_set_errors(M_ERRORS_ABORT);
    m_barrier(CCC_ALL);
    free(out);
    free(in);
    return all_checks_passed("messages");
}
