// SPDX-License-Identifier: Apache-2.0
// Which of several files with one name is found: by a library that needs it, and by one that opens it.
// -DVALUE gives such a file, -DMIDDLE the library that uses them.
#ifdef VALUE
int value(void) {
  return VALUE;
}
#elif defined MIDDLE
#include <dlfcn.h>

int value(void);
int needed_value(void) {
  return value();
}
int opened_value(void) {
  void* library = dlopen("libopened.so", RTLD_NOW);
  return library ? ((int (*)(void))dlsym(library, "value"))() : -1;
}
#else
#include <stdio.h>

int needed_value(void);
int opened_value(void);

int main(void) {
  printf("needed %d opened %d\n", needed_value(), opened_value());
  return 0;
}
#endif
