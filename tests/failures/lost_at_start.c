// SPDX-License-Identifier: Apache-2.0
// A node process that is stopped or killed while the job still starts: the others say so, and the job ends. The preloaded
// library does it to node process 1, before that has begun.
// RUN: cc -shared -fPIC -DPRELOADED %s -o %t.so
// RUN: %parcc %s -o %t
// RUN: (%parcrun.openmpi -n 2 --processes-per-node 2 --node-timeout 2 -x LD_PRELOAD=%t.so -x HOW=19 %t; echo "exit code $?") > %t.1 2>&1
// RUN: FileCheck-19 --check-prefix=STOPPED --input-file=%t.1 %s
// RUN: (%parcrun.mpich -n 2 --processes-per-node 2 --node-timeout 2 -x LD_PRELOAD=%t.so -x HOW=19 %t; echo "exit code $?") > %t.2 2>&1
// RUN: FileCheck-19 --check-prefix=STOPPED --input-file=%t.2 %s
// STOPPED: taihu: node process 0 on {{.*}} has waited for the others of the job for 8 s (process {{[0-9]+}} there is stopped); ending the job (--node-timeout 0 waits forever)
// STOPPED: exit code 1
// RUN: (%parcrun.openmpi -n 2 --processes-per-node 2 --node-timeout 2 -x LD_PRELOAD=%t.so -x HOW=9 %t; echo "exit code $?") > %t.3 2>&1
// RUN: (%parcrun.mpich -n 2 --processes-per-node 2 --node-timeout 2 -x LD_PRELOAD=%t.so -x HOW=9 %t; echo "exit code $?") > %t.4 2>&1
// RUN: FileCheck-19 --check-prefix=KILLED --input-file=%t.3 %s
// RUN: FileCheck-19 --check-prefix=KILLED --input-file=%t.4 %s
// KILLED: exit code {{1$|9$|137$}}
#ifdef PRELOADED
#include <signal.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void lose(void) {
    const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *number = open_mpi ? open_mpi : getenv("PMI_RANK");
    if (number && strcmp(number, "1") == 0) raise(atoi(getenv("HOW")));
}
#else
int main(void) {
    return 0;
}
#endif
