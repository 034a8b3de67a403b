// SPDX-License-Identifier: Apache-2.0
// Jobs that are started without standard streams run, and what is opened later does not take their numbers. Not with MPICH:
// its launcher ends with 255 then.
// RUN: %parcc %s -o %t
// RUN: %parcrun -n 2 %t <&- >&- 2>&-
// RUN: %parcrun.openmpi -n 2 --processes-per-node 2 %t launched <&- >&- 2>&-
// RUN: not-19 %parcrun --version 2>&1 >&- | grep -q 'cannot write standard output (Bad file descriptor)'
#include <parallelc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/// Whether what is written there reaches nobody.
static int leads_nowhere(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return 1;
    return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);  // /dev/null
}

int main(int argc, char** argv) {
    (void)argv;
    printf("rank %d\n", m_rank(CCC_ALL));
    if (argc > 1) return 0;  // a launcher gives streams of its own
    return !(leads_nowhere(0) && leads_nowhere(1) && leads_nowhere(2));
}
