// SPDX-License-Identifier: Apache-2.0
// Tasks of a round with a checkpoint file, for task_restart_test.py, which kills it. Writes a line "begin ID" and, before
// it asks for the next task, "end ID" into LOG. usage: task_restart TOTAL FILE LOG process|kernel
#include <parallelc.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int log_file;
static long total;
static const char *file;

static void note(const char *what, long id) {
    char line[64];
    const int length = snprintf(line, sizeof line, "%s %ld\n", what, id);
    if (write(log_file, line, (size_t)length) != length) m_abort(1);
}

__kernel void work(void *unused) {
    (void)unused;
    long id;
    while ((id = get_task_id(total, file, CCC_ALL)) >= 0) {
        note("begin", id);
        for (volatile long i = 0; i < id * 7919 % 20000; i++) {
        }
        note("end", id);
    }
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    total = atol(argv[1]);
    file = argv[2];
    log_file = open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (log_file < 0) return 1;
    if (strcmp(argv[4], "kernel") == 0)
        m_run(work, NULL);
    else
        work(NULL);
    m_barrier(CCC_ALL);
    if (m_rank(CCC_ALL) == 0) puts("all tasks are complete");
    return 0;
}
