// SPDX-License-Identifier: Apache-2.0
// RUN: not-19 %parallelc -fplugin-arg-parallelc-spm=1000 -fsyntax-only %s 2>&1 | %check %s --implicit-check-not=error:
#include <parallelc.h>
__thread_local char first[600];
__thread_local double second[100];
// CHECK: variables.c:[[#@LINE+1]]:24: error: 'node_shared' applies only to file-scope and static variables
void f(int node_shared parameter) {}
struct s {
  // CHECK: error: 'node_shared' applies only to file-scope and static variables
  node_shared int member;
};
int x;
// CHECK: variables.c:[[#@LINE+1]]:22: error: initial value of 'node_shared' variable 'p' holds an address, which means something else in every process; assign it in main
node_shared int *p = &x;
// CHECK: error: initial value of 'bnode_shared' variable 'text' holds an address
bnode_shared struct { int a; const char *name; } text = {1, "name"};
node_shared int *null = 0;
// CHECK: variables.c:[[#@LINE+1]]:26: error: 'node_shared' cannot be combined with a thread-local storage class
__thread node_shared int both;
// CHECK: error: 'bnode_shared' cannot be combined with 'node_shared' on one variable
node_shared bnode_shared int twice;
extern int late;
// CHECK: error: the first declaration of 'late' must say where it lives, too
node_shared int late;
// CHECK: variables.c:[[#@LINE+1]]:17: error: '__thread_local' variable 'first' has no address here
char *address = first;
unsigned long size = sizeof first;
// CHECK: variables.c:[[#@LINE+1]]:15: error: a '__kernel' function must have the type 'void (void *)', not 'void (int *)'
__kernel void kernel(int *argument) {}
// CHECK: error: '__kernel' applies only to functions
__kernel int variable;
// CHECK: error: a '__kernel' function must have the type 'void (void *)', not 'int (void *)'
__kernel int other_kernel(void *argument);
int other(void) { return first[0]; }
int main(void) {
  // CHECK: error: '__thread_local' applies only to file-scope and static variables
  __thread_local int automatic;
  static __thread_local int fine;
  (void)sizeof first;
  // CHECK: variables.c:[[#@LINE+1]]:14: error: '__thread_local' variable 'second' cannot be used in process code: only accelerator threads have one
  double d = second[0];
  forall (int i = 0; i < 9; i++; BLOCK; CCC_ARRAY) second[i] = i;
}
// CHECK: variables.c:5:23: error: '__thread_local' variables need 1412 bytes but the scratchpad has 1000; make them smaller, or set its size with 'parcc --spm=SIZE'
// CHECK: variables.c:4:21: note: 'first' takes 600 bytes
// CHECK: variables.c:5:23: note: 'second' takes 800 bytes
// CHECK: note: 'fine' takes 4 bytes
