// SPDX-License-Identifier: Apache-2.0
// A linked program: an executable shared object with its descriptor; shared variables on pages of their own, in the
// areas that the descriptor names, without bytes in the file; main is found although hidden. GNU ld and lld.
// RUN: %parcc %s %inputs/shared_other.c -I%S/../../.. -o %t.ld && %t.ld | %check %s
// RUN: %parcc -fuse-ld=lld -O2 %s %inputs/shared_other.c -I%S/../../.. -o %t.lld && %t.lld | %check %s
// RUN: %parcc -fvisibility=hidden -fPIE -pie --spm=128K --check %s %inputs/shared_other.c -I%S/../../.. -o %t.h
// RUN: %t.h | %check %s --check-prefix=OPTIONS
// RUN: readelf -lW %t.ld | %check %s --check-prefix=HEADERS
// RUN: nm -D %t.h | %check %s --check-prefix=SYMBOLS
// RUN: test `stat -c %%s %t.ld` -lt 100000 && test `stat -c %%s %t.lld` -lt 100000
// HEADERS: DYN
// HEADERS: INTERP
// SYMBOLS: T main
// SYMBOLS: taihu_program
#include <parallelc.h>
#include <stdio.h>
#include <taihu/abi/program.h>

extern const struct taihu_program taihu_program;
node_shared char big[8 << 20];
static bnode_shared double own = 2.5;
extern bnode_shared int other;
extern node_shared int initial[3];
__thread_local double buffer[16];
static __thread_local int seven = 7;
static int results[64];

__kernel void kernel(void *argument) {
  (void)argument;
  buffer[3] = seven++;
  results[m_rank(CCC_ARRAY)] = seven;
}

static void check(const char *name, const struct taihu_area *area, void *variable) {
  printf("%s %ld %d %d\n", name, (long)(area->end - area->begin), (int)((unsigned long)area->begin % 4096),
         (char *)variable >= area->begin && (char *)variable < area->end);
}

int main(void) {
  static node_shared long local;
  local++;
  check("node zero", &taihu_program.node_shared_zero, &local);
  check("node zero", &taihu_program.node_shared_zero, big);
  check("node data", &taihu_program.node_shared_data, initial);
  check("bnode zero", &taihu_program.bnode_shared_zero, &other);
  check("bnode data", &taihu_program.bnode_shared_data, &own);
  check("scratchpad", &taihu_program.scratchpad, taihu_program.scratchpad.begin);
  printf("settings %llu %llu %d\n", taihu_program.settings[TAIHU_SCRATCHPAD_CAPACITY_BYTES],
         taihu_program.settings[TAIHU_CHECKS], (void *)taihu_program.main == (void *)main);
  m_run(kernel, NULL);
  printf("kernel %d %d, values %g %d\n", results[0], results[3], own, initial[2]);
}
// CHECK: node zero 8392704 0 1
// CHECK: node zero 8392704 0 1
// CHECK: node data 4096 0 1
// CHECK: bnode zero 4096 0 1
// CHECK: bnode data 4096 0 1
// CHECK: scratchpad {{1[34][0-9]}} 0 1
// CHECK: settings 65536 0 1
// CHECK: kernel 8 8, values 2.5 3
// OPTIONS: settings 131072 1 1
