// SPDX-License-Identifier: Apache-2.0
// A program that plugins extend through libraries in a folder of the system, as modules extend an
// interpreter: of such a library each rank needs its own. The libraries are chosen by -D.
#ifdef EXTENSION
extern int host_counter;
int count_for_host(int value) {
  return host_counter += value;
}
#elif defined ABOVE
int count_for_host(int value);
int count_twice(int value) {
  count_for_host(value);
  return count_for_host(value);
}
#elif defined PLUGIN
int count_twice(int value);
int plugin_run(int value) {
  return count_twice(value);
}
#elif defined STATE
static int told;
int tell(int value) {
  return told += value;
}
#elif defined TELLS
int tell(int value);
int tell_through(int value) {
  return tell(value);
}
#elif defined LINKED
static int uses;
int use_linked(void) {
  return ++uses;
}
#else
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

int host_counter;
int use_linked(void);
int tell(int value);
int tell_through(int value);

int main(void) {
  const int rank = my_rank();
  void* plugin = dlopen("./plugin.so", RTLD_NOW);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin);
  int (*run)(int) = (int (*)(int))dlsym(plugin, "plugin_run");
  CHECK(run && run(rank + 1) == 2 * rank + 2);
  let_others_run();
  CHECK(host_counter == 2 * rank + 2 && run(1) == 2 * rank + 4);
  // By its name alone, and one that is there.
  void* extension = dlopen("libextension.so.1", RTLD_NOW);
  CHECK(extension && dlopen("libextension.so.1", RTLD_NOW | RTLD_NOLOAD) == extension);
  int (*count)(int) = (int (*)(int))dlsym(extension, "count_for_host");
  CHECK(count && count(0) == host_counter);
  // What it tells a library with a rank's state, itself and through another library, is its own.
  CHECK(tell(rank) == rank);
  let_others_run();
  CHECK(tell_through(1) == rank + 1 && tell(0) == rank + 1);
  CHECK(!dlopen("libmissing.so.1", RTLD_NOW) && strstr(dlerror(), "libmissing.so.1"));
  CHECK(!dlopen("libmissing.so.1", RTLD_NOW | RTLD_NOLOAD));
  // A library of the system that needs nobody is one for all ranks.
  printf("rank %d is extended, its library at %p\n", rank, (void*)(uintptr_t)use_linked);
  return 0;
}
#endif
