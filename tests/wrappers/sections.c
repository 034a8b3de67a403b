// SPDX-License-Identifier: Apache-2.0
// What is linked into a program stays there when the linker throws away what nothing refers to, and what only executables
// have is there: functions of .preinit_array, __executable_start.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %macc -O2 -ffunction-sections -Wl,--gc-sections %s -o bfd && ./bfd one two | %check %s && %marun -n 1 ./bfd one two | %check %s
// RUN: %macc -O2 -flto -Wl,--gc-sections %s -o lto && ./lto one two | %check %s
// CHECK: ELF, the constructor found 3 of 3 words
#include <stdio.h>
#include <string.h>

extern char __executable_start[];
static volatile int words_before;
static volatile int words_at_construction;

static void before_all(int count, char** words, char** environment) {
  words_before = words[count] == NULL && environment != NULL ? count : 0;
}
__attribute__((section(".preinit_array"), used)) static void (*const table[])(int, char**, char**) = {before_all};

__attribute__((constructor(101))) static void construct(void) {
  words_at_construction = words_before;
}

int main(int count, char** words) {
  (void)words;
  printf("%.3s, the constructor found %d of %d words\n", __executable_start + 1, words_at_construction, count);
  return 0;
}
