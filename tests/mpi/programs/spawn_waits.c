// SPDX-License-Identifier: Apache-2.0
// Spawned ranks of a job that nobody told of them: a child computes for longer than the watch over deadlocks
// has patience, then each child answers. With an argument nobody sends after that: the watch names parents
// and children. With "failed" the children cannot be loaded, and all others wait for each other.
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

// A file that may be run, but is no program.
static int wait_after_failure(void) {
  char name[] = "/tmp/spawn_waits.XXXXXX";
  const int file = rank == 0 ? mkstemp(name) : -1;
  if (rank == 0)
    CHECK(file >= 0 && write(file, "nothing", 7) == 7 && fchmod(file, 0755) == 0 && close(file) == 0);
  MPI_Comm children;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_spawn(name, MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE) == MPI_ERR_SPAWN);
  if (rank == 0) unlink(name);
  int value;
  return MPI_Recv(&value, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm parent;
  int value = 0;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    if (rank == 0) sleep(3);
    if (strcmp(argv[1], "answer") == 0)
      MPI_Send(&rank, 1, MPI_INT, 0, 5, parent);
    else
      MPI_Recv(&value, 1, MPI_INT, 0, 6, parent, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&parent);
    return end("child");
  }
  if (argc > 1 && strcmp(argv[1], "failed") == 0) return wait_after_failure();
  MPI_Comm children;
  char* arguments[] = {argc > 1 ? argv[1] : "answer", NULL};
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Comm_spawn(argv[0], arguments, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    for (int child = 0; rank == 0 && child < 3; ++child) {
      MPI_Recv(&value, 1, MPI_INT, child, 5, children, MPI_STATUS_IGNORE);
      CHECK(value == child);
    }
    MPI_Comm_disconnect(&children);
  }
  return end("spawn_waits");
}
