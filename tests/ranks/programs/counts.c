// SPDX-License-Identifier: Apache-2.0
// A program with a library that counts; -DLIBRARY gives the library.
#ifdef LIBRARY
static int counter;
int count(void) {
  return ++counter;
}
#else
#include "check.h"

int count(void);

int main(void) {
  for (int i = 1; i <= 4; ++i) {
    CHECK(count() == i);
    let_others_run();
  }
  return 0;
}
#endif
