// SPDX-License-Identifier: Apache-2.0
// Preprocessed text compiles to the same program, also by -save-temps; dependencies and precompiled headers work.
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %parallelc -O1 %s %runtime -o %t.d/direct && P=2 T=3 %t.d/direct > %t.d/direct.txt
// RUN: %check %s < %t.d/direct.txt
// RUN: %parallelc -E %s -o %t.d/text.i && %check %s --check-prefix=TEXT < %t.d/text.i
// RUN: %parallelc -O1 %t.d/text.i %runtime -o %t.d/again && P=2 T=3 %t.d/again | cmp - %t.d/direct.txt
// RUN: cd %t.d && %parallelc -g -O1 -save-temps %s %runtime -o %t.d/saved && P=2 T=3 %t.d/saved | cmp - %t.d/direct.txt
// RUN: %parallelc -MD -MF %t.d/deps -c %s -o %t.d/x.o && %check %s --check-prefix=DEPENDS < %t.d/deps
// RUN: %parallelc -c %inputs/runtime.c -o %t.d/runtime.o
// RUN: %parallelc -O1 -x c-header -DHEADER %s -o %t.d/all.pch
// RUN: %parallelc -O1 -include-pch %t.d/all.pch -DBODY -c %s -o %t.d/pch.o
// RUN: %parallelc %t.d/pch.o %t.d/runtime.o -pthread -o %t.d/pch && P=2 T=3 %t.d/pch | cmp - %t.d/direct.txt
// RUN: %parallelc -emit-llvm -O1 -c %s -o %t.d/x.bc && %parallelc %t.d/x.bc %runtime -o %t.d/stored && P=2 T=3 %t.d/stored | cmp - %t.d/direct.txt
// TEXT: #pragma parallelc forall
// DEPENDS: parallelc.h
// DEPENDS: parallelc_compiler.h
#ifndef BODY
#include "owners.h"
__thread_local int counter = 5;
static inline void header_loop(int n) {
  forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) {
    counter++;
    take(i * (counter > 5));
  }
}
#endif
#if !defined(HEADER) || defined(BODY)
#define TWICE(statement) statement statement
void process_main(void) {
  header_loop(4);
  printf("zero %d\n", times[0]);
  forget();
  TWICE(forall (int i = 0; i < 4; i++; i; CCC_ALL) { take(i); })
  printf("twice %d\n", times[test_process()]);
}
#endif
// CHECK: zero 1
// CHECK: twice 2
