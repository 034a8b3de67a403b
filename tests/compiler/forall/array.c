// SPDX-License-Identifier: Apache-2.0
// forall over the accelerator threads: in a kernel, in process code (a region with locals by reference), and with a
// scope known only at run time.
// RUN: %parallelc -O0 -g -Wall -Wextra -Wshadow -pedantic -Werror %s %runtime -o %t.0
// RUN: %parallelc -O2 -g -Wall -Wextra -Wshadow -pedantic -Werror %s %runtime -o %t.2
// RUN: P=2 T=3 %t.0 > %t.0.txt && %check %s < %t.0.txt
// RUN: P=2 T=3 %t.2 > %t.2.txt && cmp %t.0.txt %t.2.txt
// RUN: P=1 T=30 %t.2 | %check %s --check-prefix=MANY
#include "owners.h"

__kernel void kernel(void *argument) {
  const int n = *(int *)argument;
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) take(i);
  forall (int i = n; i < 2 * n; i++; i * i; CCC_ARRAY) take(i);
  forall (int i = 2 * n; i < 3 * n; i++; ANY; CCC_ARRAY) take(i);
  forall (int i = 3 * n; i < 4 * n; i++; ANY; CCC_ARRAY) take(i);
}

static int sum_of(const int *values, int n, m_scope_t scope) {
  int sum = 0;
  forall (int i = 0; i < n; i++; BLOCK; scope) __atomic_fetch_add(&sum, values[i], __ATOMIC_RELAXED);
  return sum;
}

__kernel void sums(void *argument) {
  int values[6] = {1, 2, 3, 4, 5, 6};
  ((int *)argument)[m_rank(CCC_ARRAY)] = sum_of(values, 6, CCC_ARRAY);
}

void process_main(void) {
  int n = 6;
  m_run(kernel, &n);
  int complete = 0;
  for (int i = 0; i < 4 * n; i++) complete += times[i] == 1;
  printf("complete %d\n", complete);
  show("kernel", 2 * n);
  // CHECK: complete 24
  // CHECK: kernel 0: 0:0 1:0 2:1 3:1 4:2 5:2 6:0 7:1 8:1 9:0 10:1 11:1{{$}}
  // MANY: complete 24

  int square[n], total = 0;
  struct { double factor; } local = {2};
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) {
    int own = i * (int)local.factor;
    square[i] = own * own;
    take(i);
    for (;;) {
      if (own == 4) goto skip;
      break;
    }
    switch (own) {
      case 2: break;
      default: total += 0;
    }
  skip:;
  }
  printf("squares %d %d %d %d %d %d\n", square[0], square[1], square[2], square[3], square[4], square[5]);
  show("region", n);
  // CHECK: squares 0 4 16 36 64 100
  // CHECK: region 0: 0:0 1:0 2:1 3:1 4:2 5:2{{$}}
  // MANY: squares 0 4 16 36 64 100
  // MANY: region 0: 0:0 1:1 2:2 3:3 4:4 5:5{{$}}

  if (n > 100)
    take(0);
  else
    forall (int i = 0; i < n; i++; 2 - i; CCC_ARRAY)
      if (i % 2)
        take(i);
      else
        do take(i + 10);
        while (0);
  show("affinity", 20);
  // CHECK: affinity 0: 1:1 3:2 5:0 10:2 12:0 14:1{{$}}

  int values[5] = {1, 10, 100, 1000, 10000};
  printf("scopes %d %d\n", sum_of(values, 5, CCC_ARRAY), sum_of(values, 5, CCC_ALL));
  // CHECK: scopes 11111 111{{$}}

  int parts[64] = {0};
  m_run(sums, parts);
  printf("direct %d %d %d\n", parts[0], parts[1], parts[2]);
  // CHECK: direct 3 7 11

  forall (int i = 0; i < 4; i++; BLOCK; CCC_ALL)
    forall (int j = 0; j < 4; j++; BLOCK(1); CCC_ARRAY) take(4 * i + j);
  show("nested", 16);
  // CHECK: nested 0: 0:0 1:1 2:2 3:0 4:0 5:1 6:2 7:0{{$}}

  long dynamic = 0;
  forall (long i = 10; i != 110; i += 10; ANY; CCC_ARRAY) __atomic_fetch_add(&dynamic, i, __ATOMIC_RELAXED);
  printf("dynamic %ld\n", dynamic);
  // CHECK: dynamic 550
}
// CHECK: scopes 11111 11000
// CHECK: nested 1: 8:0 9:1 10:2 11:0 12:0 13:1 14:2 15:0{{$}}
