// SPDX-License-Identifier: Apache-2.0
// Each one-sided call with 0, 1, an odd number of and 8 M bytes, in streams whose targets are variables and memory of
// m_malloc in turns; additions to both; and puts that no later put of their stream overtakes.
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { large = 8 << 20, room = large + large / 8 + 4096, lanes = 4, margin = 64 };
enum call { put, put_wait, put_stride, put_stride_wait, gather, calls };
static const char *const names[] = {"put", "put_wait", "put_stride", "put_stride_wait", "aggregated"};

// Lanes 0 and 2 are variables, 1 and 3 in the heap.
static unsigned char variables[2][room];
static unsigned char *lane[lanes], *mine, *theirs;
static int reply_variable, *reply_heap, expected_variable, expected_heap;

static void fill(unsigned char *bytes, int rank) {
    for (long i = 0; i < large + lanes; i++) bytes[i] = (unsigned char)(rank * 59 + i * 7 + (i >> 8) * 3 + 1);
}

struct shape {
    long size, block, here, there;
};
static struct shape shape_of(enum call call, long size) {
    struct shape s = {size, size, size, size};
    if (call != put_stride && call != put_stride_wait) return s;
    s.block = 1 + size / 9;
    s.here = s.block;
    s.there = s.block + 5;
    return s;
}
static long extent(const struct shape *s, long stride) {
    return s->size == 0 ? 0 : (s->size - 1) / s->block * stride + (s->size - 1) % s->block + 1;
}

/* Whether the blocks at `memory` are those of `source`, and nothing between and behind them has changed. */
static int is_there(const struct shape *s, const unsigned char *memory, const unsigned char *source) {
    const long all = extent(s, s->there);
    for (long at = 0, place = 0; at < s->size; at += s->block, place += s->there) {
        const long bytes = s->size - at < s->block ? s->size - at : s->block;
        if (memcmp(memory + place, source + at, bytes) != 0) return 0;
        for (long gap = bytes; gap < s->there && place + gap < all; gap++)
            if (memory[place + gap] != 0) return 0;
    }
    for (long i = 0; i < margin; i++)
        if (memory[all + i] != 0) return 0;
    return 1;
}

static handle_t begin_put(enum call call, m_aggregator_t a, int to, const struct shape *s, int l, int *word) {
    unsigned char *source = mine + l, *target = lane[l];
    switch (call) {
        case put:
            return m_msg_put(to, source, target, s->size, word);
        case put_wait:
            CHECK(m_msg_put_wait(to, source, target, s->size, word) == M_SUCCESS);
            return M_NO_HANDLE;
        case put_stride:
            return m_msg_put_stride(to, source, target, s->size, s->block, s->here, s->there, word);
        case put_stride_wait:
            CHECK(m_msg_put_stride_wait(to, source, target, s->size, s->block, s->here, s->there, word) == M_SUCCESS);
            return M_NO_HANDLE;
        default:
            CHECK(m_aggregator_put(a, to, source, target, s->size) == M_SUCCESS);
            return M_NO_HANDLE;
    }
}

static handle_t begin_get(enum call call, m_aggregator_t a, int from, const struct shape *s, int l,
                          unsigned char *target) {
    unsigned char *source = lane[l];
    switch (call) {
        case put:
            return m_msg_get(from, source, target, s->size);
        case put_wait:
            CHECK(m_msg_get_wait(from, source, target, s->size) == M_SUCCESS);
            return M_NO_HANDLE;
        case put_stride:
            return m_msg_get_stride(from, source, target, s->size, s->block, s->there, s->here);
        case put_stride_wait:
            CHECK(m_msg_get_stride_wait(from, source, target, s->size, s->block, s->there, s->here) == M_SUCCESS);
            return M_NO_HANDLE;
        default:
            CHECK(m_aggregator_get(a, from, source, target, s->size) == M_SUCCESS);
            return M_NO_HANDLE;
    }
}

/* Around the ring; the target looks, then the puts are read back. */
static void put_and_get(enum call call, m_aggregator_t aggregator, long size, int next, unsigned char *back) {
    const struct shape s = shape_of(call, size);
    handle_t handles[lanes];
    for (int l = 0; l < lanes; l++)
        handles[l] = begin_put(call, aggregator, next, &s, l, l < 2 ? &reply_variable : reply_heap);
    for (int l = 0; l < lanes; l++) CHECK(m_wait_msg(handles[l]) == M_SUCCESS);
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    if (call != gather) {
        CHECK(m_wait_reply(&reply_variable, expected_variable += 2) == M_SUCCESS &&
              reply_variable == expected_variable);
        CHECK(m_wait_reply(reply_heap, expected_heap += 2) == M_SUCCESS && *reply_heap == expected_heap);
    }
    m_barrier(CCC_ALL);
    for (int l = 0; l < lanes; l++)
        if (!is_there(&s, lane[l], theirs + l)) {
            fprintf(stderr, "rank %d: check failed: %s of %ld bytes to lane %d\n", m_rank(CCC_ALL), names[call], size,
                    l);
            m_abort(3);
        }
    memset(back, 0, (size_t)(lanes * (size + 1)));
    for (int l = 0; l < lanes; l++) handles[l] = begin_get(call, aggregator, next, &s, l, back + l * (size + 1));
    for (int l = 0; l < lanes; l++) CHECK(m_wait_msg(handles[l]) == M_SUCCESS);
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    for (int l = 0; l < lanes; l++) {
        CHECK(memcmp(back + l * (size + 1), mine + l, size) == 0);
        CHECK(back[l * (size + 1) + size] == 0);
    }
    m_barrier(CCC_ALL);
    for (int l = 0; l < lanes; l++) memset(lane[l], 0, extent(&s, s.there));
    m_barrier(CCC_ALL);
}

/* Numbers of both kinds on all ranks; each former value is fetched once. */
static void add_to_all(m_aggregator_t aggregator, int rank, int size) {
    enum { rounds = 500 };
    static long variable[2];
    long *numbers[2] = {variable, m_malloc(sizeof variable)};
    long former[2 * rounds], sum = 0, all = 0;
    for (int i = 0; i < 2 * rounds; i++) {
        CHECK(m_aggregator_fetch_add(aggregator, i / 2 % size, numbers[i % 2], 1, &former[i]) == M_SUCCESS);
        for (int to = 0; to < size; to++)
            CHECK(m_aggregator_add(aggregator, to, numbers[i % 2] + 1, rank + i) == M_SUCCESS);
    }
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    for (int i = 0; i < 2 * rounds; i++) sum += former[i];
    m_allreduce(CCC_ALL, &sum, &all, 1, M_LONG, M_SUM);
    long expected = 0, added = 0;
    for (int to = 0; to < size; to++) {
        const long fetched = (long)size * (rounds / size + (to < rounds % size));
        expected += 2 * (fetched * (fetched - 1) / 2);
        if (to == rank) CHECK(*numbers[0] == fetched && *numbers[1] == fetched);
    }
    CHECK(all == expected);
    for (int from = 0; from < size; from++) added += (long)rounds * from + (long)rounds * (rounds - 1);
    CHECK(numbers[0][1] == added && numbers[1][1] == added + (long)size * rounds);
    m_barrier(CCC_ALL);
    m_free(numbers[1]);
}

/* Whoever sees a flag sees what was put before it, of either kind; the targets only look. */
static void put_flags_behind(int next) {
    enum { rounds = 200, columns = 5 };
    static long data_variable[3 * columns], flag_variable;
    long *data_heap = m_malloc(sizeof data_variable);
    volatile long *flags[2] = {&flag_variable, m_malloc(sizeof flag_variable)};
    for (long round = 1; round <= rounds; round++) {
        long row[columns];
        handle_t handles[4];
        for (int i = 0; i < columns; i++) row[i] = round + i;
        const int first = round % 2, is_strided = round % 3 == 0;
        long *data[2] = {data_variable, data_heap};
        for (int k = 0; k < 2; k++) {
            long *target = data[(first + k) % 2];
            handles[k] = is_strided ? m_msg_put_stride(next, row, target, sizeof row, sizeof(long), sizeof(long),
                                                       3 * sizeof(long), NULL)
                                    : m_msg_put(next, row, target, sizeof row, NULL);
        }
        for (int k = 0; k < 2; k++)
            handles[2 + k] = m_msg_put(next, &round, (void *)flags[(first + k) % 2], sizeof round, NULL);
        for (int k = 0; k < 2; k++) {
            while (*flags[(first + k) % 2] < round) sched_yield();
            for (int i = 0; i < columns; i++) {
                const int place = is_strided ? 3 * i : i;
                CHECK(((volatile long *)data_variable)[place] == round + i);
                CHECK(((volatile long *)data_heap)[place] == round + i);
            }
        }
        for (int k = 0; k < 4; k++) CHECK(m_wait_msg(handles[k]) == M_SUCCESS);
        m_barrier(CCC_ALL);
    }
    m_free((void *)flags[1]);
    m_free(data_heap);
}

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int l = 0; l < lanes; l++) lane[l] = l % 2 == 0 ? variables[l / 2] : m_malloc(room);
    reply_heap = m_malloc(sizeof *reply_heap);
    mine = malloc(large + lanes), theirs = malloc(large + lanes);
    unsigned char *back = malloc(lanes * (large + 1L));
    fill(mine, rank);
    fill(theirs, previous);
    m_aggregator_t aggregator = m_aggregator_open(0);
    static const long sizes[] = {0, 1, 77, 4097, 65535, large};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int call = 0; call < calls; call++) put_and_get((enum call)call, aggregator, sizes[i], next, back);
    add_to_all(aggregator, rank, size);
    put_flags_behind(next);
    CHECK(m_aggregator_close(aggregator) == M_SUCCESS);
    m_free(reply_heap);
    for (int l = 1; l < lanes; l += 2) m_free(lane[l]);
    free(back), free(mine), free(theirs);
    return all_checks_passed("heap_calls");
}
