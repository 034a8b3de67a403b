// SPDX-License-Identifier: Apache-2.0
// A library that uses a name of the program: the message names the remedy, and the remedy works.
// RUN: rm -rf %t.d && mkdir -p %t.d
// RUN: %parcc -DLIBRARY -shared %s -o %t.d/libask.so
// RUN: %parcc %s -o %t.d/program -L%t.d -lask -Wl,-rpath,%t.d
// RUN: (%parcrun -n 2 %t.d/program; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK: parcrun: cannot load a copy of {{.*}}libask.so' (undefined symbol: answer); when the program itself has it, link the program with -rdynamic
// CHECK-NEXT: exit code 1
// RUN: %parcc -rdynamic %s -o %t.d/program -L%t.d -lask -Wl,-rpath,%t.d
// RUN: %parcrun -n 3 %t.d/program | sort | FileCheck-19 --check-prefix=WORKS %s
// WORKS: rank 0: 42
// WORKS: rank 1: 43
// WORKS: rank 2: 44
#ifdef LIBRARY
int answer(void);
int ask(void) { return answer(); }
#else
#include <parallelc.h>
#include <stdio.h>

int ask(void);
static int own = 42;
int answer(void) { return own; }

int main(void) {
    own += m_rank(CCC_ALL);
    m_barrier(CCC_ALL);
    printf("rank %d: %d\n", m_rank(CCC_ALL), ask());
}
#endif
