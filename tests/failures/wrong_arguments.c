// SPDX-License-Identifier: Apache-2.0
// Wrong arguments of calls: one line with rank, call, arguments and reason; exit code 1.
// RUN: %parcc %s -o %t
// RUN: (%parcrun -n 2 %t rank; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=RANK %s
// RUN: (%parcrun -n 2 %t stack; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=STACK %s
// RUN: (%parcrun -n 2 %t long; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=LONG %s
// RUN: (%parcrun -n 2 %t file; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=FILE %s
// RUN: for call in reply waitall source target count null stride extent block abort; do %parcrun -n 2 %t $call; echo "exit code $?"; done > %t.out 2>&1
// RUN: FileCheck-19 --check-prefix=MORE --input-file=%t.out %s
// MORE: parallelc: rank 1: m_wait_reply(reply=(nil), count=1): null reply word
// MORE: exit code 1
// MORE: parallelc: rank 1: m_waitall(count=-1, handles=(nil)): negative count
// MORE: exit code 1
// MORE: parallelc: rank 1: m_msg_put(dest_rank=0, source_addr=(nil), {{.*}}: null source_addr
// MORE: exit code 1
// MORE: parallelc: rank 1: m_msg_get(src_rank=0, {{.*}}: null dest_addr
// MORE: exit code 1
// MORE: parallelc: rank 1: m_bcast(scope=0, count=4611686018427387903, {{.*}}: the count is too large for any memory
// MORE: exit code 1
// MORE: parallelc: rank 1: m_bcast(scope=0, count=1, {{.*}}: null buffer
// MORE: exit code 1
// MORE: parallelc: rank 1: m_msg_put_stride(dest_rank=0, {{.*}}size=8, block=4, source_stride=4, dest_stride=3, dest_rply=(nil)): dest_stride is smaller than block, so blocks would overlap
// MORE: exit code 1
// MORE: parallelc: rank 1: m_msg_get_stride(src_rank=0, {{.*}}size=8, block=4, source_stride=1000000000, dest_stride=4): source_addr is not symmetric
// MORE: exit code 1
// MORE: parallelc: rank 1: m_send_stride(dest_rank=0, size=8, block=0, stride=4, tag=0): block is not above 0
// MORE: exit code 1
// MORE-NEXT: exit code 1
// RANK: parallelc: rank 1: m_send(dest_rank=2, size=4, tag=0): no such rank
// RANK: exit code 1
// STACK: parallelc: rank 1: m_msg_put(dest_rank=0, {{.*}}: dest_addr is not symmetric (only file-scope and static variables and memory of m_malloc exist on every process); use one of these
// STACK: exit code 1
// LONG: parallelc: rank 1: m_recv (message of 100 bytes from rank 0 with tag 3): the message is longer than the receive buffer
// LONG: exit code 1
// FILE: parallelc: rank 1: get_task_id(total=5, checkpoint_file="/dev/null", {{.*}}: checkpoint file /dev/null is not a regular file; give the name of one
// FILE: exit code 1
#include <parallelc.h>
#include <limits.h>
#include <string.h>

static int variable;

int main(int argc, char **argv) {
    (void)argc;
    int value = 0;
    char buffer[100] = {0};
    if (m_rank(CCC_ALL) == 0 && strcmp(argv[1], "long") == 0) m_send(1, buffer, 100, 3);
    if (m_rank(CCC_ALL) == 1) {
        if (strcmp(argv[1], "rank") == 0) m_send(2, &value, sizeof value, 0);
        if (strcmp(argv[1], "stack") == 0) m_msg_put(0, &value, &value, sizeof value, NULL);
        if (strcmp(argv[1], "long") == 0) m_recv(0, buffer, 10, M_ANY_TAG, NULL);
        if (strcmp(argv[1], "reply") == 0) m_wait_reply(NULL, 1);
        if (strcmp(argv[1], "waitall") == 0) m_waitall(-1, NULL, NULL);
        if (strcmp(argv[1], "source") == 0) m_msg_put(0, NULL, &variable, sizeof variable, NULL);
        if (strcmp(argv[1], "target") == 0) m_msg_get(0, &variable, NULL, sizeof variable);
        if (strcmp(argv[1], "count") == 0) m_bcast(CCC_ALL, &variable, LONG_MAX / 2, M_INT, 0);
        if (strcmp(argv[1], "null") == 0) m_bcast(CCC_ALL, NULL, 1, M_INT, 0);
        if (strcmp(argv[1], "stride") == 0) m_msg_put_stride(0, buffer, &variable, 8, 4, 4, 3, NULL);
        if (strcmp(argv[1], "extent") == 0) m_msg_get_stride(0, &variable, buffer, 8, 4, 1000000000, 4);
        if (strcmp(argv[1], "block") == 0) m_send_stride(0, buffer, 8, 0, 4, 0);
        if (strcmp(argv[1], "abort") == 0) m_abort(256);  // its low bits are zero
        if (strcmp(argv[1], "file") == 0) get_task_id(5, "/dev/null", CCC_ALL);
    }
    m_barrier(CCC_ALL);
}
