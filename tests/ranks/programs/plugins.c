// SPDX-License-Identifier: Apache-2.0
// A program with plugins: they use its symbols and each other's, libraries that need each other, dlsym in all
// its forms.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "check.h"

int host_counter = 1;
int host_add(int value) {
  return host_counter += value;
}
int ping_calls(void);
int ping(int depth);

// Hides a function of a library, as in any program of its own.
int overridden(void) {
  return 100;
}
int library_calls_overridden(void);

int main(void) {
  const int rank = my_rank();
  CHECK(ping(5) == 0 && ping_calls() == 3);
  CHECK(library_calls_overridden() == 100);
  void* shared = dlopen("./provider.so", RTLD_NOW | RTLD_GLOBAL);
  if (!shared) fprintf(stderr, "%s\n", dlerror());
  CHECK(shared);
  void* plugin = dlopen("./plugin.so", RTLD_NOW);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin && dlopen("./plugin.so", RTLD_LAZY) == plugin);
  int (*run)(int) = (int (*)(int))dlsym(plugin, "plugin_run");
  CHECK(run && !dlsym(plugin, "no_such_name") && dlerror());
  CHECK(run(rank) == 1 + rank + 7 && host_counter == 1 + rank);
  let_others_run();
  CHECK(host_counter == 1 + rank && run(0) == 1 + rank + 7);
  int* constructed = (int*)dlsym(plugin, "plugin_constructed");
  CHECK(constructed && *constructed == 1);
  void* program = dlopen(NULL, RTLD_NOW);
  CHECK(dlsym(program, "host_add") == (void*)host_add && dlsym(RTLD_DEFAULT, "provided") != NULL);
  // Of a shared library that only a library of the program needs.
  CHECK(dlsym(RTLD_DEFAULT, "inet_net_ntop") && dlsym(program, "inet_net_ntop"));
  CHECK(!dlsym(RTLD_NEXT, "host_add"));
  char* (*get)(const char*) = (char* (*)(const char*))dlsym(RTLD_DEFAULT, "getenv");
  CHECK(get && atoi(get("RANK")) == rank);
  CHECK(*(FILE**)dlsym(RTLD_DEFAULT, "stdout") == stdout);
  int (*hidden)(void) = (int (*)(void))dlsym(RTLD_NEXT, "overridden");
  CHECK(hidden && hidden() == 1);
  CHECK(dlclose(plugin) == 0 && host_counter == 1 + rank && dlclose(plugin) == 0 &&
        host_counter == 1001 + rank);
  plugin = dlopen("./plugin.so", RTLD_NOW);
  CHECK(plugin && dlsym(plugin, "plugin_run") && dlmopen(LM_ID_BASE, "./plugin.so", RTLD_NOW) == plugin);
  CHECK(!dlopen("./missing.so", RTLD_NOW) && strstr(dlerror(), "missing.so"));
  void* empty = dlopen("./empty.so", RTLD_NOW);
  if (!empty) fprintf(stderr, "%s\n", dlerror());
  CHECK(empty);
  void* mathematics = dlopen("libm.so.6", RTLD_NOW);
  double (*cosine)(double) = (double (*)(double))dlsym(mathematics, "cos");
  CHECK(mathematics && cosine && cosine(0) == 1);
  printf("rank %d has its plugins\n", rank);
  return 0;
}
