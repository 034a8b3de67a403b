// SPDX-License-Identifier: Apache-2.0
// A debugger finds lines and variables of each rank.
// REQUIRES: gdb
// RUN: %macc -g -O0 %s -o %t
// RUN: printf 'set breakpoint pending on\nset pagination off\nbreak work\nrun\nprint number\nbacktrace\n' > %t.commands
// RUN: %marun -n 2 --debugger "gdb -batch -x %t.commands --args" %t 2>&1 | FileCheck-19 %s
// CHECK: hit Breakpoint 1{{.*}}work (step=3) at {{.*}}debugger.c:[[@LINE+10]]
// CHECK: $1 = {{4[01]}}
// CHECK: main {{.*}}at {{.*}}debugger.c:[[@LINE+14]]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int number;

void work(int step) {
  number += step;
}

int main(void) {
  const char *rank = getenv("TAIHU_RANK");
  number = 40 + (rank != NULL ? atoi(rank) : 0);
  work(3);
  return number < 43;
}
