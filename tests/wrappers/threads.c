// SPDX-License-Identifier: Apache-2.0
// Threads of a rank, its own and those of OpenMP, see the rank's variables.
// RUN: %macc -O2 -fopenmp -pthread %s -o %t && %marun -n 2 -x OMP_NUM_THREADS=3 %t | FileCheck-19 %s
// RUN: sh -c "`%macc -show` -O2 -fopenmp -pthread -DWITHOUT_THREAD_LOCAL %s -o %t.pie" && %marun -n 2 -x OMP_NUM_THREADS=3 %t.pie | FileCheck-19 %s
// RUN: sh -c "`%macc -show` -O2 -fopenmp -pthread %s -o %t.pie" && not-19 %marun -n 2 %t.pie 2>&1 | FileCheck-19 %s --check-prefix=PIE
// PIE: marun: {{.*}}has thread_local variables at fixed offsets{{.*}}macc
// CHECK-COUNT-2: 3 of 3, pthread saw 7
#include <pthread.h>
#include <stdio.h>

static int variable, counted;
#ifndef WITHOUT_THREAD_LOCAL
static __thread volatile int own = 1;
#else
enum { own = 1 };
#endif

static void *look(void *result) {
  *(int *)result = variable;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int seen = 0, threads = 0;
  variable = 7;
#pragma omp parallel reduction(+ : threads)
  {
    threads += own;
#pragma omp atomic
    counted++;
  }
  pthread_create(&thread, NULL, look, &seen);
  pthread_join(thread, NULL);
  printf("%d of %d, pthread saw %d\n", threads, counted, seen);
}
