// SPDX-License-Identifier: Apache-2.0
// RUN: not-19 %parallelc -fsyntax-only %s 2>&1 | %check %s --implicit-check-not=error:
#include <parallelc.h>
extern int a[10];
#define LEAVE break
int f(int n) {
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) {
    // CHECK: body.c:[[#@LINE+2]]:19: error: 'break' cannot leave a 'forall' (the other members go on)
    // CHECK: body.c:[[#@LINE-2]]:3: note: 'forall' is here
    if (a[i] < 0) break;
    while (a[i]) break;
    switch (a[i]) {
      case 1: break;
    }
  }
  // CHECK: body.c:[[#@LINE+3]]:65: error: 'break' cannot leave a 'forall'
  // CHECK: body.c:5:15: note: expanded from macro 'LEAVE'
  // CHECK: body.c:[[#@LINE+1]]:3: note: 'forall' is here
  forall (int i = 0; i < n; i++; a[i]; CCC_ALL) { if (a[i] < 0) LEAVE; }
  // CHECK: body.c:[[#@LINE+1]]:50: error: 'return' cannot leave a 'forall'
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) return i;
  // CHECK: body.c:[[#@LINE+1]]:52: error: 'return' cannot leave a 'forall'
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) return i;
  // CHECK: body.c:[[#@LINE+1]]:54: error: 'break' cannot leave a 'forall'
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) { break; }
  switch (n) {
    case 1:
      forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) {
        // CHECK: body.c:[[#@LINE+1]]:9: error: a 'switch' outside a 'forall' cannot jump into it
        case 2: a[i] = 0;
      }
  }
  // CHECK: body.c:[[#@LINE+1]]:52: error: the body of a 'forall' cannot change its loop variable 'i'
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) i += a[i];
  // CHECK: body.c:[[#@LINE+3]]:5: error: 'forall' over CCC_ARRAY inside another 'forall' over CCC_ARRAY: the threads are divided already; use an ordinary loop
  // CHECK: body.c:[[#@LINE+1]]:3: note: the outer 'forall' is here
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY)
    forall (int j = 0; j < n; j++; BLOCK; CCC_ARRAY) a[i] = j;
  // CHECK: body.c:[[#@LINE+3]]:5: error: 'forall' with ANY over processes inside another 'forall' over processes: all members must reach it; use BLOCK or an ordinary loop
  // CHECK: body.c:[[#@LINE+1]]:3: note: the outer 'forall' is here
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL)
    forall (int j = 0; j < n; j++; ANY; CCC_NODE) a[i] = j;
  return 0;
}
__kernel void k(void *argument) {
  int i;
  forall (i = 0; i < 9; i++; BLOCK; CCC_ARRAY)
    // CHECK: body.c:[[#@LINE+1]]:5: error: 'forall' with ANY over CCC_ARRAY inside another 'forall' over CCC_ARRAY: all threads must reach it; use BLOCK or an ordinary loop
    forall (int j = 0; j < 9; j++; ANY; CCC_ARRAY) a[i] = j;
}
void jumps(int n) {
  // CHECK: body.c:[[#@LINE+1]]:50: error: 'goto' cannot leave a 'forall'
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) goto out;
  // CHECK: body.c:[[#@LINE+1]]:15: error: 'goto' cannot enter a 'forall'
  if (n == 3) goto in;
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) {
    goto own;
  in:
    a[i] = 0;
  own:
    a[i] = 1;
  }
out:;
}
