// SPDX-License-Identifier: Apache-2.0
// Collectives over every scope, several types, counts and roots, against their plain definitions.
#include <sched.h>
#include <stdlib.h>

#include "check.h"

static long value(int rank, long i) { return (rank + 1) * 1000 + i * 7 % 1000; }

static void check_scope(m_scope_t scope, long count) {
    const int me = m_rank(scope), size = m_size(scope);
    long *a = malloc((count * size + 1) * sizeof(long)), *b = malloc((count * size + 1) * sizeof(long));

    for (int root = 0; root < size; root += size > 4 ? 3 : 1) {
        for (long i = 0; i < count; i++) a[i] = me == root ? value(root, i) : -1;
        CHECK(m_bcast(scope, a, count, M_LONG, root) == M_SUCCESS);
        for (long i = 0; i < count; i++) CHECK(a[i] == value(root, i));

        for (long i = 0; i < count; i++) a[i] = value(me, i);
        CHECK(m_reduce(scope, a, b, count, M_LONG, M_SUM, root) == M_SUCCESS);
        if (me == root) {
            for (long i = 0; i < count; i++) {
                long sum = 0;
                for (int r = 0; r < size; r++) sum += value(r, i);
                CHECK(b[i] == sum);
            }
        }
        CHECK(m_gather(scope, a, b, count, M_LONG, root) == M_SUCCESS);
        if (me == root) {
            for (int r = 0; r < size; r++)
                for (long i = 0; i < count; i++) CHECK(b[r * count + i] == value(r, i));
        }
        for (long i = 0; i < count * size; i++) b[i] = me == root ? value((int)(count ? i / count : 0), i) : -1;
        CHECK(m_scatter(scope, b, a, count, M_LONG, root) == M_SUCCESS);
        for (long i = 0; i < count; i++) CHECK(a[i] == value(me, me * count + i));
    }

    for (long i = 0; i < count; i++) a[i] = value(me, i);
    CHECK(m_allreduce(scope, a, a, count, M_LONG, M_MAX) == M_SUCCESS);
    for (long i = 0; i < count; i++) CHECK(a[i] == value(size - 1, i));
    for (long i = 0; i < count; i++) a[i] = value(me, i);
    CHECK(m_scan(scope, a, b, count, M_LONG, M_SUM) == M_SUCCESS);
    for (long i = 0; i < count; i++) {
        long sum = 0;
        for (int r = 0; r <= me; r++) sum += value(r, i);
        CHECK(b[i] == sum);
    }
    CHECK(m_allgather(scope, a, b, count, M_LONG) == M_SUCCESS);
    for (int r = 0; r < size; r++)
        for (long i = 0; i < count; i++) CHECK(b[r * count + i] == value(r, i));
    for (long i = 0; i < count * size; i++) a[i] = value(me, i);
    CHECK(m_alltoall(scope, a, b, count, M_LONG) == M_SUCCESS);
    for (int r = 0; r < size; r++)
        for (long i = 0; i < count; i++) CHECK(b[r * count + i] == value(r, me * count + i));

    long *out_counts = malloc(size * sizeof(long)), *in_counts = malloc(size * sizeof(long));
    long *out_starts = malloc(size * sizeof(long)), *in_starts = malloc(size * sizeof(long));
    long out = 0, in = 0;
    for (int r = 0; r < size; r++) {  // rank m sends (m + r) % (count + 1) elements to rank r
        out_counts[r] = (me + r) % (count + 1);
        in_counts[r] = (r + me) % (count + 1);
        out_starts[r] = out;
        in_starts[r] = in;
        out += out_counts[r];
        in += in_counts[r];
    }
    for (int r = 0; r < size; r++)
        for (long i = 0; i < out_counts[r]; i++) a[out_starts[r] + i] = value(me, 10 * r + i);
    CHECK(m_alltoallv(scope, a, out_counts, out_starts, b, in_counts, in_starts, M_LONG) == M_SUCCESS);
    for (int r = 0; r < size; r++)
        for (long i = 0; i < in_counts[r]; i++) CHECK(b[in_starts[r] + i] == value(r, 10 * me + i));
    free(out_counts), free(in_counts), free(out_starts), free(in_starts);
    free(a), free(b);
}

// Every thread of the array is a member; one of them also takes part for the process in the larger scopes.
__kernel void in_kernel(void *argument) {
    (void)argument;
    const long counts[] = {0, 1, 5, 1003};
    for (int c = 0; c < 4; c++) check_scope(CCC_ARRAY, counts[c]);
    const int speaker = m_size(CCC_ARRAY) - 1;
    if (m_rank(CCC_ARRAY) == speaker) {
        for (int scope = CCC_ALL; scope <= CCC_NODE; scope++) {
            check_scope(scope, 5);
            m_barrier(scope);
        }
    }
    // A sum over all threads of the job: among threads, among processes, and back.
    const long mine = 1000 * m_rank(CCC_ALL) + m_rank(CCC_ARRAY);
    long of_array = 0, of_job = 0;
    CHECK(m_reduce(CCC_ARRAY, &mine, &of_array, 1, M_LONG, M_SUM, speaker) == M_SUCCESS);
    if (m_rank(CCC_ARRAY) == speaker) m_allreduce(CCC_ALL, &of_array, &of_job, 1, M_LONG, M_SUM);
    CHECK(m_bcast(CCC_ARRAY, &of_job, 1, M_LONG, speaker) == M_SUCCESS);
    const long ranks = m_size(CCC_ALL), threads = m_size(CCC_ARRAY);
    CHECK(of_job == 1000 * threads * ranks * (ranks - 1) / 2 + ranks * threads * (threads - 1) / 2);
}

// 8 MB on each process.
static void check_large(void) {
    const int me = m_rank(CCC_ALL), size = m_size(CCC_ALL), root = size - 1;
    const long count = (8 << 20) / sizeof(long), block = count / size;
    long *a = malloc(count * sizeof(long)), *b = malloc(count * sizeof(long)), wrong = 0;
    for (long i = 0; i < count; i++) a[i] = value(me, i);
    CHECK(m_allreduce(CCC_ALL, a, b, count, M_LONG, M_SUM) == M_SUCCESS);
    for (long i = 0; i < count; i++) wrong |= b[i] ^ (size * (size + 1L) / 2 * 1000 + size * (i * 7 % 1000));
    CHECK(wrong == 0);
    CHECK(m_alltoall(CCC_ALL, a, b, block, M_LONG) == M_SUCCESS);
    for (int r = 0; r < size; r++)
        for (long i = 0; i < block; i++) wrong |= b[r * block + i] ^ value(r, me * block + i);
    CHECK(wrong == 0);
    CHECK(m_allgather(CCC_ALL, a, b, block, M_LONG) == M_SUCCESS);
    for (int r = 0; r < size; r++)
        for (long i = 0; i < block; i++) wrong |= b[r * block + i] ^ value(r, i);
    CHECK(wrong == 0);
    CHECK(m_gather(CCC_ALL, a, b, block, M_LONG, root) == M_SUCCESS);
    for (int r = 0; me == root && r < size; r++)
        for (long i = 0; i < block; i++) wrong |= b[r * block + i] ^ value(r, i);
    CHECK(m_scatter(CCC_ALL, a, b, block, M_LONG, root) == M_SUCCESS);
    for (long i = 0; i < block; i++) wrong |= b[i] ^ value(root, me * block + i);
    CHECK(wrong == 0);
    CHECK(m_reduce(CCC_ALL, a, b, count, M_LONG, M_MAX, root) == M_SUCCESS);
    for (long i = 0; me == root && i < count; i++) wrong |= b[i] ^ value(size - 1, i);
    CHECK(m_scan(CCC_ALL, a, b, count, M_LONG, M_SUM) == M_SUCCESS);
    for (long i = 0; i < count; i++) wrong |= b[i] ^ ((me + 1) * (me + 2L) / 2 * 1000 + (me + 1) * (i * 7 % 1000));
    CHECK(m_bcast(CCC_ALL, a, count, M_LONG, root) == M_SUCCESS);
    for (long i = 0; i < count; i++) wrong |= a[i] ^ value(root, i);
    CHECK(wrong == 0);
    free(a), free(b);
}

static int refused;

// One thread of a process at a time: while the first waits for the other processes, the second is told so.
__kernel void two_for_a_process(void *argument) {
    (void)argument;
    long one = 1, all = 0;
    if (m_rank(CCC_ARRAY) > 1) return;
    const int code = m_allreduce(CCC_ALL, &one, &all, 1, M_LONG, M_SUM);
    if (code != M_SUCCESS) {
        CHECK(code == M_ERROR_CONTEXT);
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELEASE);
    } else {
        CHECK(all == m_size(CCC_ALL));
    }
}

int main(void) {
    const m_scope_t scopes[] = {CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE};
    const long counts[] = {0, 1, 5, 1000, 20011};
    for (int s = 0; s < 4; s++) {
        for (int c = 0; c < 5; c++) {
            check_scope(scopes[s], counts[c]);
            m_barrier(scopes[s]);
        }
    }
    check_large();
    const int me = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    m_double_int mine = {.value = (me * 7) % size, .index = me}, best;
    m_allreduce(CCC_ALL, &mine, &best, 1, M_DOUBLE_INT, M_MINLOC);
    CHECK(best.value == 0.0 && (best.index * 7) % size == 0 && best.index == 0);
    float f = 1.5f, product;
    m_allreduce(CCC_ALL, &f, &product, 1, M_FLOAT, M_MIN);
    CHECK(product == 1.5f);
    unsigned bits = 1u << (me % 32), all;
    m_allreduce(CCC_ALL, &bits, &all, 1, M_UNSIGNED, M_OR);
    CHECK((all & bits) && (all & 1));
    double sum, same, third = 1.0 / (me + 3);  // bitwise the same on every process
    m_allreduce(CCC_ALL, &third, &sum, 1, M_DOUBLE, M_SUM);
    same = sum;
    m_bcast(CCC_ALL, &same, 1, M_DOUBLE, 0);
    CHECK(same == sum);
    m_run(in_kernel, NULL);
    m_set_errors(M_ERRORS_RETURN);
    if (size > 1 && m_size(CCC_ARRAY) > 1) {
        m_spawn_t kernel = me == 0 ? NULL : m_spawn(two_for_a_process, NULL);
        if (me == 0) {  // the others wait for it until each of them has refused one thread
            for (int r = 1; r < size; r++) m_recv(r, NULL, 0, 9, NULL);
            long one = 1, all = 0;
            CHECK(m_allreduce(CCC_ALL, &one, &all, 1, M_LONG, M_SUM) == M_SUCCESS && all == size);
        } else {
            while (__atomic_load_n(&refused, __ATOMIC_ACQUIRE) == 0) sched_yield();
            m_send(0, NULL, 0, 9);
            m_join(kernel);
            CHECK(refused == 1);
        }
    }
    CHECK(m_allreduce(CCC_ARRAY, &f, &product, 1, M_FLOAT, M_SUM) == M_ERROR_CONTEXT);
    CHECK(m_allreduce(CCC_ALL, &f, &product, 1, M_FLOAT, M_XOR) == M_ERROR_ARGUMENT);
    CHECK(m_bcast(CCC_ALL, &f, 1, M_FLOAT, size) == M_ERROR_ARGUMENT);
    m_set_errors(M_ERRORS_ABORT);
    return all_checks_passed("collectives");
}
