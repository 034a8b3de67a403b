// SPDX-License-Identifier: Apache-2.0
// Built with --spm-model: the results are those of the plain program, and the report is what modelled.py expects.
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { n = 4096, tile = 64 };
static double from[n], to[n], by_value[n], sum;
static int done[n], comparisons;
__thread_local double buffer[2][tile];

__kernel void discrete(void *argument) {
    const double factor = *(double *)argument;
    forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) to[i] = factor * from[i];
}

// Double buffering by hand.
__kernel void staged(void *argument) {
    (void)argument;
    int got[2] = {0, 0};
    forall (int block = 0; block < n / tile / 2; block++; BLOCK; CCC_ARRAY) {
        const double *pair = from + 2 * block * tile;
        for (int half = 0; half < 2; half++) {
            got[half] = 0;
            dma_iget(buffer[half], pair + half * tile, sizeof buffer[half], &got[half]);
        }
        for (int half = 0; half < 2; half++) {
            dma_wait(&got[half], 1);
            for (int i = 0; i < tile; i++) buffer[half][i] *= 3;
            dma_put(to + (2 * block + half) * tile, buffer[half], sizeof buffer[half]);
        }
    }
}

// Locks, a dynamic loop, meetings: nothing of these may depend on the host.
__kernel void together(void *argument) {
    (void)argument;
    double mine = 0;
    forall (int i = 0; i < n; i++; ANY; CCC_ARRAY) {
        mine += from[i];
        done[i] += 1;
    }
    m_lock(CCC_ARRAY, 1);
    sum += mine;
    m_unlock(CCC_ARRAY, 1);
    m_barrier(CCC_ARRAY);
    double all = 0, one = 1;
    m_allreduce(CCC_ARRAY, &one, &all, 1, M_DOUBLE, M_SUM);
    if (m_rank(CCC_ARRAY) == 0) CHECK(all == m_size(CCC_ARRAY));
}

static int compare(const void *one, const void *other) {
    __atomic_fetch_add(&comparisons, 1, __ATOMIC_RELAXED);
    return *(const double *)one < *(const double *)other ? -1 : 1;
}

// Calls of the C library, one of which calls back.
__kernel void outside(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) != 0) return;
    memcpy(by_value, from, sizeof from);
    qsort(by_value, n, sizeof by_value[0], compare);
}

int main(void) {
    double factor = 2;
    for (int i = 0; i < n; i++) from[i] = n - i;
    m_run(discrete, &factor);
    for (int i = 0; i < n; i++) CHECK(to[i] == 2 * from[i]);
    m_spawn_t first = m_spawn(staged, NULL), second = m_spawn(together, NULL);
    m_join(second);
    m_join(first);
    for (int i = 0; i < n; i++) CHECK(to[i] == 3 * from[i] && done[i] == 1);
    CHECK(sum == n * (n + 1.0) / 2);
    m_run(outside, NULL);
    for (int i = 0; i < n; i++) CHECK(by_value[i] == i + 1);
    CHECK(comparisons > n);
    forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) to[i] = 1;
    for (int i = 0; i < n; i++) CHECK(to[i] == 1);
    return all_checks_passed("modelled");
}
