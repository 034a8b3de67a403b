// SPDX-License-Identifier: Apache-2.0
// Scratchpad memory and DMA. Built with --spm=64K.
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { n = 4096, most_threads = 256 };
static double source[n], target[n];
static int problems;
__thread_local char fixed[1000];

static void expect(int holds) {
    if (!holds) __atomic_fetch_add(&problems, 1, __ATOMIC_RELAXED);
}

__kernel void allocate(void *argument) {
    (void)argument;
    const size_t all = spm_available();
    expect(all > 60 * 1024 && all <= 65536 - sizeof fixed);
    char *one = spm_malloc(1), *two = spm_malloc(1000), *zero = spm_malloc(0);
    expect(one && two && (uintptr_t)one % 64 == 0 && (uintptr_t)two % 64 == 0 && one != two);
    memset(one, 1, 1);
    memset(two, 2, 1000);
    expect(spm_malloc(65536) == NULL);
    expect(spm_malloc((size_t)-1) == NULL);
    spm_free(one);
    spm_free(two);
    spm_free(zero);
    spm_free(NULL);
    expect(spm_available() == all);
    char *everything = spm_malloc(all);
    expect(everything != NULL && spm_malloc(1) == NULL);
    spm_free(everything);
}

__kernel void stream(void *argument) {
    (void)argument;
    double *buffer = spm_malloc(64 * sizeof(double));
    forall (int block = 0; block < n / 64; block++; BLOCK; CCC_ARRAY) {
        int got = 0, put = 0;
        dma_iget(buffer, source + 64 * block, 32 * sizeof(double), &got);
        dma_iget(buffer + 32, source + 64 * block + 32, 32 * sizeof(double), &got);
        dma_wait(&got, 2);
        for (int i = 0; i < 64; i++) buffer[i] = 2 * buffer[i];
        dma_iput(target + 64 * block, buffer, 64 * sizeof(double), &put);
        dma_wait(&put, 1);
    }
    m_barrier(CCC_ARRAY);
    dma_get(buffer, target, 64 * sizeof(double));
    for (int i = 0; i < 64; i++) expect(buffer[i] == 2.0 * i);
    for (int round = 0; round < 10; round++) {
        dma_bcast(buffer, source + round, 8 * sizeof(double));
        for (int i = 0; i < 8; i++) expect(buffer[i] == i + round);
    }
    dma_get(fixed, source, 0);
    spm_free(buffer);
}

// A column of a matrix of 64 columns into the scratchpad, and back into another column.
__kernel void column(void *argument) {
    (void)argument;
    enum { columns = 64, rows = n / columns };
    double *buffer = spm_malloc(rows * sizeof(double));
    const int me = m_rank(CCC_ARRAY) % columns;
    int reply = 0;
    m_barrier(CCC_ARRAY);
    expect(dma_get_stride(buffer, source + me, rows * sizeof(double), sizeof(double), columns * sizeof(double)) ==
           M_SUCCESS);
    for (int i = 0; i < rows; i++) expect(buffer[i] == i * columns + me);
    expect(dma_iput_stride(target + me, buffer, rows * sizeof(double), &reply, sizeof(double),
                           columns * sizeof(double)) == M_SUCCESS);
    dma_wait(&reply, 1);
    for (int i = 0; i < rows; i++) expect(target[i * columns + me] == i * columns + me);
    m_barrier(CCC_ARRAY);
    // The last block is cut; without gaps; nothing.
    memset(buffer, 0, 8 * sizeof(double));
    expect(dma_iget_stride(buffer, source, 20, &reply, 8, 16) == M_SUCCESS && reply == 2);
    expect(buffer[0] == 0 && buffer[1] == 2 && memcmp(buffer + 2, source + 4, 4) == 0 && ((char *)buffer)[20] == 0);
    expect(dma_get_stride(buffer, source + 1, 16, 8, 8) == M_SUCCESS && buffer[0] == 1 && buffer[1] == 2);
    expect(dma_put_stride(target, buffer, 0, 0, 0) == M_SUCCESS);
    expect(dma_get_stride(buffer, source, 16, 8, 7) == M_ERROR_ARGUMENT);
    expect(dma_put_stride(target, buffer, 16, 0, 8) == M_ERROR_ARGUMENT);
    spm_free(buffer);
}

/* A reply word that another thread counts up. */
static int shared_reply;
__kernel void wait_for_others(void *argument) {
    (void)argument;
    double *buffer = spm_malloc(8 * sizeof(double));
    const int me = m_rank(CCC_ARRAY), all = m_size(CCC_ARRAY);
    if (me == all - 1) {
        dma_wait(&shared_reply, all - 1);
        expect(shared_reply == all - 1);
    } else {
        usleep(2000);
        dma_iget(buffer, source, 8 * sizeof(double), &shared_reply);
    }
    spm_free(buffer);
}

int main(void) {
    for (int i = 0; i < n; i++) source[i] = i;
    m_run(allocate, NULL);
    CHECK(problems == 0);
    m_run(stream, NULL);
    CHECK(problems == 0);
    for (int i = 0; i < n; i++) CHECK(target[i] == 2.0 * i);
    m_set_errors(M_ERRORS_RETURN);
    m_run(column, NULL);
    m_set_errors(M_ERRORS_ABORT);
    CHECK(problems == 0);
    m_run(wait_for_others, NULL);
    CHECK(problems == 0);
    return all_checks_passed("scratchpad");
}
