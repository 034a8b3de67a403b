// SPDX-License-Identifier: Apache-2.0
// RUN: not-19 %parallelc -fsyntax-only %s 2>&1 | %check %s --implicit-check-not=error:
#include <parallelc.h>
extern int a[10];
void f(int n, m_scope_t scope) {
  int outer;
  // CHECK: region.c:[[#@LINE+1]]:11: error: outside a __kernel, a 'forall' whose scope is or may be CCC_ARRAY must declare its loop variable in init, as in 'int i = 0' (each accelerator thread needs its own)
  forall (outer = 0; outer < n; outer++; BLOCK; CCC_ARRAY) a[outer] = 0;
  // CHECK: region.c:[[#@LINE+1]]:11: error: outside a __kernel, a 'forall' whose scope is or may be CCC_ARRAY must declare its loop variable
  forall (outer = 0; outer < n; outer++; outer; scope) a[outer] = 0;
  // CHECK: region.c:[[#@LINE+1]]:3: error: outside a __kernel, a 'forall' whose scope is or may be CCC_ARRAY must declare its loop variable
  forall (; outer < n; outer++; outer; CCC_ARRAY) a[outer] = 0;
  forall (; outer < n; outer++; outer; CCC_NODE) a[outer] = 0;
}
