// SPDX-License-Identifier: Apache-2.0
// Finds its variables as in the file, and leaves others in them for the next rank that gets this copy. Linked
// to again_library.c. With -DCOPIES it has its own copies of variables of the C library (COPY relocations),
// which all ranks share otherwise.
#define _GNU_SOURCE
#include <argp.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <string.h>

#include "check.h"

static int zero, zeros[100000];
static long seven = 7, pages[100000] = {1};
static long *const constant = &seven, *to_seven = &seven;
static char text[] = "as it was";
extern int library_variable;  // a program of its own has a copy of both
extern const int* library_constant(void);

int main(void) {
  CHECK(zero == 0 && zeros[0] == 0 && zeros[50000] == 0 && zeros[99999] == 0);
  CHECK(seven == 7 && pages[0] == 1 && pages[50000] == 0 && pages[99999] == 0);
  CHECK(constant == &seven && to_seven == &seven && strcmp(text, "as it was") == 0);
#ifdef COPIES
  CHECK(argp_err_exit_status == 64);
  argp_err_exit_status = my_rank();
#endif
  CHECK(in6addr_loopback.s6_addr[15] == 1);
  CHECK(library_variable == 42 && *library_constant() == 43);
  zero = zeros[0] = zeros[50000] = zeros[99999] = 1;
  seven = 8;
  pages[0] = pages[50000] = pages[99999] = 9;
  to_seven = NULL;
  memset(text, 'x', sizeof text - 1);
  library_variable = my_rank();
  let_others_run();
  CHECK(library_variable == my_rank());
#ifdef COPIES
  CHECK(argp_err_exit_status == my_rank());
#endif
  // What a rank has opened and closed again may be known to its copy, which then is not for another.
  if (my_rank() == 1) {
    void* const opened = dlopen("./opened.so", RTLD_NOW);
    CHECK(opened && dlclose(opened) == 0);
  }
  printf("rank %d has found all as it was in %p\n", my_rank(), (void*)&zero);
  return 0;
}
