// SPDX-License-Identifier: Apache-2.0
// Where address space is limited (ulimit -v), ranks start all the same, and m_malloc gives what there is.
// RUN: %parcc -O1 %s -o %t
// RUN: bash -c "ulimit -v 4000000; %parcrun -n 4 %t" 2>&1 | FileCheck-19 %s
// RUN: %parcc -O1 -DSAVES %s -o %t.saves
// RUN: (bash -c "ulimit -v 4000000; %parcrun -n 2 %t.saves"; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=SAVES %s
// SAVES: a program that calls m_checkpoint needs address space without a limit
// SAVES-NEXT: exit code 1
// CHECK-COUNT-4: 10 MB fit, 10 GB do not
#include <parallelc.h>
#include <stdio.h>

int main(void) {
#ifdef SAVES
    m_checkpoint("never");
#endif
    char *small = m_malloc(10 << 20);
    if (small != NULL) small[(10 << 20) - 1] = 1;
    const void *large = m_malloc(10L << 30);
    printf("10 MB %s, 10 GB %s\n", small != NULL ? "fit" : "do not fit", large != NULL ? "fit" : "do not");
}
