// SPDX-License-Identifier: Apache-2.0
// What the autonomic model has no use for, by the file and line of each use.
// RUN: not-19 %parcc --model=autonomic -c %s -o %t.o 2>&1 | %check %s --implicit-check-not=error:
// RUN: not-19 %parcc --model=autonomic -g -c %s -o %t.o 2>&1 | %check %s --implicit-check-not=error:
// RUN: %parcc -c %s -o %t.o
#include <parallelc.h>
extern int a[10];
// CHECK: autonomic.c:[[#@LINE+1]]:15: error: kernel 'k' in the autonomic model, where the program itself runs on the accelerator threads; compile it with --model=accelerated
__kernel void k(void *argument) {
  int copy[10], reply = 0;
  // CHECK: autonomic.c:[[#@LINE+1]]:3: error: 'dma_get' in the autonomic model, whose processes have no accelerator threads of their own; compile it with --model=accelerated
  dma_get(copy, a, sizeof a);
  // CHECK: autonomic.c:[[#@LINE+1]]:3: error: 'dma_iput_stride' in the autonomic model
  dma_iput_stride(a, copy, 8, &reply, 4, 8);
  (void)argument;
}
// CHECK: autonomic.c:[[#@LINE+1]]:20: error: __thread_local variable 'near' in the autonomic model, where the compiler places variables; compile it with --model=accelerated
__thread_local int near[4];
__thread int of_thread;
node_shared int shared[4];
#define SCOPE CCC_ARRAY
int main(void) {
  // CHECK: autonomic.c:[[#@LINE+1]]:3: error: 'm_run' in the autonomic model
  m_run(k, a);
  // CHECK: autonomic.c:[[#@LINE+1]]:17: error: 'm_spawn' in the autonomic model
  m_spawn_t s = m_spawn(k, a);
  // CHECK: autonomic.c:[[#@LINE+1]]:3: error: 'm_join' in the autonomic model
  m_join(s);
  // CHECK: autonomic.c:[[#@LINE+2]]:42: error: 'CCC_ARRAY' in the autonomic model
  // CHECK: autonomic.c:{{[0-9]+}}:15: note: expanded from macro 'SCOPE'
  forall (int i = 0; i < 10; i++; BLOCK; SCOPE) a[i] = i;
  forall (int i = 0; i < 10; i++; BLOCK; CCC_NODE) a[i] = i;
  // CHECK: autonomic.c:[[#@LINE+1]]:17: error: 'CCC_ARRAY' in the autonomic model
  return m_size(CCC_ARRAY) + m_size(CCC_ALL);
}
