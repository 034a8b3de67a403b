// SPDX-License-Identifier: Apache-2.0
// The same (put.c) by MPI's one-sided calls: the ways in which a target can know that data have come. With
// post, start, complete, wait it knows by its wait; in the modes with locks the origin completes the put and
// sends an empty message.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 4 << 20, batches = 20, pscw = 0, lock, lock_all, modes };
static const char* const names[] = {"pscw", "lock-unlock", "lock_all-flush"};
static char *source, *target;
static MPI_Win window;
static MPI_Group others;
static int rank;

static void put(int mode, int bytes, int off) {
  const int other = 1 - rank;
  if (mode == pscw) MPI_Win_start(others, 0, window);
  if (mode == lock) MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
  MPI_Put(source, bytes, MPI_CHAR, other, off, bytes, MPI_CHAR, window);
  if (mode == pscw) MPI_Win_complete(window);
  if (mode == lock) MPI_Win_unlock(other, window);
  if (mode == lock_all) MPI_Win_flush(other, window);
  if (mode != pscw) MPI_Send(NULL, 0, MPI_CHAR, other, 0, MPI_COMM_WORLD);
}

static void take(int mode) {
  if (mode == pscw) {
    MPI_Win_wait(window);
    return;
  }
  MPI_Recv(NULL, 0, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (mode == lock_all) MPI_Win_sync(window);
}

static void measure(int mode, int bytes, int off, double seconds) {
  double least = 1e9;
  int rounds = 4;
  for (int batch = 0; batch < batches; batch++) {
    source[0] = (char)(batch + rank), source[bytes - 1] = (char)(2 * batch + rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    // Memory is open for the next put before this one leaves, as the put with a reply word has it.
    if (mode == pscw) MPI_Win_post(others, 0, window);
    for (int i = 0; i < rounds; i++) {
      if (rank == 1) take(mode);
      if (rank == 1 && mode == pscw && i + 1 < rounds) MPI_Win_post(others, 0, window);
      put(mode, bytes, off);
      if (rank == 0) take(mode);
      if (rank == 0 && mode == pscw && i + 1 < rounds) MPI_Win_post(others, 0, window);
    }
    double time = (MPI_Wtime() - begin) / rounds / 2;
    const int other = 1 - rank;
    if (mode == lock_all) MPI_Win_sync(window);
    if (target[off + bytes - 1] != (char)(2 * batch + other) ||
        (bytes > 1 && target[off] != (char)(batch + other))) {
      fprintf(stderr, "rma: wrong data, %s %d\n", names[mode], bytes);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Bcast(&time, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    least = time < least ? time : least;
    rounds = (int)(seconds / batches / (2 * time)) + 2;
    rounds = rounds > 20000 ? 20000 : rounds;
  }
  if (rank == 0) printf("%s%s %d %.3f\n", names[mode], off ? "-off" : "", bytes, least * 1e6);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  source = aligned_alloc(4096, most + 8192);
  memset(source, 0, most + 8192);
  MPI_Win_allocate(most + 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &window);
  // Windows begin anywhere in their pages: the source as far into its own as the target it goes to, so that
  // "off by 8" means the same as in put.c.
  int place = (int)((uintptr_t)target % 4096);
  MPI_Sendrecv_replace(&place, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  source += place;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int other = 1 - rank;
  MPI_Group_incl(all, 1, &other, &others);
  for (int mode = 0; mode < modes; mode++) {
    if (mode == lock_all) MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    for (int bytes = 4; bytes <= most; bytes *= 4) measure(mode, bytes, 0, seconds);
    measure(mode, 65536, 8, seconds);
    if (mode == lock_all) MPI_Win_unlock_all(window);
  }
  fflush(stdout);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
