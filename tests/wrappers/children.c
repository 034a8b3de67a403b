// SPDX-License-Identifier: Apache-2.0
// Child processes of ranks: system always, fork when it is allowed, exec of a rank itself never.
// RUN: %macc %s -o %t
// RUN: (%marun -n 2 %t fork; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=REFUSED
// REFUSED: taihu: rank {{[01]}}: fork is refused (the child would be a copy of all ranks of this node process, with one thread); when it does nothing but exec, allow it with marun --allow-fork
// REFUSED: exit code 1
// RUN: (%marun -n 2 --allow-fork %t fork; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=ALLOWED
// RUN: (%marun.openmpi -n 2 --allow-fork %t fork; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=ALLOWED
// RUN: (%marun -n 2 %t system; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=ALLOWED
// ALLOWED-COUNT-2: a child speaks
// ALLOWED: exit code 0
// RUN: (%marun -n 2 --allow-fork %t exec; echo "exit code $?") 2>&1 | FileCheck-19 %s --check-prefix=EXEC
// EXEC: exec is refused (the new program would take the place of all ranks of this node process)
// EXEC: exit code 1
// A job of one rank is as good as a process.
// RUN: %t fork | FileCheck-19 %s --check-prefix=ONE
// RUN: %t exec | FileCheck-19 %s --check-prefix=ONE
// ONE: a child speaks
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
  (void)count;
  if (strcmp(words[1], "system") == 0) return system("echo a child speaks");
  const pid_t child = strcmp(words[1], "fork") == 0 ? fork() : 0;
  if (child == 0) {
    execlp("echo", "echo", "a child speaks", (char *)NULL);
    return errno == EPERM ? 1 : 2;
  }
  int status = 256;
  if (child > 0) waitpid(child, &status, 0);
  return status != 0;
}
