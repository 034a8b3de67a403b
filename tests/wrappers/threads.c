// SPDX-License-Identifier: Apache-2.0
// Threads of a rank, its own and those of OpenMP, see the rank's variables.
// RUN: %macc -O2 -fopenmp -pthread %s -o %t && %marun -n 2 -x OMP_NUM_THREADS=3 %t | FileCheck-19 %s
// RUN: sh -c "`%macc -show` -O2 -fopenmp -pthread %s -o %t.pie" && %marun -n 2 -x OMP_NUM_THREADS=3 %t.pie | FileCheck-19 %s
// CHECK-COUNT-2: 3 of 3, pthread saw 7
#include <pthread.h>
#include <stdio.h>

static int variable, counted;
static __thread volatile int own = 1;

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
