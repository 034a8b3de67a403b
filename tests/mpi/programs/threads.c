// SPDX-License-Identifier: Apache-2.0
// Several threads of every rank in MPI at once: messages, requests, collectives on communicators of their
// own. Globals of the rank are seen by its threads.
#include <pthread.h>

#include "check.h"

enum { threads = 4, rounds = 300 };
static MPI_Comm own[threads];
static int seen_by_threads;

static void* work(void* argument) {
  const int thread = (int)(long)argument, to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  CHECK(seen_by_threads == rank + 1);
  for (int k = 0; k < rounds; ++k) {
    int out[200], in[200], sum = 0;
    const int count = k % 3 == 0 ? 200 : 1;
    for (int i = 0; i < count; ++i) out[i] = rank * 1000 + thread * 100 + k + i;
    MPI_Sendrecv(out, count, MPI_INT, to, thread, in, count, MPI_INT, from, thread, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) CHECK(in[i] == from * 1000 + thread * 100 + k + i);
    if (k % 10 == 0) {
      MPI_Allreduce(&thread, &sum, 1, MPI_INT, MPI_SUM, own[thread]);
      CHECK(sum == thread * ranks);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  seen_by_threads = rank + 1;
  pthread_t running[threads];
  for (int k = 0; k < threads; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &own[k]);
  for (long k = 0; k < threads; ++k) pthread_create(&running[k], NULL, work, (void*)k);
  for (int k = 0; k < threads; ++k) pthread_join(running[k], NULL);
  for (int k = 0; k < threads; ++k) MPI_Comm_free(&own[k]);
  return end("threads");
}
