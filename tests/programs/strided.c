// SPDX-License-Identifier: Apache-2.0
// Strided messages: random programs of one-sided transfers against a sequential model, random messages with
// blocks at either end, and the codes of wrong calls.
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most_ranks = 32, slice = 300000, operations = 120, lanes = 3 };

// Every process writes to a slice of its own at each target, and to one lane of it at a time.
static unsigned char memory[most_ranks][lanes][slice];
static unsigned char model[most_ranks][lanes][slice];  // by target: what this process has written there
static int replies;

static unsigned long state;
static long draw(long bound) {  // SplitMix64
    unsigned long z = (state += 0x9e3779b97f4a7c15UL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
    return (long)((z ^ (z >> 31)) % (unsigned long)bound);
}

struct shape {
    long size, block, source, target;
};

static struct shape draw_shape(void) {
    static const long most[] = {1, 40, 3000, 17000, 120000};
    struct shape s;
    s.size = draw(most[draw(5)] + 1);
    s.block = 1 + draw(draw(2) ? 24 : 2000);
    s.source = s.block + (draw(3) ? draw(s.block + 1) : 0);
    s.target = s.block + (draw(3) ? draw(s.block + 1) : 0);
    return s;
}

static long extent(long size, long block, long stride) {
    return size == 0 ? 0 : (size - 1) / block * stride + (size - 1) % block + 1;
}
static long place(long i, long block, long stride) { return i / block * stride + i % block; }

static unsigned char *filled(long bytes, int seed) {
    unsigned char *data = malloc(bytes + 1);
    for (long i = 0; i < bytes; i++) data[i] = (unsigned char)(seed * 37 + i * 131 + (i >> 8));
    return data;
}

/* One rank's transfers; those of one lane follow each other, lanes go side by side. */
static int one_sided(int rank, int size) {
    handle_t under_way[lanes] = {0};
    unsigned char *buffers[lanes] = {0}, *expected[lanes] = {0};
    long bytes[lanes] = {0};
    int puts[most_ranks] = {0};
    for (int i = 0; i <= operations; i++) {
        for (int lane = 0; lane < lanes; lane++) {
            if (i < operations && lane != i % lanes) continue;
            CHECK(m_wait_msg(under_way[lane]) == M_SUCCESS);
            under_way[lane] = M_NO_HANDLE;
            if (expected[lane]) CHECK(memcmp(buffers[lane], expected[lane], bytes[lane]) == 0);
            free(buffers[lane]);
            free(expected[lane]);
            buffers[lane] = expected[lane] = NULL;
        }
        if (i == operations) break;
        const int lane = i % lanes, other = (int)draw(size);
        const struct shape s = draw_shape();
        unsigned char *there = memory[rank][lane], *known = model[other][lane];
        if (draw(2)) {
            const long at = draw(slice - extent(s.size, s.block, s.target));
            buffers[lane] = filled(extent(s.size, s.block, s.source), i);
            for (long b = 0; b < s.size; b++)
                known[at + place(b, s.block, s.target)] = buffers[lane][place(b, s.block, s.source)];
            int *reply = draw(2) ? &replies : NULL;
            puts[other] += reply != NULL;
            if (draw(4))
                under_way[lane] =
                    m_msg_put_stride(other, buffers[lane], there + at, s.size, s.block, s.source, s.target, reply);
            else
                CHECK(m_msg_put_stride_wait(other, buffers[lane], there + at, s.size, s.block, s.source, s.target,
                                            reply) == M_SUCCESS);
        } else {
            const long at = draw(slice - extent(s.size, s.block, s.source));
            bytes[lane] = extent(s.size, s.block, s.target);
            buffers[lane] = filled(bytes[lane], i);
            expected[lane] = filled(bytes[lane], i);
            for (long b = 0; b < s.size; b++)
                expected[lane][place(b, s.block, s.target)] = known[at + place(b, s.block, s.source)];
            if (draw(4))
                under_way[lane] =
                    m_msg_get_stride(other, there + at, buffers[lane], s.size, s.block, s.source, s.target);
            else
                CHECK(m_msg_get_stride_wait(other, there + at, buffers[lane], s.size, s.block, s.source, s.target) ==
                      M_SUCCESS);
        }
    }
    int all[most_ranks];
    m_allreduce(CCC_ALL, puts, all, most_ranks, M_INT, M_SUM);
    return all[rank];
}

/* All ranks compare what the others have written with the models of the writers. */
static void compare(int rank, int size) {
    m_barrier(CCC_ALL);
    unsigned char *mine = malloc(sizeof memory[0]);
    for (int writer = 0; writer < size; writer++) {
        CHECK(m_msg_get_wait(writer, model[rank], mine, sizeof memory[0]) == M_SUCCESS);
        CHECK(memcmp(mine, memory[writer], sizeof memory[0]) == 0);
    }
    free(mine);
    m_barrier(CCC_ALL);
}

/* Around the ring: both ends draw the same shapes; the blocks of one end are not those of the other. */
static void two_sided(int rank, int size) {
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    state = 77;
    for (int i = 0; i < 60; i++) {
        struct shape out = draw_shape(), in = draw_shape();
        in.size = out.size + draw(3);
        if (i % 5 == 0) out.block = out.source = out.size + 1;  // no gaps there
        if (i % 7 == 0) in.block = in.target = in.size + 1;
        const long room = extent(in.size, in.block, in.target);
        unsigned char *data = filled(extent(out.size, out.block, out.source), i + rank);
        unsigned char *sent = filled(extent(out.size, out.block, out.source), i + previous);
        unsigned char *got = filled(room, 99), *expected = filled(room, 99);
        for (long b = 0; b < out.size; b++)
            expected[place(b, in.block, in.target)] = sent[place(b, out.block, out.source)];
        m_status_t status;
        if (i % 2 && rank % 2 == 0 && size % 2 == 0) {
            CHECK(m_send_stride(next, data, out.size, out.block, out.source, i) == M_SUCCESS);
            CHECK(m_recv_stride(previous, got, in.size, in.block, in.target, i, &status) == M_SUCCESS);
        } else if (i % 2 && size % 2 == 0) {
            CHECK(m_recv_stride(previous, got, in.size, in.block, in.target, i, &status) == M_SUCCESS);
            CHECK(m_send_stride(next, data, out.size, out.block, out.source, i) == M_SUCCESS);
        } else {
            handle_t handles[2] = {m_isend_stride(next, data, out.size, out.block, out.source, i),
                                   m_irecv_stride(i % 3 ? previous : M_ANY_RANK, got, in.size, in.block, in.target, i)};
            if (i % 4 == 0) {
                int complete = 0;
                while (!complete) CHECK(m_test(&handles[1], &complete, &status) == M_SUCCESS);
                CHECK(m_wait(&handles[0], NULL) == M_SUCCESS);
            } else {
                m_status_t statuses[2];
                CHECK(m_waitall(2, handles, statuses) == M_SUCCESS);
                status = statuses[1];
            }
            CHECK(handles[0] == M_NO_HANDLE && handles[1] == M_NO_HANDLE);
        }
        CHECK(status.rank == previous && status.tag == i && status.size == out.size);
        CHECK(memcmp(got, expected, room) == 0);
        free(data);
        free(sent);
        free(got);
        free(expected);
    }
}

/* 8 MB around the ring, with gaps at the target, and back. */
static void large(int rank, int size) {
    const long bytes = 8 << 20, block = 4093, stride = 5000, room = extent(bytes, block, stride);
    static int reply;
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    unsigned char *there = m_malloc(room), *mine = filled(bytes, rank), *back = filled(bytes, 99);
    CHECK(m_msg_put_stride_wait(next, mine, there, bytes, block, block, stride, &reply) == M_SUCCESS);
    m_wait_reply(&reply, 1);
    long wrong = 0;
    unsigned char *sent = filled(bytes, previous);
    for (long b = 0; b < bytes; b++) wrong += there[place(b, block, stride)] != sent[b];
    for (long gap = block; gap < room; gap += stride) wrong += there[gap] != 0;
    CHECK(wrong == 0);
    CHECK(m_msg_get_stride_wait(next, there, back, bytes, block, stride, block) == M_SUCCESS);
    CHECK(memcmp(back, mine, bytes) == 0);
    m_barrier(CCC_ALL);
    free(mine);
    free(back);
    free(sent);
    m_free(there);
}

static void refusals(int rank, int size) {
    const int next = (rank + 1) % size;
    unsigned char *there = memory[0][0], on_stack[64];
    m_set_errors(M_ERRORS_RETURN);
    CHECK(m_msg_put_stride_wait(size, there, there, 8, 4, 4, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, there, -1, 4, 4, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, there, 8, 0, 4, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, there, 8, 4, 3, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, there, 8, 4, 4, 3, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, there, 8, 4, 4, -4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, NULL, there, 8, 4, 4, 4, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, there, 1L << 62, 1, 1L << 61, 1, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_msg_put_stride_wait(next, there, on_stack, 8, 4, 4, 8, NULL) == M_ERROR_ADDRESS);
    CHECK(m_msg_put_stride_wait(next, on_stack, there, 8, 4, 4, 1L << 40, NULL) == M_ERROR_ADDRESS);  // beyond its end
    CHECK(m_msg_put_stride_wait(next, there, there, 8, 4, 4, 4, (int *)on_stack) == M_ERROR_ADDRESS);
    CHECK(m_msg_get_stride_wait(next, on_stack, there, 8, 4, 4, 8) == M_ERROR_ADDRESS);
    CHECK(m_msg_get_stride_wait(next, there, NULL, 8, 4, 4, 8) == M_ERROR_ARGUMENT);
    CHECK(m_msg_get_stride(next, there, on_stack, 8, 4, 2, 8) == M_NO_HANDLE);
    CHECK(m_send_stride(next, there, 8, 4, 3, 0) == M_ERROR_ARGUMENT);
    CHECK(m_recv_stride(next, there, 8, 0, 3, 0, NULL) == M_ERROR_ARGUMENT);
    CHECK(m_isend_stride(next, there, 8, 4, 4, -1) == M_NO_HANDLE);
    CHECK(m_irecv_stride(size, there, 8, 4, 4, 0) == M_NO_HANDLE);
    // With one block at most, block and strides say nothing.
    CHECK(m_msg_put_stride_wait(rank, on_stack, there, 0, 0, 0, 0, NULL) == M_SUCCESS);
    CHECK(m_msg_put_stride_wait(rank, on_stack, there, 8, 8, 0, -1, NULL) == M_SUCCESS);
    handle_t sent = m_isend_stride(rank, there, 12, 4, 8, 5);
    m_status_t status;
    CHECK(m_recv_stride(rank, on_stack, 8, 4, 8, 5, &status) == M_ERROR_TRUNCATE && status.size == 12);
    CHECK(m_wait(&sent, NULL) == M_SUCCESS);
    m_set_errors(M_ERRORS_ABORT);
}

int main(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    CHECK(size <= most_ranks);
    for (int seed = 1; seed <= 3; seed++) {
        state = (unsigned long)(seed * 1000 + rank);
        static int expected;
        expected += one_sided(rank, size);
        m_wait_reply(&replies, expected);
        CHECK(replies == expected);
        compare(rank, size);
    }
    two_sided(rank, size);
    large(rank, size);
    refusals(rank, size);
    return all_checks_passed("strided");
}
