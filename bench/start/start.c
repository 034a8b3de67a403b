// SPDX-License-Identifier: Apache-2.0
// What a job costs before it does anything: time until all ranks have met in a barrier, time until every rank
// has exchanged a message with every other, and the memory of all its processes then. The argument is when
// the job was started, in nanoseconds of CLOCK_MONOTONIC. Prints "barrier_us pairs_us memory_kB".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

// Memory of this process in kB; what several processes share counts for each in its part.
static long memory(void) {
  char line[256];
  long kilobytes = -1;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "Pss:", 4) == 0) sscanf(line + 4, "%ld", &kilobytes);
  if (file != NULL) fclose(file);
  return kilobytes;
}

int main(int argc, char** argv) {
  const double start = argc > 1 ? strtod(argv[1], NULL) / 1e3 : 0;
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double met = now_us();
  for (int distance = 1; distance < ranks; ++distance) {
    int sent = rank, got = -1;
    const int to = (rank + distance) % ranks, from = (rank + ranks - distance) % ranks;
    MPI_Sendrecv(&sent, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (got != from) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double exchanged = now_us();
  // Of ranks that share a process one looks at it: that takes long where many images are mapped.
  const long process = (long)getpid();
  long* processes = malloc((size_t)ranks * sizeof *processes);
  MPI_Allgather(&process, 1, MPI_LONG, processes, 1, MPI_LONG, MPI_COMM_WORLD);
  int first = 0;
  while (processes[first] != process) ++first;
  const long mine = first == rank ? memory() : 0;
  if (mine < 0) {
    fprintf(stderr, "start: no number in /proc/self/smaps_rollup\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  long total = 0;
  MPI_Reduce(&mine, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f %.0f %ld\n", met - start, exchanged - met, total);
  free(processes);
  MPI_Finalize();
  return 0;
}
