// SPDX-License-Identifier: Apache-2.0
// Thread-local variables of an executable: each thread begins with the values of the file, its own address of
// what they point to included, and with zeros behind them. With -DLIBRARY: a library that uses one of them.
#ifdef LIBRARY
extern __thread long lent;
long borrow(void) {
  return lent++;
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "check.h"

long borrow(void);

__thread long lent = 31;
static int pointed = 5;
static __thread int value = 7;
static __thread int* pointer = &pointed;  // needs a relocation
static __thread char zeros[3001];
static __thread _Alignas(64) char aligned[64] = "aligned";

static int is_fresh(void) {
  for (unsigned i = 0; i < sizeof zeros; ++i)
    if (zeros[i] != 0) return 0;
  return value == 7 && pointer == &pointed && lent == 31 && aligned[0] == 'a' && (uintptr_t)aligned % 64 == 0;
}

static void change(int to) {
  value = to;
  pointer = &value;
  aligned[0] = 'A';
  for (unsigned i = 0; i < sizeof zeros; ++i) zeros[i] = (char)to;
}

static int is_changed(int to) {
  for (unsigned i = 0; i < sizeof zeros; ++i)
    if (zeros[i] != (char)to) return 0;
  return value == to && pointer == &value && aligned[0] == 'A';
}

static void* use(void* number) {
  CHECK(is_fresh());
  for (int round = 0; round < 10; ++round) {
    const int to = 100 * my_rank() + 10 * *(int*)number + round + 8;
    change(to);
    let_others_run();
    CHECK(is_changed(to));
    CHECK(borrow() == 31 + round && lent == 32 + round && dlsym(RTLD_DEFAULT, "lent") == &lent);
  }
  return NULL;
}

static volatile int called_as;

static void note_call(union sigval value) {
  CHECK(is_fresh() && value.sival_int == 9);
  called_as = my_rank() + 1;
}

// On a thread that the C library makes.
static void check_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 9};
  event.sigev_notify_function = note_call;
  const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
  for (int k = 0; k < 5000 && called_as == 0; ++k) usleep(2000);
  CHECK(called_as == my_rank() + 1 && timer_delete(timer) == 0);
}

int main(void) {
  enum { threads = 3 };
  pthread_t thread[threads];
  int number[threads];
  CHECK(is_fresh());
  for (int i = 0; i < threads; ++i) {
    number[i] = i + 1;
    CHECK(pthread_create(&thread[i], NULL, use, &number[i]) == 0);
  }
  int zero = 0;
  use(&zero);
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  check_timer();
  CHECK(pointed == 5 && is_changed(100 * my_rank() + 17));
#ifdef _OPENMP
  int fresh = 0;
#pragma omp parallel num_threads(3) reduction(+ : fresh)
  fresh += is_fresh();
  CHECK(fresh == 2);  // all but the first thread
#endif
  printf("rank %d has its own\n", my_rank());
  return 0;
}
#endif
