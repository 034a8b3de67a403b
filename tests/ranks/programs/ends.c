// SPDX-License-Identifier: Apache-2.0
// Ways in which a rank ends; rank 0 always returns from main long after. words[1] says how the others do.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "check.h"

static void say(const char* text) {
  printf("rank %d: %s\n", my_rank(), text);
}
static void handler_a(void) {
  say("a");
}
static void handler_b(void) {
  say("b");
}
static void with_status(int status, void* text) {
  printf("rank %d: %s %d\n", my_rank(), (char*)text, status);
}
static void quick(void) {
  say("quick");
}
__attribute__((destructor)) static void last(void) {
  say("last");
}

static void* end_from_thread(void* unused) {
  (void)unused;
  exit(9);
}

static void* work_on(void* unused) {
  usleep(20000);
  say("thread done");
  return unused;
}

static volatile sig_atomic_t caught;
static void catch_signal(int signal) {
  caught = signal;
}

// All ranks but the first handle the signal that somebody sends to the process.
static int wait_for_signal(void) {
  if (my_rank() == 0) return 0;
  for (int i = 0; i < 500 && !caught; ++i) usleep(10000);
  return caught == SIGUSR1 ? 0 : 1;
}

__attribute__((constructor)) static void handle_early(void) {
  if (my_rank() != 0) signal(SIGUSR1, catch_signal);
}

int main(int count, char** words) {
  CHECK(count == 2);
  const char* how = words[1];
  pthread_t thread;
  atexit(handler_a);
  on_exit(with_status, (void*)"status");
  atexit(handler_b);
  at_quick_exit(quick);
  if (!strcmp(how, "signal")) return wait_for_signal();
  if (my_rank() == 0) {
    usleep(50000);
    return 0;
  }
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "return")) return 4;
  if (!strcmp(how, "_exit")) _exit(5);
  if (!strcmp(how, "quick_exit")) quick_exit(6);
  if (!strcmp(how, "big")) exit(0x107);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "assert")) CHECK(0);
  if (!strcmp(how, "crash")) *(volatile int*)8 = 1;
  if (!strcmp(how, "overflow")) {
    volatile char big[1 << 20];
    for (;;) {
      big[0] = 1;
      main(count, words);
    }
  }
  if (!strcmp(how, "thread")) {
    pthread_create(&thread, NULL, end_from_thread, NULL);
    pthread_join(thread, NULL);
    say("joined");
    return 0;
  }
  if (!strcmp(how, "pthread_exit")) {
    pthread_create(&thread, NULL, work_on, NULL);
    pthread_exit(NULL);
  }
  return 1;
}
