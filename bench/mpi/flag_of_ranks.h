// SPDX-License-Identifier: Apache-2.0
// A flag that ranks 0 and 1 share, whatever their MPI library: in a file that both map.
#pragma once

#include "line_distance.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/// All ranks call it. The others get no flag.
static struct flag_side flag_of_ranks(int rank) {
  char name[] = "/dev/shm/mpi_bench.XXXXXX";
  struct flag_side mine = {NULL, rank, 0};
  int file = -1;
  if (rank == 0) {
    file = mkstemp(name);
    if (ftruncate(file, sizeof *mine.flag) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 1) file = open(name, O_RDWR);
  if (rank < 2) {
    mine.flag = mmap(NULL, sizeof *mine.flag, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mine.flag == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  return mine;
}
