// SPDX-License-Identifier: Apache-2.0
// Scratchpad variables: initial values, one instance per thread, pointers, arrays, static, extern, constant tables.
// RUN: %parallelc -O0 -g -Wall -Wextra -pedantic -Werror %s %inputs/scratchpad_other.c %runtime -o %t.0 && T=3 P=1 %t.0 > %t.txt
// RUN: %check %s < %t.txt
// RUN: %parallelc -O2 %s %inputs/scratchpad_other.c %runtime -o %t.2 && T=3 P=1 %t.2 | cmp - %t.txt
// RUN: %parallelc -fplugin-arg-parallelc-check -DMISUSE -g -O1 %s %inputs/scratchpad_other.c %runtime -o %t.c
// RUN: not-19 %t.c | %check %s --check-prefix=MISUSE
#include <parallelc.h>
#include <stdio.h>

#include "runtime.h"

extern __thread_local int elsewhere[4];
int other_sum(void);
struct pair {
  int a;
  const char *name;
};
__thread_local struct pair pair = {3, "pair"};
static const __thread_local int table[4] = {1, 2, 4, 8};
static __thread_local double zeros[100];
__thread int in_memory = 1;
static char lines[8][80];

static int *address_of(int k) { return &elsewhere[k]; }

__kernel void kernel(void *argument) {
  static __thread_local int local = 10;
  const int t = m_rank(CCC_ARRAY);
  (void)argument;
  for (int i = 0; i <= t; i++) {
    local++;
    pair.a += table[i];
    *address_of(i) += 100;
    zeros[99] += pair.a > 5 ? pair.a : local;
    in_memory++;
  }
  int *where = t == 1 ? &pair.a : &local;
  sprintf(lines[t], "thread %d: %d %s %d %g %d %d %d %d", t, pair.a, pair.name, local, zeros[99], other_sum(), *where,
          in_memory, (int)((unsigned long)&zeros[0] % sizeof(double)));
}

int uses(void) { return pair.a; }

void process_main(void) {
#ifdef MISUSE
  // MISUSE: scratchpad variable used in process code: uses
  printf("%d\n", uses());
#endif
  m_run(kernel, NULL);
  for (int t = 0; t < m_size(CCC_ARRAY); t++) puts(lines[t]);
  // CHECK: thread 0: 4 pair 11 11 110 11 2 0
  // CHECK: thread 1: 6 pair 12 17 210 6 3 0
  // CHECK: thread 2: 10 pair 13 27 310 13 4 0
}
