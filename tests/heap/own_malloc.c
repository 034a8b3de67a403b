// SPDX-License-Identifier: Apache-2.0
// A program of several ranks that brings its own malloc: one with memory of its own (ARENA), one that goes on
// to the C library's by its other names (LIBC) or by the next of the same name (NEXT), or a library (LINKED).
// Its own calls must be used, and what the C library has allocated for it must go back to where it came from.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARENA
static _Alignas(16) char arena[1 << 20];
static size_t used;
static int mine(const void* block) {
  return (const char*)block >= arena && (const char*)block < arena + sizeof arena;
}
void* malloc(size_t bytes) {
  if (bytes > sizeof arena - used - 32) return NULL;
  size_t* block = (size_t*)(arena + used);
  used += 16 + (bytes + 15) / 16 * 16;
  block[0] = bytes;
  return block + 2;
}
void free(void* block) {
  if (block != NULL && !mine(block)) abort();
}
void* realloc(void* block, size_t bytes) {
  void* moved = malloc(bytes);
  const size_t before = block != NULL ? ((size_t*)block)[-2] : 0;
  if (moved != NULL && block != NULL) memcpy(moved, block, before < bytes ? before : bytes);
  return moved;
}
void* calloc(size_t count, size_t size) {
  return malloc(count * size);
}
#elif !defined(LINKED)
static int allocated, freed;
#ifdef LIBC
void* __libc_malloc(size_t bytes);
void __libc_free(void* block);
#define next_malloc __libc_malloc
#define next_free __libc_free
#else
static void* next_malloc(size_t bytes) {
  return ((void* (*)(size_t))dlsym(RTLD_NEXT, "malloc"))(bytes);
}
static void next_free(void* block) {
  ((void (*)(void*))dlsym(RTLD_NEXT, "free"))(block);
}
#endif
void* malloc(size_t bytes) {
  ++allocated;
  return next_malloc(bytes);
}
void free(void* block) {
  ++freed;
  next_free(block);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int sum = 0, one = 1, ranks = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* block = malloc(100);
  memset(block, 1, 100);
#ifdef ARENA
  int right = mine(block) && mine(block = realloc(block, 1000)) && block[99] == 1;
  free(block);
#elif defined(LINKED)
  // All calls of the process: also those that the C library makes for strdup().
  Dl_info of_malloc, of_free;
  int right = dladdr(dlsym(RTLD_DEFAULT, "malloc"), &of_malloc) &&
              dladdr(dlsym(RTLD_DEFAULT, "free"), &of_free) && strstr(of_malloc.dli_fname, "tcmalloc") &&
              strstr(of_free.dli_fname, "tcmalloc");
  free(block);
  free(strdup("tcmalloc's"));
#else
  free(block);
  const int before = freed;
  for (int i = 0; i < 1000; ++i) free(strdup("a word that the C library has allocated"));
  int right = allocated > 0 && freed == before + 1000;
#endif
  if (!right || sum != ranks) {
    printf("own malloc: not used\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  printf("own malloc: passed\n");
  return 0;
}
