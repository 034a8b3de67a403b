// SPDX-License-Identifier: Apache-2.0
// RUN: %parcc -g %s -o %t
// RUN: (%parcrun -n 2 %t abort; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=ABORT %s
// RUN: (%parcrun -n 2 %t job; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=JOB %s
// RUN: (%parcrun.openmpi -n 2 --processes-per-node 2 %t job; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=JOB %s
// RUN: (%parcrun.mpich -n 2 --processes-per-node 2 %t job; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=JOB %s
// ABORT: rank 0
// ABORT-SAME: SIGABRT
// ABORT: exit code 134
// JOB: exit code 9
#include <parallelc.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (m_rank(CCC_ALL) == 0) {
        if (argc > 1 && strcmp(argv[1], "job") == 0) m_abort(9);
        abort();
    }
    m_barrier(CCC_ALL);
}
