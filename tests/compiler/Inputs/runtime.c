// SPDX-License-Identifier: Apache-2.0
// A runtime for tests: the contract of parallelc_compiler.h with P process ranks (executed one after the other, each
// calling `process_main`) and T accelerator threads (pthreads). P and T come from the environment, default 3 and 4.
// Every scope of processes is the whole job. Variables are not private to a rank; tests keep that in mind.
#define _GNU_SOURCE
#include <parallelc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../taihu/abi/output_request.h"
#include "runtime.h"

__thread ptrdiff_t taihu_scratchpad_delta;

/* The template: in a test linked by plain clang between the linker's symbols; in a program of parcc (this file is then
   libparallelc.so, compiled with -DLIBRARY) from the descriptor. */
#ifdef LIBRARY
#include "../../../taihu/abi/program.h"
extern const struct taihu_program taihu_program;
#define template_begin taihu_program.scratchpad.begin
#define template_end taihu_program.scratchpad.end
#else
extern char __start_taihu_scratchpad[] __attribute__((weak, visibility("hidden")));
extern char __stop_taihu_scratchpad[] __attribute__((weak, visibility("hidden")));
#define template_begin __start_taihu_scratchpad
#define template_end __stop_taihu_scratchpad
#endif

static int processes = 3, threads = 4, process_rank;
static __thread int thread_rank;
static __thread int on_array;
static __thread unsigned long long dynamic_loops;

enum { MAX_LOOPS = 4096 };
static struct {
  unsigned long long count, next;
} loops[MAX_LOOPS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int test_process(void) { return process_rank; }
int test_thread(void) { return on_array ? thread_rank : -1; }

void taihu_member(int scope, int *rank, int *size) {
  if (scope < 0 || scope > CCC_ARRAY) {
    fprintf(stderr, "no scope: %d\n", scope);
    exit(3);
  }
  *rank = scope == CCC_ARRAY ? thread_rank : process_rank;
  *size = scope == CCC_ARRAY ? threads : processes;
}

int m_rank(m_scope_t scope) {
  int rank, size;
  taihu_member((int)scope, &rank, &size);
  return rank;
}

int m_size(m_scope_t scope) {
  int rank, size;
  taihu_member((int)scope, &rank, &size);
  return size;
}

struct start {
  void (*kernel)(void *);
  void *argument;
  int thread;
};

static void *thread_main(void *argument) {
  const struct start *start = argument;
  const size_t bytes = (size_t)(template_end - template_begin);
  char *scratchpad = NULL;
  thread_rank = start->thread;
  on_array = 1;
  if (posix_memalign((void **)&scratchpad, 4096, bytes + 1)) abort();
  if (bytes) memcpy(scratchpad, template_begin, bytes);
  taihu_scratchpad_delta = scratchpad - template_begin;
  start->kernel(start->argument);
  free(scratchpad);
  return NULL;
}

int m_run(void (*kernel)(void *), void *argument) {
  pthread_t *handles = calloc((size_t)threads, sizeof *handles);
  struct start *starts = calloc((size_t)threads, sizeof *starts);
  memset(loops, 0, sizeof loops);
  for (int i = 0; i < threads; i++) {
    starts[i] = (struct start){kernel, argument, i};
    if (pthread_create(&handles[i], NULL, thread_main, &starts[i])) abort();
  }
  for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
  free(handles);
  free(starts);
  return M_SUCCESS;
}

void taihu_region_run(void (*body)(void *), void *captured, int scope) {
  if (scope == CCC_ARRAY && !on_array)
    m_run(body, captured);
  else
    body(captured);
}

/* Processes run one after the other here: they divide loops as BLOCK does. */
unsigned long long taihu_dynamic_begin(int scope, unsigned long long count) {
  if (scope != CCC_ARRAY) return 0;
  const unsigned long long loop = dynamic_loops++;
  pthread_mutex_lock(&lock);
  loops[loop].count = count;
  pthread_mutex_unlock(&lock);
  return loop + 1;
}

int taihu_dynamic_next(int scope, unsigned long long loop, unsigned long long *first, unsigned long long *length) {
  (void)scope;
  --loop;
  pthread_mutex_lock(&lock);
  const unsigned long long left = loops[loop].count - loops[loop].next;
  *first = loops[loop].next;
  *length = left < 3 ? left : 3;
  loops[loop].next += *length;
  pthread_mutex_unlock(&lock);
  return left != 0;
}

void taihu_forall_failed(const char *reason, long long value) {
  printf("forall: %s %lld\n", reason, value);
  fflush(stdout);
  exit(4);
}

void taihu_proxied_call(const char *name) { (void)name; }
void taihu_output_fence(void) {}

/* Requests are printed at once. */
void taihu_output_call(const struct taihu_output *output, void *stream, ...) {
  va_list values;
  va_start(values, stream);
  FILE *const to = stream ? (FILE *)stream : stdout;
  if (output->format) {
    vfprintf(to, output->format, values);
  } else {
    const void *data = va_arg(values, const void *);
    fwrite(data, 1, va_arg(values, unsigned long), to);
  }
  va_end(values);
}
void taihu_yield_while_waiting(unsigned long long *turns) { (void)turns; }
void taihu_yield_to_others(void) {}

void taihu_scratchpad_check(const char *function) {
  if (on_array) return;
  printf("scratchpad variable used in process code: %s\n", function);
  fflush(stdout);
  exit(5);
}

#ifndef LIBRARY
int main(void) {
  if (getenv("P")) processes = atoi(getenv("P"));
  if (getenv("T")) threads = atoi(getenv("T"));
  for (process_rank = 0; process_rank < processes; process_rank++) process_main();
  return 0;
}
#endif
