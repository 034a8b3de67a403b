// SPDX-License-Identifier: Apache-2.0
// What a process has when its main runs on an accelerator thread: arguments, environment, private variables, streams, signals,
// threads, deep recursion, calls of the language, exit handlers. Arguments: "a b" "", then how to end.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int own, *pointer = &own, signals, created;
static __thread int of_thread = 5;
node_shared int counts[256];
static long table[1000];
static int arrived, incoming, own_rank;

static void at_end(void) { printf("exit handler of rank %d\n", own_rank); }

__attribute__((constructor)) static void construct(void) { created = 1; }

static void handle(int number) { signals += number; }

static void *thread(void *argument) {
    of_thread = 7;
    own++;  // that of its process
    return argument;
}

// More than the stack that threads have by default.
__attribute__((noinline)) static long deep(int level) {
    volatile char frame[4096];
    frame[0] = (char)level;
    return level == 0 ? 0 : frame[0] - (char)level + 1 + deep(level - 1);
}

static void check_process(int argc, char **argv) {
    extern char **environ;
    CHECK(argc >= 4 && strcmp(argv[1], "a b") == 0 && argv[2][0] == 0 && argv[argc] == NULL && created == 1);
    CHECK(getenv("TAIHU_RANK") && atoi(getenv("TAIHU_RANK")) == m_rank(CCC_ALL) && environ[0] != NULL);
    CHECK(pointer == &own);
    *pointer = m_rank(CCC_ALL);
    m_barrier(CCC_ALL);
    CHECK(own == m_rank(CCC_ALL) && of_thread == 5);
    pthread_t started;
    CHECK(pthread_create(&started, NULL, thread, &own) == 0);
    void *result;
    CHECK(pthread_join(started, &result) == 0 && result == &own && own == m_rank(CCC_ALL) + 1 && of_thread == 5);
    signal(SIGUSR1, handle);
    CHECK(raise(SIGUSR1) == 0 && signals == SIGUSR1);
    CHECK(kill(getpid(), SIGUSR1) == 0);
    while (signals != 2 * SIGUSR1) usleep(100);
    CHECK(deep(10000) == 10000);  // 40 MB
    jmp_buf back;
    volatile int jumps = 0;
    if (setjmp(back) < 3) jumps++, longjmp(back, jumps);
    CHECK(jumps == 3);
    errno = 0;
    CHECK(fopen("/nowhere/file", "r") == NULL && errno == ENOENT);
}

static void check_streams(void) {
    char line[40];
    if (m_rank(CCC_ALL) == 0) {
        CHECK(fgets(line, sizeof line, stdin) && strcmp(line, "first line\n") == 0);
        int a, b;
        CHECK(scanf("%d %d", &a, &b) == 2 && a == 3 && b == -4);
    }
    CHECK(getchar() == (m_rank(CCC_ALL) == 0 ? '\n' : EOF));
    printf("rank %d: ", m_rank(CCC_ALL)), printf("parts of %s", "a line"), puts("");
    const int length = printf("rank %d\n", m_rank(CCC_ALL));
    CHECK(length == (m_rank(CCC_ALL) < 10 ? 7 : 8));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        printf("child of rank %d\n", own_rank);
        exit(6);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 6);
}

static void check_language(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL), next = (rank + 1) % size;
    forall (int i = 0; i < 256; i++; BLOCK; CCC_NODE) counts[i] = i;
    m_barrier(CCC_NODE);
    for (int i = 0; i < 256; i++) CHECK(counts[i] == i);
    forall (int i = 0; i < 1000; i++; ANY; CCC_ALL) table[i] = i;
    long sum = 0, all = 0;
    for (int i = 0; i < 1000; i++) sum += table[i];
    m_allreduce(CCC_ALL, &sum, &all, 1, M_LONG, M_SUM);
    CHECK(all == 999 * 1000 / 2);
    m_msg_put_wait(next, &own, &incoming, sizeof own, &arrived);
    m_wait_reply(&arrived, 1);
    CHECK(incoming == (rank + size - 1) % size + 1);
    int in = -1;
    handle_t sent = m_isend(next, &own, sizeof own, 1);
    m_recv((rank + size - 1) % size, &in, sizeof in, 1, NULL);
    m_wait(&sent, NULL);
    CHECK(in == incoming);
    long done = 0, id, tasks = 0;
    while ((id = get_task_id(300, NULL, CCC_ALL)) >= 0) done += id + 1;
    m_reduce(CCC_ALL, &done, &tasks, 1, M_LONG, M_SUM, 0);
    CHECK(rank != 0 || tasks == 300 * 301 / 2);
    void *memory = m_malloc(100);
    CHECK(memory != NULL);
    m_free(memory);
}

int main(int argc, char **argv) {
    own_rank = m_rank(CCC_ALL);
    atexit(at_end);
    check_process(argc, argv);
    check_streams();
    check_language();
    all_checks_passed("autonomic");
    const char *end = argv[3];
    if (strcmp(end, "exit") == 0) exit(0);
    if (strcmp(end, "_exit") == 0) printf("not flushed by _exit"), _exit(0);
    if (strcmp(end, "pthread_exit") == 0) pthread_exit(NULL);
    if (strcmp(end, "code") == 0 && m_rank(CCC_ALL) == 0) exit(41);
    if (strcmp(end, "code") == 0) m_barrier(CCC_ALL);  // ended there
    if (strcmp(end, "abort") == 0 && m_rank(CCC_ALL) == 0) abort();
    if (strcmp(end, "abort") == 0) m_barrier(CCC_ALL);
    if (strcmp(end, "crash") == 0 && m_rank(CCC_ALL) == 0) *(volatile int *)(size_t)(argc - 4) = 1;
    if (strcmp(end, "crash") == 0) m_barrier(CCC_ALL);
    return 0;
}
