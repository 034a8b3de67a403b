// SPDX-License-Identifier: Apache-2.0
// A tour of Parallel C in one page: a shared table, a kernel on the accelerator threads, a one-sided message.
//   parcc -O2 tour.c -o tour && parcrun -n 4 ./tour
#include <parallelc.h>
#include <stdio.h>

#define N 4096

static double row[N];         // one per process
node_shared double table[N];  // one per node, seen by all its processes
int arrived;                  // reply word: counts puts that have arrived here

__kernel void scale(void *argument) {
    double factor = *(double *)argument;
    forall (int i = 0; i < N; i++; BLOCK; CCC_ARRAY) row[i] *= factor;
}

int main(void) {
    double factor = 2.0;
    forall (int i = 0; i < N; i++; BLOCK; CCC_NODE) table[i] = i;
    m_barrier(CCC_NODE);
    for (int i = 0; i < N; i++) row[i] = table[i];
    m_run(scale, &factor);
    m_barrier(CCC_ALL);  // every row is scaled before a neighbour overwrites its first half

    int next = (m_rank(CCC_ALL) + 1) % m_size(CCC_ALL);
    m_wait_msg(m_msg_put(next, row, row, sizeof row / 2, &arrived));
    m_wait_reply(&arrived, 1);
    printf("%d of %d: %g\n", m_rank(CCC_ALL), m_size(CCC_ALL), row[1]);
}
