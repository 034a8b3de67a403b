// SPDX-License-Identifier: Apache-2.0
// Libraries that are linked to nothing that they use: a library of the system that the program has, each
// other, and what comes with the plugin. LINKED, PLUGIN, FIRST and SECOND are the libraries.
#define _GNU_SOURCE
#if defined LINKED || defined FIRST
#include <math.h>
#endif

#ifdef LINKED
double linked_next(double x) {
  return nextafter(x, 2);
}
extern double lgamma(double) __attribute__((weak));
int linked_has_lgamma(void) {
  return lgamma != 0;
}
#elif defined FIRST
int second_value(void);
static int calls;
int first_value(void) {
  return (nextafter(1, 2) > 1) + second_value();
}
int first_calls(void) {
  return ++calls;
}
#elif defined SECOND
int first_calls(void);
int second_value(void) {
  return 10 * first_calls();
}
#elif defined PLUGIN
int first_value(void);
int plugin_value(void) {
  return first_value();
}
#else
#include <dlfcn.h>
#include <math.h>

#include "check.h"

double linked_next(double x);
int linked_has_lgamma(void);
double volatile angle;

int main(void) {
  CHECK(cos(angle) == 1 && linked_next(1) > 1 && linked_has_lgamma());
  void* plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin && !dlerror());
  int (*value)(void) = (int (*)(void))dlsym(plugin, "plugin_value");
  CHECK(value && value() == 11);
  let_others_run();
  CHECK(value() == 21);
  CHECK(!dlsym(RTLD_DEFAULT, "plugin_value") && dlerror());
  CHECK(dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) == plugin && dlclose(plugin) == 0 &&
        dlclose(plugin) == 0);
  printf("rank %d knows its neighbours\n", my_rank());
  return 0;
}
#endif
