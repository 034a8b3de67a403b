// SPDX-License-Identifier: Apache-2.0
#include "privacy_part.h"

C_NAME int NAME(shown);
C_NAME void NAME(set)(int value);
C_NAME int NAME(same)(int value);
C_NAME int NAME(plain_same)(int value);
C_NAME int NAME(thread_is_fresh)(void);

int NAME(shown) = 11;
static int hidden = 12;
static int* const pointers[] = {&NAME(shown), &hidden};

#ifndef NO_THREAD_LOCAL
C_NAME PER_THREAD int NAME(thread_shown);
PER_THREAD int NAME(thread_shown) = 21;
static PER_THREAD int thread_hidden = 22;
#endif

static int* local_place(void) {
  static int local = 13;
  return &local;
}

#ifndef NO_THREAD_LOCAL
static int* thread_local_place(void) {
  static PER_THREAD int local = 23;
  return &local;
}
#endif

void NAME(set)(int value) {
  NAME(shown) = value;
  hidden = value + 1;
  *local_place() = value + 2;
#ifndef NO_THREAD_LOCAL
  NAME(thread_shown) = value + 3;
  thread_hidden = value + 4;
  *thread_local_place() = value + 5;
#endif
}

int NAME(plain_same)(int value) {
  return NAME(shown) == value && hidden == value + 1 && *local_place() == value + 2 &&
         *pointers[0] == value && *pointers[1] == value + 1;
}

int NAME(same)(int value) {
#ifndef NO_THREAD_LOCAL
  if (NAME(thread_shown) != value + 3 || thread_hidden != value + 4 || *thread_local_place() != value + 5)
    return 0;
#endif
  return NAME(plain_same)(value);
}

int NAME(thread_is_fresh)(void) {
#ifndef NO_THREAD_LOCAL
  return NAME(thread_shown) == 21 && thread_hidden == 22 && *thread_local_place() == 23;
#else
  return 1;
#endif
}
