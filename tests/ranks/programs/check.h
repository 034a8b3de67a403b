// SPDX-License-Identifier: Apache-2.0
// Checks for the programs that run as ranks. A failed check names itself and ends the rank with status 1.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(condition)                                                                                \
  do {                                                                                                  \
    if (!(condition)) {                                                                                 \
      fprintf(stderr, "%s:%d: rank %d: %s does not hold\n", __FILE__, __LINE__, my_rank(), #condition); \
      exit(1);                                                                                          \
    }                                                                                                   \
  } while (0)

static inline int my_rank(void) {
  const char* text = getenv("RANK");
  return text ? atoi(text) : 0;
}

// Lets the other ranks run and overwrite what is not private.
static inline void let_others_run(void) {
  usleep(3000);
}
