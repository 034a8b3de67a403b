// SPDX-License-Identifier: Apache-2.0
// What the processes of a node share: memory, and the work of filling it.
#include <parallelc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "scene.h"

// A node_shared variable has a fixed size. Pages that nobody touches cost nothing.
enum { capacity = 1900 * 1024 * 1024 };
node_shared uint8_t shared_bytes[capacity] __attribute__((aligned(64)));
static size_t used;

void *node_memory(size_t bytes) {
    if (bytes > capacity - used)
        give_up("the scene needs more than the %d MiB that the processes of a node share", capacity >> 20);
    void *memory = shared_bytes + used;
    used += (bytes + 63) / 64 * 64;
    return memory;
}

typedef struct {
    void (*body)(long cell);
    long count;
} cells;

__kernel void take_cells(void *argument) {
    const cells *work = argument;
    long id;
    while ((id = get_task_id(work->count, NULL, CCC_NODE)) >= 0) work->body(id);
}

void for_all_on_node(void (*body)(long cell), long count) {
    cells work = {body, count};
    m_run(take_cells, &work);
    m_barrier(CCC_NODE);
}

void give_up(const char *format, ...) {
    if (m_rank(CCC_NODE) == 0) {
        va_list values;
        va_start(values, format);
        fputs("volume: ", stderr);
        vfprintf(stderr, format, values);
        fputc('\n', stderr);
        va_end(values);
        m_abort(1);
    }
    for (;;) pause();  // until the job is ended
}
