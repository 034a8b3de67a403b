// SPDX-License-Identifier: Apache-2.0
// A program that loads the heap itself, uses it in a thread together with its own malloc, and closes it
// before that thread ends: what the heap does at the end of a thread must still be there.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* library;

static void* use(void* unused) {
  void* (*allocate)(size_t) = (void* (*)(size_t))dlsym(library, "malloc");
  void (*release)(void*) = (void (*)(void*))dlsym(library, "free");
  for (size_t bytes = 1; bytes < (size_t)8 << 20; bytes += bytes / 2 + 1) {
    char* block = allocate(bytes);
    char* own = malloc(bytes);
    memset(block, 1, bytes);
    memset(own, 2, bytes);
    if (block[bytes - 1] != 1) abort();
    release(block);
    free(own);
  }
  dlclose(library);
  return unused;
}

int main(int argc, char** argv) {
  library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "unload: %s\n", argc == 2 ? dlerror() : "usage: unload LIBRARY");
    return 2;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
  pthread_join(thread, NULL);
  puts("unload: passed");
  return 0;
}
