// SPDX-License-Identifier: Apache-2.0
// Child processes of ranks: fork and system work, a child is not a rank, exec of a rank itself only when it is alone.
// RUN: %macc %s -o %t
// RUN: (%marun -n 2 %t fork; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=WORKS
// RUN: (%marun.openmpi -n 2 %t fork; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=WORKS
// RUN: (%marun -n 2 %t system; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=WORKS
// WORKS-COUNT-2: a child speaks
// WORKS: exit code 0
// RUN: (%marun -n 2 %t mpi; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=NORANK
// NORANK-COUNT-2: taihu: rank {{[01]}}: MPI_Comm_rank was called in a child process made by fork (the child is not a rank; it may compute, call exec and end); call it in the rank itself
// NORANK: exit code 0
// RUN: (%marun -n 2 %t signals; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=SIGNALS
// RUN: (%marun -n 1 %t signals; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=SIGNALS
// SIGNALS-NOT: taihu:
// SIGNALS: exit code 0
// RUN: (%marun -n 2 %t exec; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=EXEC
// EXEC: exec is refused (the new program would take the place of all ranks of this node process)
// EXEC: exit code 1
// A job of one rank is as good as a process.
// RUN: %t fork | FileCheck-19 %s --check-prefix=ONE
// RUN: %t exec | FileCheck-19 %s --check-prefix=ONE
// ONE: a child speaks
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_mpi_in_child(void) {
  MPI_Init(NULL, NULL);
  const pid_t child = fork();
  int rank = 0, status = 0;
  if (child == 0) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    _exit(7);
  }
  const int ended = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1;
  MPI_Finalize();
  return !ended;
}

/// A child ends by its signals as the child of any process, and its rank is told by which.
static int end_children_by_signals(void) {
  static const int signals[] = {SIGTERM, SIGABRT, SIGSEGV, SIGUSR1, SIGKILL};
  int wrong = 0;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (signals[i] == SIGABRT) abort();
      if (signals[i] == SIGSEGV) *(volatile int *)NULL = 1;
      while (1) pause();
    }
    if (signals[i] != SIGABRT && signals[i] != SIGSEGV) kill(child, signals[i]);
    int status = 0;
    wrong += waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != signals[i];
  }
  return wrong;
}

int main(int count, char **words) {
  (void)count;
  if (strcmp(words[1], "system") == 0) return system("echo a child speaks");
  if (strcmp(words[1], "mpi") == 0) return run_mpi_in_child();
  if (strcmp(words[1], "signals") == 0) return end_children_by_signals();
  const pid_t child = strcmp(words[1], "fork") == 0 ? fork() : 0;
  if (child == 0) {
    execlp("echo", "echo", "a child speaks", (char *)NULL);
    return errno == EPERM ? 1 : 2;
  }
  int status = 256;
  if (child > 0) waitpid(child, &status, 0);
  return status != 0;
}
