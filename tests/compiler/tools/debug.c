// SPDX-License-Identifier: Apache-2.0
// Debug information names the programmer's lines, also in regions; BLOCK loops vectorise.
// RUN: %parallelc -g -O0 -c %s -o %t.o && llvm-dwarfdump-19 --debug-line %t.o | %check %s --check-prefix=LINES
// RUN: %parallelc -O2 -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | %check %s --check-prefix=FAST
#include <parallelc.h>
void scale(double *restrict a, const double *restrict b, int n) {
  forall (int i = 0; i < n; i++; BLOCK; CCC_ALL)  // FAST: debug.c:[[#@LINE]]:3: remark: vectorized loop
    a[i] = 2 * b[i];  // LINES: {{^0x[0-9a-f]+}} [[#@LINE]]
}
void region(double *a, int n) {
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) {
    double own = a[i];
    a[i] = own * own;  // LINES: {{^0x[0-9a-f]+}} [[#@LINE]]
  }
}
