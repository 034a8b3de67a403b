// SPDX-License-Identifier: Apache-2.0
// Tables that all threads read, moved by `parcc --auto-dma` with one broadcast: kernels that are also called as
// functions, by some threads or by themselves, that are spawned, and threads without room. Each result is also
// computed by process code, where nothing is moved.
#include <string.h>

#include "check.h"

enum { n = 4096, wide = 1000 };
static double table[n], vector[wide];
static int at[n];
static double out[n], sums[64];

// Both are cheaper once for all threads than once for each.
__kernel __attribute__((noinline)) void gather(void *argument) {
    const double factor = *(const double *)argument;
    forall (long i = 0; i < n; i++; BLOCK; CCC_ARRAY) out[i] = factor * table[at[i]];
}
__kernel void product(void *argument) {
    (void)argument;
    double sum = 0;
    for (long j = 0; j < wide; j++) sum += vector[j];
    forall (long i = 0; i < 64; i++; BLOCK; CCC_ARRAY) sums[i] = (double)i * sum;
}

// As a function: only some threads come here, so they must not wait for the others.
__kernel void calls(void *argument) {
    if (m_rank(CCC_ARRAY) % 2 == 0) gather(argument);
}

static int depth;
__kernel __attribute__((noinline)) void recursive(void *argument) {
    const long level = (long)argument;
    double sum = 0;
    for (long i = 0; i < n; i++) sum += table[at[i]];
    for (long i = 0; i < n; i++) sum -= 0.5 * table[at[n - 1 - i]];
    forall (long i = 0; i < 64; i++; BLOCK; CCC_ARRAY) sums[i] += level + sum;
    if (level < depth && m_rank(CCC_ARRAY) == 0) recursive((void *)(level + 1));
}

// The scratchpad of the first thread stays full: it takes part and reads main memory.
static void *filled;
__kernel void fill(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) == 0) filled = spm_malloc(spm_available() - 256);
}
__kernel void empty(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) == 0) spm_free(filled);
}

static void check_gather(double factor) {
    for (long i = 0; i < n; i++) CHECK(out[i] == factor * table[at[i]]);
}

static void check_product(void) {
    for (long i = 0; i < 64; i++) {
        double sum = 0;
        for (long j = 0; j < wide; j++) sum += vector[j];
        CHECK(sums[i] == (double)i * sum);
    }
}

int main(void) {
    for (long i = 0; i < n; i++) table[i] = 1.0 / (double)(i + 1), at[i] = (int)(i * 7919 % n);
    for (long i = 0; i < wide; i++) vector[i] = (double)(i % 31) * 0.5;
    double factor = 2;
    for (int round = 0; round < 3; round++) {
        if (round == 1) m_run(fill, NULL);
        if (round == 2) m_run(empty, NULL);
        // What is changed between two kernels is seen by the second.
        table[round] = round * 0.25;
        vector[round] = round * 0.125;
        m_run(gather, &factor);
        check_gather(factor);
        m_run(product, NULL);
        check_product();
    }
    double other = 3;
    const m_spawn_t first = m_spawn(gather, &factor), second = m_spawn(gather, &other);
    CHECK(m_join(first) == M_SUCCESS && m_join(second) == M_SUCCESS);
    check_gather(other);

    memset(out, 0, sizeof out);
    m_run(calls, &factor);
    long made = 0;
    for (long i = 0; i < n; i++) {
        CHECK(out[i] == 0 || out[i] == factor * table[at[i]]);
        made += out[i] != 0;
    }
    CHECK(made > 0);

    depth = 2;
    memset(sums, 0, sizeof sums);
    m_run(recursive, (void *)0);
    double sum = 0;
    for (long i = 0; i < n; i++) sum += table[at[i]];
    for (long i = 0; i < n; i++) sum -= 0.5 * table[at[n - 1 - i]];
    CHECK(sums[63] == (m_size(CCC_ARRAY) == 1 ? 3 * sum + 3 : sum));
    return all_checks_passed("broadcast");
}
