// SPDX-License-Identifier: Apache-2.0
// Puts to memory of m_malloc and gets from there, also of other node processes: many reply words, all sizes, the order
// of a put and what follows it, children of fork, targets that do nothing but look.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { words = 12, rounds = 30, most = 70000, tag = 5 };
static int replies[words];
static int reply_order, reply_large, ready, reply_looking;
static unsigned char large[300000], large_source[300000];

static unsigned char pattern(int rank, int round, long place) {
    return (unsigned char)(rank * 31 + round * 17 + place * 7 + (place >> 8));
}

static long size_of(int round) {
    static const long sizes[] = {0, 1, 4, 8, 31, 64, 65, 1000, 1024, 4097, 20000, most};
    return sizes[round % (int)(sizeof sizes / sizeof *sizes)];
}

/* Everybody to everybody, with a reply word of its own in each of some rounds; half of the words are in the heap. */
static void put_to_all(int rank, int size) {
    unsigned char *landing = m_malloc((size_t)size * most), *source = malloc(most);
    int *in_heap = m_malloc(words * sizeof(int));
    CHECK(landing != NULL && in_heap != NULL);
    int expected[words] = {0};
    for (int round = 0; round < rounds; round++) {
        const long bytes = size_of(round);
        int *word = round % 2 ? &replies[round % words] : &in_heap[round % words];
        for (long i = 0; i < bytes; i++) source[i] = pattern(rank, round, i);
        for (int to = 0; to < size; to++)
            CHECK(m_wait_msg(m_msg_put(to, source, landing + (long)rank * most, bytes, word)) == M_SUCCESS);
        expected[round % words] += size;
        m_wait_reply(word, expected[round % words]);
        for (int from = 0; from < size; from++)
            for (long i = 0; i < bytes; i++) CHECK(landing[(long)from * most + i] == pattern(from, round, i));
        CHECK(*word == expected[round % words]);
        m_barrier(CCC_ALL);
        for (int from = 0; from < size; from++) {
            memset(source, 0, (size_t)bytes);
            CHECK(m_msg_get_wait(from, landing + (long)rank * most, source, bytes) == M_SUCCESS);
            for (long i = 0; i < bytes; i++) CHECK(source[i] == pattern(rank, round, i));
        }
        m_barrier(CCC_ALL);
    }
    m_free(in_heap);
    m_free(landing);
    free(source);
}

/* Many puts with one reply word and one message behind them: it tells no less than what was put before. */
static void put_before_message(int next, int previous) {
    int *row = m_malloc(1000 * sizeof(int));
    for (int k = 0; k < 200; k++) {
        int value = k + 1, got = 0;
        for (int i = 0; i < 5; i++) m_msg_put_wait(next, &value, row + 5 * k % 1000 + i, sizeof value, &reply_order);
        CHECK(m_send(next, &value, sizeof value, tag) == M_SUCCESS);
        CHECK(m_recv(previous, &got, sizeof got, tag, NULL) == M_SUCCESS && got == k + 1);
        CHECK(reply_order >= 5 * (k + 1));
        for (int i = 0; i < 5; i++) CHECK(row[5 * k % 1000 + i] == k + 1);
        m_barrier(CCC_ALL);
    }
    CHECK(reply_order == 1000);
    m_free(row);
}

/* A put to a variable that is still under way is not overtaken by one to the heap. */
static void put_large_first(int rank, int next, int previous) {
    int *flag = m_malloc(sizeof(int));
    for (int round = 1; round <= 5; round++) {
        for (long i = 0; i < (long)sizeof large; i++) large_source[i] = pattern(rank, round, i);
        const handle_t under_way = m_msg_put(next, large_source, large, sizeof large, NULL);
        m_msg_put_wait(next, &round, flag, sizeof round, &reply_large);
        m_wait_reply(&reply_large, round);
        CHECK(*flag == round);
        for (long i = 0; i < (long)sizeof large; i++) CHECK(large[i] == pattern(previous, round, i));
        m_wait_msg(under_way);
        m_barrier(CCC_ALL);
    }
    m_free(flag);
}

/* What a child writes is its own. */
static void write_in_child(int rank) {
    int *number = m_malloc(sizeof(int));
    *number = rank;
    const pid_t child = fork();
    if (child == 0) {
        const int before = *number;
        *number = -1;
        _exit(before == rank && *number == -1 ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(*number == rank);
    m_barrier(CCC_ALL);
    m_free(number);
}

/* The targets only look at their memory, and at the reply word. */
static void put_to_those_who_look(int rank, int size) {
    volatile int *done = m_malloc(sizeof(int));
    if (rank == 0) {
        m_wait_reply(&ready, size - 1);
        int one = 1;
        for (int to = 1; to < size; to++) m_msg_put_wait(to, &one, (void *)done, sizeof one, &reply_looking);
    } else {
        m_msg_put_wait(0, NULL, NULL, 0, &ready);
        while (*done == 0 || *(volatile int *)&reply_looking == 0) {
        }
        CHECK(*done == 1 && reply_looking == 1);
    }
    m_barrier(CCC_ALL);
    m_free((void *)done);
}

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    put_to_all(rank, size);
    put_before_message(next, previous);
    put_large_first(rank, next, previous);
    write_in_child(rank);
    put_to_those_who_look(rank, size);

    char *edge = m_malloc(64);
    m_set_errors(M_ERRORS_RETURN);
    int on_stack = 0;
    CHECK(m_msg_put_wait(next, &on_stack, edge, 4, &on_stack) == M_ERROR_ADDRESS);
    CHECK(m_msg_put_wait(next, &on_stack, edge, -1, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_wait(size, &on_stack, edge, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_wait(next, NULL, edge, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_get_wait(next, edge, NULL, 4) == M_ERROR_ARGUMENT);
    m_set_errors(M_ERRORS_ABORT);
    m_barrier(CCC_ALL);
    m_free(edge);
    return all_checks_passed("heap_puts");
}
