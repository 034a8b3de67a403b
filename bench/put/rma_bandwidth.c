// SPDX-License-Identifier: Apache-2.0
// The same (bandwidth.c) by MPI's one-sided calls: with an active target (post, start, complete, wait; the
// post lets the next window come) and with a passive one (lock, unlock). Lines "mode bytes MB/s".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 4 << 20, batches = 20, in_flight = 32 };
static char *source, *target;
static MPI_Win window;
static MPI_Group other;
static int rank;

static void send(int active, int bytes) {
  if (active) {
    MPI_Win_start(other, 0, window);
  } else {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  }
  for (int i = 0; i < in_flight; i++)
    MPI_Put(source, bytes, MPI_CHAR, 1, (MPI_Aint)i * bytes, bytes, MPI_CHAR, window);
  if (active) {
    MPI_Win_complete(window);
  } else {
    MPI_Win_unlock(1, window);
  }
}

static void check(const char* mode, int bytes, int batch) {
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  for (long i = 0; i < in_flight; i++)
    if (target[i * bytes] != (char)batch || target[i * bytes + bytes - 1] != (char)batch) {
      fprintf(stderr, "rma_bandwidth: wrong data, %s, put %ld of %d bytes\n", mode, i, bytes);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  MPI_Win_unlock(1, window);
}

static void measure(const char* mode, int active, int bytes, double seconds) {
  double best = 0;
  int rounds = 2;
  for (int batch = 1; batch <= batches; batch++) {
    source[0] = source[bytes - 1] = (char)batch;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) send(active, bytes);
      if (rank == 1 && active) MPI_Win_post(other, 0, window), MPI_Win_wait(window);
    }
    double time = (MPI_Wtime() - begin) / rounds;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) check(mode, bytes, batch);
    MPI_Bcast(&time, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const double rate = (double)in_flight * bytes / time / 1e6;
    best = rate > best ? rate : best;
    rounds = (int)(seconds / batches / time) + 1;
    rounds = rounds > 20000 ? 20000 : rounds;
  }
  if (rank == 0) printf("%s %d %.3f\n", mode, bytes, best);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  source = aligned_alloc(4096, most);
  memset(source, 0, most);
  MPI_Win_allocate((MPI_Aint)in_flight * most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &window);
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int others[] = {1 - rank};
  MPI_Group_incl(all, 1, others, &other);
  for (int bytes = 4; bytes <= most; bytes *= bytes == 4 || bytes == 65536 ? 16 : 4) {
    measure("active", 1, bytes, seconds);
    measure("passive", 0, bytes, seconds);
  }
  fflush(stdout);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
