// SPDX-License-Identifier: Apache-2.0
// Children of ranks: all ways to start one, with its output captured, several ranks at a time.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"

extern char** environ;
static char want[128], folder[64];

// Reads what a child has written; it must end by itself, with nobody else holding the pipe.
static void expect_output(int from, pid_t child) {
  char text[256] = "";
  size_t used = 0;
  for (ssize_t got; (got = read(from, text + used, sizeof text - 1 - used)) > 0;) used += (size_t)got;
  int status = -1;
  CHECK(close(from) == 0 && child > 0 && waitpid(child, &status, 0) == child && status == 0);
  if (strcmp(text, want) != 0) fprintf(stderr, "rank %d: '%s', not '%s'\n", my_rank(), text, want);
  CHECK(strcmp(text, want) == 0);
}

static const char script[] = "echo rank $MINE in ${PWD##*/} umask `umask`";

#define START(call)                                  \
  do {                                               \
    int ends[2];                                     \
    CHECK(pipe(ends) == 0);                          \
    const pid_t child = call();                      \
    if (child == 0) {                                \
      close(ends[0]);                                \
      if (dup2(ends[1], 1) != 1) _exit(98);          \
      close(ends[1]);                                \
      execlp("sh", "sh", "-c", script, (char*)NULL); \
      _exit(99);                                     \
    }                                                \
    CHECK(close(ends[1]) == 0);                      \
    expect_output(ends[0], child);                   \
  } while (0)

static void start_by_spawn(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  posix_spawn_file_actions_t actions;
  CHECK(posix_spawn_file_actions_init(&actions) == 0);
  CHECK(posix_spawn_file_actions_addclose(&actions, ends[0]) == 0);
  CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
  CHECK(posix_spawn_file_actions_addclose(&actions, ends[1]) == 0);
  CHECK(posix_spawn_file_actions_addclose(&actions, -1) == EBADF);
  char* words[] = {"sh", "-c", (char*)script, NULL};
  pid_t child = -1;
  CHECK(posix_spawnp(&child, "sh", &actions, NULL, words, environ) == 0);
  CHECK(posix_spawn_file_actions_destroy(&actions) == 0 && close(ends[1]) == 0);
  CHECK(posix_spawnp(&child, "no such program", NULL, NULL, words, environ) == ENOENT);
  expect_output(ends[0], child);
}

static void start_by_popen(void) {
  char text[256] = "";
  FILE* pipe = popen(script, "r");
  CHECK(pipe && fgets(text, sizeof text, pipe) && pclose(pipe) == 0 && strcmp(text, want) == 0);
}

static void expect_in_file(void) {
  char text[256] = "";
  FILE* file = fopen("captured", "r");
  CHECK(file && fgets(text, sizeof text, file) && fclose(file) == 0 && strcmp(text, want) == 0);
}

// The child's output goes where the rank's does.
static void start_redirected(void) {
  fflush(stdout);
  const int kept = dup(1), file = open("captured", O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0666);
  CHECK(dup2(file, 1) == 1 && close(file) == 0 && system(script) == 0);
  expect_in_file();
  CHECK(ftruncate(1, 0) == 0);
  const pid_t child = vfork();
  if (child == 0) execl("/bin/sh", "sh", "-c", script, (char*)NULL);
  int status = -1;
  CHECK(wait(&status) == child && status == 0);
  expect_in_file();
  CHECK(dup2(kept, 1) == 1 && close(kept) == 0);
}

// The rank's own PATH counts, and scripts without "#!" run.
static void check_path(int rank) {
  mkdir("tools", 0777);
  FILE* file = fopen("tools/own_tool", "w");
  CHECK(file && fprintf(file, "exit $((%d + $1))\n", rank) > 0 && fclose(file) == 0);
  CHECK(chmod("tools/own_tool", 0755) == 0);
  char* before = strdup(getenv("PATH"));
  CHECK(setenv("PATH", "tools:/bin:/usr/bin", 1) == 0);
  const pid_t child = fork();
  if (child == 0) {
    execlp("own_tool", "own_tool", "20", (char*)NULL);
    _exit(99);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 20 + rank);
  CHECK(setenv("PATH", before, 1) == 0 && unlink("tools/own_tool") == 0 && rmdir("tools") == 0);
  free(before);
}

static void* close_later(void* descriptor) {
  usleep(30000);
  close(*(int*)descriptor);
  return NULL;
}

// A program whose file somebody else has open for writing for a moment, as a child of another rank may.
static void check_just_written(int rank) {
  for (int spawned = 0; spawned < 2; ++spawned) {
    int file = open("written", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0755);
    CHECK(file >= 0 && dprintf(file, "#!/bin/sh\nexit %d\n", 20 + rank) > 0);
    pthread_t closer;
    CHECK(pthread_create(&closer, NULL, close_later, &file) == 0);
    char* words[] = {"written", NULL};
    pid_t child = -1;
    if (spawned) {
      CHECK(posix_spawn(&child, "./written", NULL, NULL, words, environ) == 0);
    } else if ((child = fork()) == 0) {
      close(file);
      execv("./written", words);
      _exit(99);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 20 + rank);
    CHECK(pthread_join(closer, NULL) == 0 && unlink("written") == 0);
  }
}

// "Any child" is a child of this rank.
static void check_wait(int rank) {
  int status = 0;
  CHECK(wait(&status) == -1 && errno == ECHILD);
  pid_t children[3];
  for (int i = 0; i < 3; ++i)
    if ((children[i] = fork()) == 0) {
      usleep(20000u * (unsigned)(3 - i));
      _exit(10 * (i + 1) + rank);
    }
  for (int seen = 0; seen < 3; ++seen) {
    const pid_t child = wait(&status);
    int which = 0;
    while (which < 3 && children[which] != child) ++which;
    CHECK(which < 3 && WIFEXITED(status) && WEXITSTATUS(status) == 10 * (which + 1) + rank);
    children[which] = 0;
  }
  CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
}

// A child that goes on by itself: own memory, own descriptors, own streams.
static void check_computing_child(int rank) {
  static int value = 1;
  int ends[2];
  CHECK(pipe(ends) == 0);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    value = 40 + rank;
    char* block = malloc(100000);
    memset(block, value, 100000);
    if (dup2(ends[1], 1) != 1) exit(1);
    printf("child of %d: %d\n", rank, block[99999]);
    exit(value);
  }
  close(ends[1]);
  char text[64] = "", line[64];
  snprintf(line, sizeof line, "child of %d: %d\n", rank, 40 + rank);
  for (size_t used = 0; read(ends[0], text + used, sizeof text - 1 - used) > 0;) used = strlen(text);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 40 + rank && value == 1);
  CHECK(strcmp(text, line) == 0 && close(ends[0]) == 0);
}

// A handler that waits for whatever has ended, while the rank makes children and allocates.
static volatile sig_atomic_t ended_children;
static void reap(int signal) {
  const int before = errno;
  while (waitpid(-1, NULL, WNOHANG) > 0) ++ended_children;
  errno = signal == SIGCHLD ? before : 0;
}

static void check_handler_that_waits(void) {
  enum { children = 20 };
  struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGCHLD, &action, NULL) == 0);
  for (int i = 0; i < children; ++i) {
    const pid_t child = i % 2 ? fork() : vfork();
    if (child == 0) _exit(0);
    free(malloc(1000));
  }
  for (int i = 0; i < 1000 && ended_children < children; ++i) usleep(5000);
  CHECK(ended_children == children && signal(SIGCHLD, SIG_DFL) == reap);
}

static int before_fork, in_parent;
static void count_before(void) {
  ++before_fork;
}
static void count_in_parent(void) {
  ++in_parent;
}

static void check_handlers(void) {
  CHECK(pthread_atfork(count_before, count_in_parent, NULL) == 0);
  usleep(50000);  // all ranks have registered theirs
  const pid_t child = fork();
  if (child == 0) _exit(before_fork == 1 ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  usleep(50000);
  CHECK(before_fork == 1 && in_parent == 1);
}

int main(void) {
  const int rank = my_rank();
  snprintf(folder, sizeof folder, "folder_of_%d", rank);
  CHECK(mkdir(folder, 0777) == 0 && chdir(folder) == 0);
  umask(rank % 2 ? 077 : 022);
  char text[16];
  snprintf(text, sizeof text, "%d", rank);
  setenv("MINE", text, 1);
  snprintf(want, sizeof want, "rank %d in %s umask %s\n", rank, folder, rank % 2 ? "0077" : "0022");
  for (int round = 0; round < 3; ++round) {
    START(fork);
    START(vfork);
    start_by_spawn();
    start_by_popen();
    start_redirected();
  }
  check_path(rank);
  check_just_written(rank);
  check_wait(rank);
  check_computing_child(rank);
  check_handlers();
  check_handler_that_waits();
  printf("rank %d: children are its own\n", rank);
  return 0;
}
