// SPDX-License-Identifier: Apache-2.0
// What accelerator threads ask of the process: output whose calls stay whole, files, system calls that block, messages to
// threads of other processes, tasks of all processes. whole_lines.py checks the output.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { most_threads = 64, lines = 20 };
static int length, ends[2], replies[most_threads], values[most_threads], tasks;

__kernel void print(void *argument) {
    (void)argument;
    const int thread = m_rank(CCC_ARRAY);
    char *text = malloc((size_t)length + 1);
    memset(text, 'a' + thread % 26, (size_t)length), text[length] = 0;
    for (int i = 0; i < lines; i++)
        printf("line %d %d %d %ld %g %c %s\n", m_rank(CCC_ALL), thread, i, (long)i * i, i / 2.0, 'a' + thread % 26,
               text);
    free(text);
}

__kernel void use_files(void *argument) {
    const int thread = m_rank(CCC_ARRAY);
    char name[200], text[100];
    snprintf(name, sizeof name, "%s.%d.%d", (const char *)argument, m_rank(CCC_ALL), thread);
    FILE *file = fopen(name, "w+");
    CHECK(file != NULL);
    for (int i = 0; i < 100; i++) fprintf(file, "%d %d\n", thread, i);
    rewind(file);
    for (int i = 0; i < 100; i++) {
        int a, b;
        CHECK(fgets(text, sizeof text, file) && sscanf(text, "%d %d", &a, &b) == 2 && a == thread && b == i);
    }
    CHECK(fclose(file) == 0 && remove(name) == 0);
}

// Thread 0 is in a system call until the last one has come: the others must go on meanwhile.
__kernel void block(void *argument) {
    (void)argument;
    char c = 'x';
    if (m_rank(CCC_ARRAY) == 0 && m_size(CCC_ARRAY) > 1) CHECK(read(ends[0], &c, 1) == 1);
    if (m_rank(CCC_ARRAY) == m_size(CCC_ARRAY) - 1) CHECK(write(ends[1], &c, 1) == 1);
    m_barrier(CCC_ARRAY);
}

__kernel void talk(void *argument) {
    (void)argument;
    const int thread = m_rank(CCC_ARRAY), rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int out = 100 * rank + thread, in = -1;
    handle_t sent = m_isend(next, &out, sizeof out, thread);
    m_recv(previous, &in, sizeof in, thread, NULL);
    CHECK(in == 100 * previous + thread);
    m_wait(&sent, NULL);
    m_msg_put_wait(next, &out, &values[thread], sizeof out, &replies[thread]);
    m_wait_reply(&replies[thread], 1);
    CHECK(values[thread] == 100 * previous + thread);
    while (get_task_id(500, NULL, CCC_ALL) >= 0) __atomic_fetch_add(&tasks, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
    CHECK(argc == 3 && m_size(CCC_ARRAY) <= most_threads && pipe(ends) == 0);
    length = atoi(argv[1]);
    m_run(print, NULL);
    m_run(use_files, argv[2]);
    m_run(block, NULL);
    m_run(talk, NULL);
    int all = 0;
    m_allreduce(CCC_ALL, &tasks, &all, 1, M_INT, M_SUM);
    CHECK(all == 500);
    return all_checks_passed("proxy");
}
