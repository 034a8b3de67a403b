// SPDX-License-Identifier: Apache-2.0
// Built with --auto-dma: kernels that find what earlier ones have left in the scratchpad compute what process code
// computes, whoever has written it meanwhile and however. kept.py looks at the numbers of transfers.
#include <pthread.h>
#include <string.h>

#include "check.h"

enum { n = 240, rounds = 40, rows = 40, side = 24 };
static double table[64], values[n];
static const double fixed[8] = {1, 0.5, 0.25, 0.125, 3, 5, 7, 11};
static int at[n];
double out[n], expected[n];
static double weight[side][side], left[rows][side];
double product[rows][side];

#define BODY(index) out[index] = table[at[index] & 63] + values[index] * fixed[at[index] & 7]
#define GATHER(name)                                               \
    __kernel void name(void *argument) {                           \
        (void)argument;                                            \
        forall (long i = 0; i < n; i++; BLOCK; CCC_ARRAY) BODY(i); \
    }
GATHER(first)
GATHER(again)
GATHER(after_write)
GATHER(changing)
GATHER(without_room)

// A nest in tiles of its rows, all of which need the same matrix.
#define PRODUCT(name)                                                             \
    __kernel void name(void *argument) {                                          \
        (void)argument;                                                           \
        if (m_rank(CCC_ARRAY) != 0) return;                                       \
        for (long i = 0; i < rows; i++)                                           \
            for (long j = 0; j < side; j++) {                                     \
                double sum = 0;                                                   \
                for (long k = 0; k < side; k++) sum += left[i][k] * weight[k][j]; \
                product[i][j] = sum;                                              \
            }                                                                     \
    }
PRODUCT(product_first)
PRODUCT(product_again)
PRODUCT(product_after_write)

static void check_product(void) {
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < side; j++) {
            double sum = 0;
            for (long k = 0; k < side; k++) sum += left[i][k] * weight[k][j];
            CHECK(product[i][j] == sum);
        }
    memset(product, 0, sizeof product);
}

static void check(void) {
    for (long i = 0; i < n; i++) CHECK(out[i] == table[at[i] & 63] + values[i] * fixed[at[i] & 7]);
    memset(out, 0, sizeof out);
}

static __attribute__((noinline)) void change_one(long k) { values[k % n] += 0.5; }
static __attribute__((noinline)) void change_many(long k) {
    for (long i = 0; i < 64; i++) table[i] = (double)(i * k % 61);
}
static void *of_other_thread(void *argument) {
    change_one((long)argument);
    return NULL;
}

static void change(long k) {
    pthread_t thread;
    switch (k % 7) {
        case 0:
            change_one(k);
            break;
        case 1:
            change_many(k);
            break;
        case 2:
            memset(values + k, 0, 80);
            break;
        case 3:
            memmove(values, values + 17, 1000);
            break;
        case 4:
            at[k] ^= 5;
            break;
        case 5:
            CHECK(pthread_create(&thread, NULL, of_other_thread, (void *)k) == 0);
            CHECK(pthread_join(thread, NULL) == 0);
            break;
        default:
            table[k % 64] = -table[k % 64];
    }
}

// All of the scratchpad: copies make way for it.
__kernel void fill(void *argument) {
    (void)argument;
    const size_t room = spm_available();
    char *all = spm_malloc(room);
    CHECK(all != NULL && room > 3000 && spm_malloc(64) == NULL);
    memset(all, 77, room);
    spm_free(all);
}

int main(void) {
    for (int i = 0; i < n; i++) at[i] = i * 7919, values[i] = i * 0.75;
    for (int i = 0; i < 64; i++) table[i] = 1.0 / (i + 1);
    m_run(first, NULL), check();
    m_run(again, NULL), check();
    table[3] = 8;
    m_run(after_write, NULL), check();
    for (long k = 0; k < rounds; k++) {
        change(k);
        m_run(changing, NULL), check();
        // Two that wait for each other in the queue; the first has left its copies when the second begins.
        const m_spawn_t one = m_spawn(changing, NULL), other = m_spawn(changing, NULL);
        m_join(other), m_join(one);
        check();
    }
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < side; j++) left[i][j] = (double)(i - j), weight[i % side][j] = (double)(i * j % 7);
    m_run(product_first, NULL), check_product();
    m_run(product_again, NULL), check_product();
    weight[3][5] = 17;
    m_run(product_after_write, NULL), check_product();
    m_run(fill, NULL);
    m_run(without_room, NULL), check();
    return all_checks_passed("kept");
}
