// SPDX-License-Identifier: Apache-2.0
// Record locks exclude ranks from each other as they do processes: all count in one file, under a lock.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "check.h"

static void set_lock(int file, short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  CHECK(fcntl(file, F_SETLKW, &lock) == 0);
}

static void count_one(int file) {
  char text[16] = "";
  CHECK(pread(file, text, sizeof text - 1, 0) >= 0);
  const int now = atoi(text);
  usleep(200);
  const int length = snprintf(text, sizeof text, "%d\n", now + 1);
  CHECK(pwrite(file, text, (size_t)length, 0) == length);
}

// What a child, which is another process, finds in the way of a lock; 0x7f when it gets the lock.
static int try_in_child(int file) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_SETLK, &lock) == 0) _exit(0x7f);
    _exit(fcntl(file, F_GETLK, &lock) == 0 ? lock.l_type : 0x7e);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main(void) {
  const int rank = my_rank(), file = open("counter", O_CREAT | O_RDWR, 0666);
  CHECK(file > 2);
  for (int i = 0; i < 50; ++i) {
    set_lock(file, F_WRLCK);
    count_one(file);
    set_lock(file, F_UNLCK);
    CHECK(lockf(file, F_LOCK, 0) == 0);
    count_one(file);
    CHECK(lockf(file, F_ULOCK, 0) == 0);
  }
  // Locks are the rank's, not those of a descriptor: they do not exclude itself, and any close drops them.
  char name[32];
  snprintf(name, sizeof name, "locked_by_%d", rank);
  const int first = open(name, O_CREAT | O_RDWR, 0666), second = open(name, O_RDWR),
            third = open(name, O_RDONLY);
  set_lock(first, F_WRLCK);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  CHECK(fcntl(second, F_SETLK, &lock) == 0 && fcntl(second, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK);
  lock.l_type = F_WRLCK;
  CHECK(fcntl(third, F_SETLK, &lock) == -1 && errno == EBADF);
  CHECK(try_in_child(first) == F_WRLCK);
  CHECK(close(third) == 0 && try_in_child(first) == 0x7f);
  CHECK(close(second) == 0 && close(first) == 0 && unlink(name) == 0);
  printf("rank %d: locks exclude\n", rank);
  return 0;
}
