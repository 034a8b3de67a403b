/* SPDX-License-Identifier: Apache-2.0
 *
 * The malloc family against its own books: random sizes around the limit of large blocks, from several
 * threads, with blocks handed from thread to thread, over fork, with wrong sizes. Prints "heap_calls:
 * passed". */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { slots = 40, rounds = 300, workers = 4 };

static int failures;

static void check(int holds, const char* what) {
  if (holds) return;
  __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
  printf("check failed: %s\n", what);
}

static unsigned draw(unsigned* state) {
  return *state = *state * 1664525u + 1013904223u;
}

struct slot {
  unsigned char* place;
  size_t bytes;
  unsigned char mark;
};

/* Contents are checked at both ends and at places between. */
static void fill(struct slot* slot) {
  for (size_t i = 0; i < slot->bytes; i += i < 64 ? 1 : 997) slot->place[i] = (unsigned char)(slot->mark + i);
  if (slot->bytes) slot->place[slot->bytes - 1] = slot->mark;
}

static int intact(const struct slot* slot, size_t bytes) {
  for (size_t i = 0; i < bytes; i += i < 64 ? 1 : 997)
    if (i != slot->bytes - 1 && slot->place[i] != (unsigned char)(slot->mark + i)) return 0;
  return bytes < slot->bytes || bytes == 0 || slot->place[bytes - 1] == slot->mark;
}

static size_t any_size(unsigned* state) {
  const unsigned kind = draw(state) >> 16;
  const unsigned size = draw(state) >> 8;
  return kind % 4 == 0 ? size % 100 : kind % 4 == 1 ? size % 70000 : size % 2000000;
}

static void allocate(struct slot* slot, unsigned* state) {
  slot->bytes = any_size(state);
  slot->mark = (unsigned char)draw(state);
  const unsigned how = (draw(state) >> 16) % 5;
  if (how == 0) {
    slot->place = calloc(1, slot->bytes);
    for (size_t i = 0; i < slot->bytes; i += 61) check(slot->place[i] == 0, "calloc clears");
  } else if (how == 1) {
    void* place = NULL;
    check(posix_memalign(&place, 4096, slot->bytes) == 0 && (uintptr_t)place % 4096 == 0, "posix_memalign");
    slot->place = place;
  } else if (how == 2) {
    slot->place = aligned_alloc(64, (slot->bytes + 63) / 64 * 64);
    check((uintptr_t)slot->place % 64 == 0, "aligned_alloc");
  } else {
    slot->place = malloc(slot->bytes);
  }
  check(slot->place != NULL || slot->bytes == 0, "allocation");
  check(slot->place == NULL || malloc_usable_size(slot->place) >= slot->bytes, "malloc_usable_size");
  if (slot->place)
    fill(slot);
  else
    slot->bytes = 0;
}

static void change(struct slot* slot, unsigned* state) {
  const size_t bytes = any_size(state) + 1;
  unsigned char* moved = realloc(slot->place, bytes);
  check(moved != NULL, "realloc");
  const size_t kept = bytes < slot->bytes ? bytes : slot->bytes;
  slot->place = moved;
  if (bytes >= slot->bytes)
    check(intact(slot, kept), "realloc keeps the contents");
  else
    check(intact(slot, kept), "realloc keeps the first contents");
  slot->bytes = bytes;
  fill(slot);
}

/* One table of blocks that all threads change, so most blocks are freed by another thread than made them. */
static struct slot table[slots];
static pthread_mutex_t locks[slots];

static void* work(void* argument) {
  unsigned state = (unsigned)(uintptr_t)argument * 77 + 3;
  for (int round = 0; round < rounds; round++) {
    const unsigned i = (draw(&state) >> 16) % slots;
    pthread_mutex_lock(&locks[i]);
    struct slot* slot = &table[i];
    if (!slot->place)
      allocate(slot, &state);
    else {
      check(intact(slot, slot->bytes), "contents");
      if ((draw(&state) >> 16) % 3 == 0)
        change(slot, &state);
      else {
        free(slot->place);
        slot->place = NULL;
      }
    }
    pthread_mutex_unlock(&locks[i]);
  }
  return NULL;
}

static void check_wrong_sizes(void) {
  volatile size_t huge = SIZE_MAX;
  errno = 0;
  check(malloc(huge - 4096) == NULL && errno == ENOMEM, "malloc of nearly everything");
  check(calloc(huge / 2, 4) == NULL, "calloc that overflows");
  check(reallocarray(NULL, huge / 2, 4) == NULL, "reallocarray that overflows");
  void* place = (void*)8;
  check(posix_memalign(&place, 24, 1 << 20) == EINVAL && place == (void*)8,
        "alignment that is no power of two");
  void *block = malloc(3 << 20), *other = realloc(block, huge / 2);
  check(other == NULL, "realloc to too much");
  if (!other) free(block);
  free(NULL);
}

/* Growth by small steps must neither lose contents nor take forever. */
static void check_growth(void) {
  unsigned char* place = NULL;
  size_t bytes = 0;
  for (int step = 0; step < 700; step++) {
    place = realloc(place, bytes + 5000);
    memset(place + bytes, step & 0xff, 5000);
    bytes += 5000;
  }
  for (int step = 0; step < 700; step++)
    check(place[(size_t)step * 5000 + 17] == (step & 0xff), "growing block");
  free(place);
}

static void check_fork(void) {
  pthread_t threads[workers];
  for (uintptr_t i = 0; i < workers; i++) pthread_create(&threads[i], NULL, work, (void*)(i + 100));
  for (int i = 0; i < 10; i++) {
    const pid_t child = fork();
    if (child == 0) {
      unsigned char* place = malloc(1 << 20);
      memset(place, 7, 1 << 20);
      free(place);
      _exit(place ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    check(status == 0, "child of a fork");
  }
  for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
}

int main(void) {
  for (int i = 0; i < slots; i++) pthread_mutex_init(&locks[i], NULL);
  pthread_t threads[workers];
  for (uintptr_t i = 0; i < workers; i++) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
  check_wrong_sizes();
  check_growth();
  check_fork();
  for (int i = 0; i < slots; i++) free(table[i].place);
  if (failures == 0) printf("heap_calls: passed\n");
  return failures != 0;
}
