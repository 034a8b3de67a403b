// SPDX-License-Identifier: Apache-2.0
// Thread-local variables of a library that the program, the library itself and others reach at fixed
// distances. With -DLIBRARY: that library; with -DPLUGIN: one that the program opens.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#include "check.h"

#ifndef MORE_BYTES
#define MORE_BYTES 100
#endif

static volatile __thread char more[MORE_BYTES];
extern __thread long lent;
extern __thread int* pointed_to;
int* pointed_in_library(void);
int next_hidden(void);
int next_plain(void);
int is_aligned(void);

#if defined(LIBRARY)
__thread long lent = 31;
static int pointed = 5;
__thread int* pointed_to = &pointed;  // needs a relocation
static __thread int hidden = 40;
static __thread int plain;
static volatile __thread _Alignas(64) char aligned[64] = "aligned";

int* pointed_in_library(void) {
  return &pointed;
}

int next_hidden(void) {
  return hidden++;
}

int next_plain(void) {
  plain += more[MORE_BYTES - 1] + 1;
  return plain;
}

int is_aligned(void) {
  return (uintptr_t)aligned % 64 == 0 && aligned[0] == 'a';
}
#elif defined(PLUGIN)
long borrow(void) {
  return lent++;
}
#else
static __thread int own = 3;
static long (*borrow)(void);

static void* use(void* argument) {
  const int thread = *(int*)argument;
  CHECK(own == 3 && more[MORE_BYTES - 1] == 0 && lent == 31 && pointed_to == pointed_in_library() &&
        *pointed_to == 5 && is_aligned());
  for (int round = 0; round < 8; ++round) {
    own = 100 * my_rank() + 10 * thread + round;
    CHECK(next_hidden() == 40 + round && next_plain() == round + 1);
    let_others_run();
    CHECK(borrow() == 31 + round && lent == 32 + round);
    CHECK(dlsym(RTLD_DEFAULT, "lent") == &lent && dlsym(RTLD_DEFAULT, "pointed_to") == &pointed_to);
    CHECK(own == 100 * my_rank() + 10 * thread + round);
  }
  pointed_to = &own;
  return NULL;
}

int main(void) {
  enum { threads = 3 };
  pthread_t thread[threads];
  int number[threads + 1] = {0, 1, 2, 3};
  void* const plugin = dlopen("./plugin.so", RTLD_NOW);
  if (plugin == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin != NULL);
  borrow = (long (*)(void))dlsym(plugin, "borrow");
  CHECK(borrow != NULL);
  for (int i = 0; i < threads; ++i) CHECK(pthread_create(&thread[i], NULL, use, &number[i + 1]) == 0);
  use(&number[0]);
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(thread[i], NULL) == 0);
  CHECK(*pointed_in_library() == 5 && pointed_to == &own);
  printf("rank %d has borrowed\n", my_rank());
  return 0;
}
#endif
