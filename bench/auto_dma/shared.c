// SPDX-License-Identifier: Apache-2.0
// A table that all threads read at places that only the run knows: plain, fetched by each thread, broadcast.
// Each line of output is a kernel and a sum over its results; all are equal.
#include <parallelc.h>
#include <stdio.h>

enum { entries = 2048, many = 65536 };
static double table[entries], out[many];
static int index_of[many];
__thread_local double near_table[entries];

// In the kernel itself: in a function, a forall would be a kernel of its own.
#define LOOK_UP(from) forall(long i = 0; i < many; i++; BLOCK; CCC_ARRAY) out[i] = (from)[index_of[i]]

__kernel void plain(void* argument) {
  (void)argument;
  LOOK_UP(table);
}
#ifndef BY_COMPILER
__kernel void each_thread(void* argument) {
  (void)argument;
  dma_get(near_table, table, sizeof near_table);
  LOOK_UP(near_table);
}
__kernel void broadcast(void* argument) {
  (void)argument;
  dma_bcast(near_table, table, sizeof near_table);
  LOOK_UP(near_table);
}
#endif

static double run(void (*kernel)(void*)) {
  for (long i = 0; i < many; i++) out[i] = 0;
  m_run(kernel, NULL);
  double sum = 0;
  for (long i = 0; i < many; i++) sum += out[i] * (double)(i % 7);
  return sum;
}

int main(void) {
  for (long i = 0; i < entries; i++) table[i] = 1.0 / (double)(i + 1);
  for (long i = 0; i < many; i++) index_of[i] = (int)(i * 7919 % entries);
  const double sum = run(plain);
  printf("sum %a\n", sum);
#ifndef BY_COMPILER
  if (run(each_thread) != sum || run(broadcast) != sum) return 1;
#endif
  return 0;
}
