// SPDX-License-Identifier: Apache-2.0
// A program with several names knows the one by which it was called, and arguments that look like options of the launcher
// stay its own.
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %macc %s -o tool && ln -s tool first && ln -s %t.d/tool second
// RUN: ./first -n 4 : x | FileCheck-19 %s --check-prefix=FIRST
// FIRST: ./first, first: -n 4 : x
// RUN: env PATH=%t.d:$PATH second | FileCheck-19 %s --check-prefix=SECOND
// SECOND: second, second:
// RUN: %marun -n 2 --argv0 third ./tool | FileCheck-19 %s --check-prefix=THIRD
// THIRD-COUNT-2: third, third:
// RUN: %marun -n 1 ./tool | FileCheck-19 %s --check-prefix=TOOL
// TOOL: ./tool, tool:
// RUN: %marun -n 1 --argv0 outer ./tool ./first | FileCheck-19 %s --check-prefix=NESTED
// NESTED: outer, outer: ./first
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

int main(int count, char** words) {
  printf("%s, %s:", words[0], program_invocation_short_name);
  for (int i = 1; i < count; ++i) printf(" %s", words[i]);
  printf("\n");
  return 0;
}
