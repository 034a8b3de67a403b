// SPDX-License-Identifier: Apache-2.0
// What it would cost to place the variables of ranks in memory that other node processes map, as memory of
// m_malloc is: the first touch of pages, and fork, where the child needs a copy of shared memory at once.
// Private memory and a memfd in turns, the best of all turns; contents are checked.
//   cc -O2 bench/put/shared_variables.c -o shared_variables && ./shared_variables
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { turns = 7, page = 4096, private_memory = 0, shared_memory = 1 };
static const size_t bytes = (size_t)192 << 20;
static double best[2][2];
static const char* const what[] = {"first touch", "fork"};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void keep(int row, int kind, double time) {
  if (best[row][kind] == 0 || time < best[row][kind]) best[row][kind] = time;
}

static void check(int holds, const char* problem) {
  if (holds) return;
  fprintf(stderr, "shared_variables: %s\n", problem);
  exit(1);
}

static char* memory_of(int kind) {
  int fd = -1;
  if (kind == shared_memory) {
    fd = memfd_create("variables", MFD_CLOEXEC);
    check(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0, "no object of shared memory");
  }
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      kind == shared_memory ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
  check(memory != MAP_FAILED, "no memory");
  if (fd >= 0) close(fd);
  return memory;
}

static void touch(int kind) {
  char* memory = memory_of(kind);
  const double begin = now();
  for (size_t at = 0; at < bytes; at += page) memory[at] = 1;
  keep(0, kind, now() - begin);
  munmap(memory, bytes);
}

static void fork_once(int kind) {
  char* memory = memory_of(kind);
  memset(memory, 7, bytes);
  const double begin = now();
  const pid_t child = fork();
  if (child == 0) {
    if (kind == shared_memory) {  // a copy of its own, in the same place
      char* copy = memory_of(private_memory);
      memcpy(copy, memory, bytes);
      if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, memory) != memory) _exit(1);
    }
    _exit(memory[bytes - 1] == 7 ? 0 : 1);
  }
  int status = 1;
  check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "the child has no copy");
  keep(1, kind, now() - begin);
  munmap(memory, bytes);
}

int main(void) {
  for (int turn = 0; turn < turns; turn++)
    for (int kind = 0; kind < 2; kind++) {
      touch(kind);
      fork_once(kind);
    }
  printf("%zu MB; ms in private memory, in a memfd, ratio\n", bytes >> 20);
  for (int row = 0; row < 2; row++)
    printf("%-12s %9.2f %9.2f %6.2f\n", what[row], 1e3 * best[row][0], 1e3 * best[row][1],
           best[row][1] / best[row][0]);
  return 0;
}
