// SPDX-License-Identifier: Apache-2.0
// 64 accelerator threads print a line with ten arguments 100 times each, in turns: each by the thread itself,
// as the runtime does it; and through a queue, where the threads put their arguments and process code, which
// prints, is the proxy that the paper's machine has (each thread then waits until its line is printed, as a
// call does). To standard output, which `run` checks; times on standard error: the least of many rounds.
#include <parallelc.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { lines = 100, rounds = 15, most = 256 };

// One place for a request of each thread.
static struct request {
  _Alignas(64) int full; /* 2 i + 1: holds line i; 2 i + 2: line i is printed */
  int thread, line, a[4];
  double x[4];
} requests[most];
static int running;

static void print_line(const struct request* r) {
  printf("%d %d %d %d %d %d %g %g %g %g\n", r->thread, r->line, r->a[0], r->a[1], r->a[2], r->a[3], r->x[0],
         r->x[1], r->x[2], r->x[3]);
}

static struct request request_of(int thread, int line) {
  return (struct request){
      0, thread, line, {line, line + 1, line + 2, line + 3}, {0.5 * line, 1.5, 2.5, thread / 4.0}};
}

__kernel void direct(void* argument) {
  (void)argument;
  const int thread = m_rank(CCC_ARRAY);
  for (int i = 0; i < lines; i++) {
    const struct request request = request_of(thread, i);
    print_line(&request);
  }
}

__kernel void queued(void* argument) {
  (void)argument;
  const int thread = m_rank(CCC_ARRAY);
  for (int i = 0; i < lines; i++) {
    struct request request = request_of(thread, i);
    memcpy(&requests[thread].thread, &request.thread, sizeof request - offsetof(struct request, thread));
    __atomic_store_n(&requests[thread].full, 2 * i + 1, __ATOMIC_RELEASE);
    m_wait_reply(&requests[thread].full, 2 * i + 2);
  }
  __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
}

static void serve(int threads) {
  while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) > 0) {
    int found = 0;
    for (int t = 0; t < threads; t++) {
      const int full = __atomic_load_n(&requests[t].full, __ATOMIC_ACQUIRE);
      if (full % 2 == 0) continue;
      print_line(&requests[t]);
      m_msg_put_wait(m_rank(CCC_ALL), NULL, NULL, 0, &requests[t].full);  // tells the thread
      found = 1;
    }
    if (!found) sched_yield();
  }
}

int main(void) {
  const int threads = m_size(CCC_ARRAY);
  double own = 1e9, queue = 1e9;
  for (int round = 0; round < rounds; round++) {
    double begin = m_wtime();
    m_run(direct, NULL);
    fflush(stdout);
    double time = m_wtime() - begin;
    own = time < own ? time : own;
    for (int t = 0; t < threads; t++) requests[t].full = 0;
    running = threads;
    begin = m_wtime();
    m_spawn_t spawned = m_spawn(queued, NULL);
    serve(threads);
    m_join(spawned);
    fflush(stdout);
    time = m_wtime() - begin;
    queue = time < queue ? time : queue;
  }
  const double calls = 1.0 * threads * lines;
  fprintf(stderr,
          "%d threads, %d lines each: by the thread itself %.0f ns a line, by a queue to process code %.0f "
          "ns, ratio "
          "%.1f\n",
          threads, lines, own / calls * 1e9, queue / calls * 1e9, queue / own);
  return 0;
}
