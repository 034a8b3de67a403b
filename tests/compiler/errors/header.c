// SPDX-License-Identifier: Apache-2.0
// RUN: not-19 %parallelc -fsyntax-only %s 2>&1 | %check %s --strict-whitespace --implicit-check-not=error:
#include <parallelc.h>
#define BAD_BOUND forall (int i = 0; i < missing_here; i++; BLOCK; CCC_ALL) a[i] = 0
extern int a[10];
int *pointer;
double real;
void f(int n, int m) {
  // CHECK: header.c:[[#@LINE+1]]:39: error: 'forall' takes 5 clauses (init; condition; step; affinity; scope), found 4
  forall (int i = 0; i < n; i++; BLOCK) a[i] = unknown_but_skipped;
  // CHECK: header.c:[[#@LINE+1]]:26: error: use of undeclared identifier 'nn'
  forall (int i = 0; i < nn; i++; BLOCK; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+2]]:3: error: use of undeclared identifier 'missing_here'
  // CHECK: header.c:4:42: note: expanded from macro 'BAD_BOUND'
  BAD_BOUND;
  // CHECK: header.c:[[#@LINE+2]]:22: error: condition of a 'forall' with BLOCK or ANY must compare 'i' with a bound by <, <=, >, >= or !=; or use an integer affinity
  // CHECK: header.c:[[#@LINE+1]]:15: note: 'i' is the loop variable
  forall (int i = 0; i < n && m; i++; BLOCK; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:29: error: step of a 'forall' with BLOCK or ANY must be i++, i--, i += or i -= a constant amount; or use an integer affinity
  forall (int i = 0; i < n; i *= 2; ANY; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:20: error: a 'forall' with BLOCK or ANY counts one variable; set the others before the loop, or use an integer affinity
  forall (int i = 0, j = 0; i < n; i++; BLOCK; CCC_ALL) a[i] = j;
  // CHECK: header.c:[[#@LINE+1]]:11: error: init of a 'forall' with BLOCK or ANY must set one variable, as in 'int i = 0'; or use an integer affinity
  forall (a[0] = 1; n < 5; n++; BLOCK; CCC_ALL) a[1] = 0;
  // CHECK: header.c:[[#@LINE+1]]:40: error: BLOCK() needs a block size; write BLOCK(n) or BLOCK
  forall (int i = 0; i < n; i++; BLOCK(); CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:42: error: 'forall' has an empty affinity; write BLOCK, BLOCK(n), ANY or an integer expression
  forall (int i = 0; i < n; i++;; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:41: error: unknown scope 'CCC_WHAT'; the scopes are CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE and CCC_ARRAY
  forall (int i = 0; i < n; i++; BLOCK; CCC_WHAT) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:34: error: affinity of a 'forall' must be an integer of at most 64 bits, not 'int *'
  forall (int i = 0; i < n; i++; pointer; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:26: error: bound of a 'forall' must be an integer of at most 64 bits, not 'double'
  forall (int i = 0; i < real; i++; BLOCK; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:16: error: loop variable of a 'forall' must be an integer of at most 64 bits, not 'int *'
  forall (int *p = a; p < a + 10; p++; BLOCK; CCC_ALL) *p = 0;
  // CHECK: header.c:[[#@LINE+1]]:40: error: block size of a 'forall' must be at least 1, not 0
  forall (int i = 0; i < n; i++; BLOCK(0); CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:34: error: the loop never ends: its step is 0
  forall (int i = 0; i < n; i += 0; BLOCK; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:26: error: the step of this 'forall' leads away from the bound; the loop would never end
  forall (int i = 0; i < n; i--; BLOCK; CCC_ALL) a[i] = 0;
  // CHECK: header.c:[[#@LINE+1]]:41: error: scope of a 'forall' must be an m_scope_t, not 'double'
  forall (int i = 0; i < n; i++; BLOCK; real) a[i] = 0;
}
void h(void) {
  // CHECK: header.c:[[#@LINE+1]]:10: error: expected '(' after 'forall'
  forall int wrong;
}
#define BLOCK 8
void g(int n) {
  // CHECK: header.c:[[#@LINE+1]]:34: error: affinity 'BLOCK' is hidden by a macro of that name; rename or undefine the macro
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL) a[i] = 0;
}
