// SPDX-License-Identifier: Apache-2.0
// A rank that waits for input holds up nobody: others flush all their streams and end the job.
// RUN: %parcc %s -o %t
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: (exec 9<>%t.pipe; %parcrun -n 2 %t <&9; echo "exit code $?") 2>&1 | FileCheck-19 %s
// CHECK: before the end
// CHECK: left in the buffer
// CHECK: exit code 9
#include <parallelc.h>
#include <stdio.h>
#include <unistd.h>

static int waiting;

int main(void) {
    if (m_rank(CCC_ALL) == 0) {
        int one = 1;
        m_msg_put_wait(1, &one, &waiting, sizeof one, NULL);
        return getchar();
    }
    m_wait_reply(&waiting, 1);
    usleep(200000);  // rank 0 is in getchar now
    printf("before ");
    fflush(NULL);
    printf("the end\n");
    setvbuf(stdout, NULL, _IOFBF, 4096);
    printf("left in the buffer\n");
    m_abort(9);
}
