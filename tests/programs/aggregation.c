// SPDX-License-Identifier: Apache-2.0
// Aggregated puts, gets and additions: a histogram, a permutation, tickets, and the codes of wrong calls.
#include <stdlib.h>

#include "check.h"

enum { bins = 500, updates = 30000, places = 4000, most_ranks = 32 };
static long histogram[bins], table[places], next_ticket;
static double block[3000];
static int flag;

static unsigned long mixed(unsigned long z) {
    z = (z + 0x9e3779b97f4a7c15UL) * 0xbf58476d1ce4e5b9UL;
    return (z ^ (z >> 27)) * 0x94d049bb133111ebUL >> 20;
}

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    m_aggregator_t aggregator = m_aggregator_open(0);
    CHECK(aggregator != NULL);

    for (long i = 0; i < updates; i++) {
        const unsigned long bin = mixed((unsigned long)(i * size + rank)) % (unsigned long)(bins * size);
        CHECK(m_aggregator_add(aggregator, (int)(bin / bins), &histogram[bin % bins], 1 + i % 3) == M_SUCCESS);
    }
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    m_barrier(CCC_ALL);
    static long expected[bins];
    for (long i = 0; i < (long)updates * size; i++) {
        const unsigned long bin = mixed((unsigned long)i) % (unsigned long)(bins * size);
        if ((int)(bin / bins) == rank) expected[bin % bins] += 1 + i / size % 3;
    }
    for (int b = 0; b < bins; b++) CHECK(histogram[b] == expected[b]);

    // Global place p lies on rank p % size; 7919 is a prime larger than any factor of their number.
    const long all = (long)places * size;
    for (long i = 0; i < places; i++) {
        const long from = rank + i * size, to = from * 7919 % all, value = from + 1;
        CHECK(m_aggregator_put(aggregator, (int)(to % size), &value, &table[to / size], sizeof value) == M_SUCCESS);
    }
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    m_barrier(CCC_ALL);
    long *got = calloc(places, sizeof(long));
    for (long i = 0; i < places; i++) {
        const long to = (rank + i * size) * 7919 % all;
        CHECK(m_aggregator_get(aggregator, (int)(to % size), &table[to / size], &got[i], sizeof(long)) == M_SUCCESS);
    }
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    for (long i = 0; i < places; i++) CHECK(got[i] == rank + i * size + 1);

    m_aggregator_t second = m_aggregator_open(256);  // puts larger than the buffer go on their own
    double mine[3000], back[3000] = {0};
    for (int i = 0; i < 3000; i++) mine[i] = rank + i * 0.5;
    const int next = (rank + 1) % size;
    CHECK(m_aggregator_put(second, next, mine, block, sizeof mine) == M_SUCCESS);
    CHECK(m_aggregator_flush(second) == M_SUCCESS);
    CHECK(m_aggregator_get(second, next, block, back, sizeof back) == M_SUCCESS);
    CHECK(m_aggregator_put(second, next, mine, block, 0) == M_SUCCESS);
    CHECK(m_aggregator_flush(second) == M_SUCCESS);
    for (int i = 0; i < 3000; i++) CHECK(back[i] == mine[i]);

    long tickets[100], sum = 0, sum_of_all = 0;
    for (int i = 0; i < 100; i++)
        CHECK(m_aggregator_fetch_add(second, size - 1, &next_ticket, 1, &tickets[i]) == M_SUCCESS);
    CHECK(m_aggregator_close(second) == M_SUCCESS);  // flushes
    for (int i = 0; i < 100; i++) sum += tickets[i];
    m_allreduce(CCC_ALL, &sum, &sum_of_all, 1, M_LONG, M_SUM);
    CHECK(sum_of_all == 100L * size * (100L * size - 1) / 2);

    // A rank that waits sends what it has, without a flush.
    const int one = 1;
    m_aggregator_put(aggregator, next, &one, &flag, sizeof one);
    m_wait_reply(&flag, 1);
    m_aggregator_flush(aggregator);
    m_barrier(CCC_ALL);

    m_set_errors(M_ERRORS_RETURN);
    long on_stack = 0;
    CHECK(m_aggregator_put(NULL, next, &one, &flag, sizeof one) == M_ERROR_ARGUMENT);
    CHECK(m_aggregator_put(aggregator, size, &one, &flag, sizeof one) == M_ERROR_ARGUMENT);
    CHECK(m_aggregator_put(aggregator, next, &one, &flag, -1) == M_ERROR_ARGUMENT);
    CHECK(m_aggregator_get(aggregator, next, &flag, NULL, 4) == M_ERROR_ARGUMENT);
    CHECK(m_aggregator_add(aggregator, next, &on_stack, 1) == M_ERROR_ADDRESS);
    CHECK(m_aggregator_add(aggregator, next, (long *)((char *)table + 4), 1) == M_ERROR_ADDRESS);
    CHECK(m_aggregator_fetch_add(aggregator, next, table, 1, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_aggregator_open(100) == NULL);
    CHECK(m_aggregator_open(-1) == NULL);
    CHECK(m_aggregator_close(NULL) == M_ERROR_ARGUMENT);
    m_set_errors(M_ERRORS_ABORT);
    CHECK(m_aggregator_close(aggregator) == M_SUCCESS);
    free(got);
    return all_checks_passed("aggregation");
}
