// SPDX-License-Identifier: Apache-2.0
// Sets all variables of all parts to values of this rank, lets the others do the same, and looks again; also
// from a thread and, with -fopenmp, from a team. argv[1]: the library to open.
#include <dlfcn.h>
#include <pthread.h>

#include "check.h"
#define PART program
#ifdef NO_PROGRAM_THREAD_LOCAL
#define NO_THREAD_LOCAL
#endif
#include "privacy_part.c"
#undef PART
#ifdef _OPENMP
#include <omp.h>
#endif

C_NAME void linked_set(int value);
C_NAME int linked_same(int value);
C_NAME int linked_plain_same(int value);
C_NAME int linked_thread_is_fresh(void);
C_NAME int linked_shown;
#ifndef NO_LINKED_THREAD_LOCAL
C_NAME PER_THREAD int linked_thread_shown;
#endif

typedef void (*Set)(int);
typedef int (*Same)(int);
typedef int (*Fresh)(void);
static Set opened_set;
static Same opened_same, opened_plain_same;
static Fresh opened_fresh;
static int* opened_shown;

static int plain_same(int value) {
  return program_plain_same(value) && linked_plain_same(value) && opened_plain_same(value) &&
         linked_shown == value && *opened_shown == value;
}

static void* look(void* place) {
  const int value = *(int*)place;
  CHECK(plain_same(value));
  CHECK(program_thread_is_fresh() && linked_thread_is_fresh() && opened_fresh());
  CHECK(my_rank() == value / 1000 - 1);
  return NULL;
}

int main(int count, char** words) {
  CHECK(count == 2);
  void* library = dlopen(words[1], RTLD_NOW);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  opened_set = (Set)dlsym(library, "opened_set");
  opened_same = (Same)dlsym(library, "opened_same");
  opened_plain_same = (Same)dlsym(library, "opened_plain_same");
  opened_fresh = (Fresh)dlsym(library, "opened_thread_is_fresh");
  opened_shown = (int*)dlsym(library, "opened_shown");
  CHECK(opened_set && opened_same && opened_shown && *opened_shown == 11 && linked_shown == 11);
  for (int round = 0; round < 20; ++round) {
    int value = 1000 * (my_rank() + 1) + 10 * round;
    program_set(value);
    linked_set(value);
    opened_set(value);
    usleep(200);
    CHECK(plain_same(value));
    CHECK(program_same(value) && linked_same(value) && opened_same(value));
#ifndef NO_LINKED_THREAD_LOCAL
    CHECK(linked_thread_shown == value + 3);
#endif
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, look, &value) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
#ifdef _OPENMP
    int right = 0;
#pragma omp parallel num_threads(3) reduction(+ : right)
    right += plain_same(value) && my_rank() == value / 1000 - 1;
    CHECK(right == 3);
#endif
  }
  printf("rank %d is private\n", my_rank());
  return 0;
}
