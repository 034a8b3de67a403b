// SPDX-License-Identifier: Apache-2.0
// Checked builds stop at a wrong transfer with its source line.
// RUN: %parcc --check %s -o %t
// RUN: (%parcrun -n 1 %t over; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=OVER %s
// RUN: (%parcrun -n 1 %t outside; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=OUTSIDE %s
// RUN: (%parcrun -n 1 %t blocks; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=BLOCKS %s
// RUN: (%parcrun -n 1 %t boundary; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=BOUNDARY %s
// RUN: %parcc %s -o %t.unchecked
// RUN: (%parcrun -n 1 %t.unchecked over; echo "exit code $?") 2>&1 | FileCheck-19 --check-prefix=UNCHECKED %s
// OVER: scratchpad_bounds.c:[[@LINE+28]]: dma_get
// OVER-SAME: runs over the end of the scratchpad
// OVER: exit code 1
// OUTSIDE: scratchpad_bounds.c:[[@LINE+18]]: dma_put
// OUTSIDE-SAME: is not in the scratchpad
// OUTSIDE: exit code 1
// BLOCKS: scratchpad_bounds.c:[[@LINE+17]]: dma_get_stride
// BLOCKS-SAME: runs over the end of the scratchpad
// BLOCKS: exit code 1
// BOUNDARY: exit code 0
// UNCHECKED: parallelc: rank 0: dma_get(scratchpad={{.*}}, bytes=65536): the scratchpad side runs over the end
// UNCHECKED: exit code 1
#include <parallelc.h>
#include <string.h>

static char memory[100000];
__thread_local char area[1000];

__kernel void transfer(void *argument) {
    char here[100] = {0};
    if (strcmp(argument, "outside") == 0) {
        dma_put(memory, here, 100);
    } else if (strcmp(argument, "blocks") == 0) {
        dma_get_stride(area, memory, 66000, 8, 12);
    } else if (strcmp(argument, "boundary") == 0) {
        char *last = spm_malloc(spm_available());
        dma_get(last + 64, memory, 0); dma_put(memory, here, 0);
    } else {
        dma_get(area, memory, 65000); dma_get(area + 900, memory, 65536);
    }
}

int main(int argc, char **argv) { return argc > 1 ? m_run(transfer, argv[1]) : 2; }
