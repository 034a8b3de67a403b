// SPDX-License-Identifier: Apache-2.0
// m_checkpoint where the job is not quiet, and with paths that cannot be: one line with the reason; the former checkpoint stays.
// RUN: %parcc %s -o %t
// RUN: rm -f %t.save %t.save.*
// RUN: %parcrun -n 2 %t %t.save nothing
// RUN: for what in kernel message handle aggregator path folder empty registered inside; do %parcrun -n 2 %t %t.save $what; echo "exit code $?"; done > %t.out 2>&1
// RUN: FileCheck-19 --input-file=%t.out %s
// CHECK: parallelc: rank 1: m_checkpoint(path="{{.*}}"): a kernel of this process is under way; join it before
// CHECK: exit code 1
// CHECK: parallelc: rank 0: m_checkpoint(path="{{.*}}"): a message to this process was not received; receive it before
// CHECK: exit code 1
// CHECK: parallelc: rank 1: m_checkpoint(path="{{.*}}"): a message of this process is under way; wait for its handle before
// CHECK: exit code 1
// CHECK: parallelc: rank 1: m_checkpoint(path="{{.*}}"): an aggregator is open; close it before
// CHECK: exit code 1
// CHECK: parallelc: rank 0: m_checkpoint(path="{{.*}}"): the processes give different paths
// CHECK: exit code 1
// CHECK: parallelc: rank 0: m_checkpoint(path="/no/folder/save"): cannot write /no/folder/save.{{[0-9a-f]+}}.0 (No such file or directory)
// CHECK: exit code 1
// CHECK: parallelc: rank 0: m_checkpoint(path=""): no name of a file
// CHECK: exit code 1
// CHECK: parallelc: rank 1: m_checkpoint_register(address=(nil), bytes=8): null address
// CHECK: exit code 1
// CHECK: parallelc: rank {{[01]}}: m_checkpoint(path="x"): called in a kernel
// CHECK: exit code 1
// RUN: %parcrun -n 2 --restart %t.save %t %t.save restarted | FileCheck-19 --check-prefix=RESTARTED %s
// RESTARTED: restarted: 42
#include <parallelc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int stay = 1;
static int answer;

__kernel void linger(void *unused) {
    (void)unused;
    while (stay) usleep(1000);
}

__kernel void save(void *unused) {
    (void)unused;
    m_checkpoint("x");
}

int main(int argc, char **argv) {
    (void)argc;
    const int rank = m_rank(CCC_ALL);
    const char *path = argv[1], *what = argv[2];
    int value = 0;
    if (strcmp(what, "restarted") == 0) {
        if (rank == 0) printf("restarted: %d\n", answer);
        return 0;
    }
    answer = 42;
    if (strcmp(what, "nothing") != 0) answer = 0;
    if (strcmp(what, "kernel") == 0 && rank == 1) m_spawn(linger, NULL);
    if (strcmp(what, "message") == 0 && rank == 1) m_send(0, &value, sizeof value, 3);
    if (strcmp(what, "handle") == 0 && rank == 1) m_irecv(0, &value, sizeof value, 3);
    if (strcmp(what, "aggregator") == 0 && rank == 1) m_aggregator_open(0);
    if (strcmp(what, "path") == 0 && rank == 1) path = "another";
    if (strcmp(what, "folder") == 0) path = "/no/folder/save";
    if (strcmp(what, "empty") == 0) path = "";
    if (strcmp(what, "registered") == 0 && rank == 1) m_checkpoint_register(NULL, 8);
    if (strcmp(what, "inside") == 0) m_run(save, NULL);
    return m_checkpoint(path) == M_SUCCESS ? 0 : 1;
}
