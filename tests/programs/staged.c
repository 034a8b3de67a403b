// SPDX-License-Identifier: Apache-2.0
// Loops moved by parcc --auto-dma leave the same bits as in process code, where none is: vectors with their
// alignment, loops that run down, values handed from tile to tile in memory, an array that overlaps itself.
#include <parallelc.h>
#include <stdio.h>
#include <string.h>

enum { n = 5000 };
typedef double vector __attribute__((vector_size(32)));
static vector from[n], to[n];
static double values[n], expected[n];
static unsigned char bytes[n], expected_bytes[n];

static void work(void) {
    for (long i = 0; i < n; i++) to[i] = from[i] * 2.0;
    for (long i = n - 4; i >= 0; i--) values[i] = values[i + 3] * 0.5 + values[i + 1] + to[i][1];
    for (long i = 3; i < n; i++) values[i] += values[i - 3] * 0.25 + bytes[i];
    for (long i = 0; i < n; i++) bytes[i] = (unsigned char)(bytes[n - 1 - i] + i);
}

static void reset(void) {
    for (int i = 0; i < n; i++) {
        from[i] = to[i] = (vector){i, i + 1, 2, 3};
        values[i] = i % 7;
        bytes[i] = (unsigned char)i;
    }
}

__kernel void kernel(void *argument) {
    (void)argument;
    if (m_rank(CCC_ARRAY) == 0) work();
}

int main(void) {
    reset();
    m_run(kernel, NULL);
    memcpy(expected, values, sizeof values);
    memcpy(expected_bytes, bytes, sizeof bytes);
    reset();
    work();
    const int same = memcmp(expected, values, sizeof values) == 0 && memcmp(expected_bytes, bytes, sizeof bytes) == 0;
    m_barrier(CCC_ALL);
    if (!same || m_rank(CCC_ALL) == 0) puts(same ? "staged: passed" : "staged: results differ");
    return !same;
}
