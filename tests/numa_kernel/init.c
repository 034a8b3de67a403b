/* SPDX-License-Identifier: Apache-2.0
 *
 * The first process of the emulated machine: mounts what programs look at, runs the commands of /commands one
 * after the other, tells how each ended, and switches the machine off.
 *
 * A command is one line of words: NAME=VALUE words set its environment, `thp=VALUE` and `balancing=VALUE` set
 * the kernel's huge pages and automatic NUMA balancing from then on, `group=NAME` starts the program in this
 * control group (made at its first use), `write=FILE=TEXT` writes into a file of the kernel, the rest is the
 * program and its arguments. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_words = 64 };

#define groups "/sys/fs/cgroup"

static void write_file(const char* path, const char* text) {
  const int file = open(path, O_WRONLY);
  if (file < 0 || write(file, text, strlen(text)) < 0) printf("cannot write %s to %s: %m\n", text, path);
  if (file >= 0) close(file);
}

static void mount_all(void) {
  static const char* const places[][2] = {
      {"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"}, {"cgroup2", groups}};
  for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
    mkdir(places[i][1], 0755);
    if (mount(places[i][0], places[i][1], places[i][0], 0, NULL) != 0)
      printf("cannot mount %s: %m\n", places[i][1]);
  }
}

static void make_group(const char* name, char* members, size_t bytes) {
  static const char folder[] = groups;
  snprintf(members, bytes, "%s/%s", folder, name);
  mkdir(members, 0755);
  snprintf(members, bytes, "%s/%s/cgroup.procs", folder, name);
}

static void write_word(char* file_and_text) {
  char* text = strchr(file_and_text, '=');
  if (!text) return;
  *text++ = 0;
  write_file(file_and_text, text);
}

/* Splits a line into words; true when it names a program. */
static int split(char* line, char** environment, char** arguments, char* members, size_t bytes) {
  int variables = 0, words = 0;
  for (char* word = strtok(line, " \n"); word && words < most_words - 1; word = strtok(NULL, " \n")) {
    if (words == 0 && strncmp(word, "thp=", 4) == 0)
      write_file("/sys/kernel/mm/transparent_hugepage/enabled", word + 4);
    else if (words == 0 && strncmp(word, "balancing=", 10) == 0)
      write_file("/proc/sys/kernel/numa_balancing", word + 10);
    else if (words == 0 && strncmp(word, "group=", 6) == 0)
      make_group(word + 6, members, bytes);
    else if (words == 0 && strncmp(word, "write=", 6) == 0)
      write_word(word + 6);
    else if (words == 0 && strchr(word, '='))
      environment[variables++] = word;
    else
      arguments[words++] = word;
  }
  environment[variables] = arguments[words] = NULL;
  return words > 0;
}

static void run(char* line) {
  char *environment[most_words], *arguments[most_words], copy[4096], members[256] = "";
  snprintf(copy, sizeof copy, "%s", line);
  if (!split(line, environment, arguments, members, sizeof members)) return;
  printf("== run %s", copy);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (members[0]) write_file(members, "0");
    execve(arguments[0], arguments, environment);
    printf("cannot run %s: %m\n", arguments[0]);
    fflush(stdout);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  printf("== end %d, %ld s after the start\n",
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), (long)now.tv_sec);
  fflush(stdout);
}

int main(void) {
  mount_all();
  write_file(groups "/cgroup.subtree_control", "+memory");
  write_file(groups "/cgroup.subtree_control", "+cpuset");
  FILE* commands = fopen("/commands", "r");
  char line[4096];
  while (commands && fgets(line, sizeof line, commands)) run(line);
  printf("== off\n");
  fflush(stdout);
  reboot(RB_POWER_OFF);
  return 1;
}
