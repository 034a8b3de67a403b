// SPDX-License-Identifier: Apache-2.0
// Jobs that are started without standard streams run, and what is opened later does not take their numbers. Not with MPICH:
// its launcher ends with 255 then.
// RUN: %parcc %s -o %t
// RUN: %parcrun -n 2 %t <&- >&- 2>&-
// RUN: %parcrun.openmpi -n 2 --processes-per-node 2 %t <&- >&- 2>&-
// RUN: not-19 %parcrun --version 2>&1 >&- | grep -q 'cannot write standard output (Bad file descriptor)'
#include <parallelc.h>
#include <stdio.h>

int main(void) {
    printf("rank %d\n", m_rank(CCC_ALL));
    return 0;
}
