// SPDX-License-Identifier: Apache-2.0
// Descriptors of ranks: a new one has the lowest free number of 0, 1, 2, streams follow the numbers, and no
// rank closes or replaces what another has opened.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "check.h"

static char name[64];

static void expect_file(const char* want) {
  char text[256] = "";
  const int file = open(name, O_RDONLY);
  CHECK(file >= 0 && read(file, text, sizeof text - 1) >= 0 && close(file) == 0);
  if (strcmp(text, want) != 0) fprintf(stderr, "in %s: '%s', not '%s'\n", name, text, want);
  CHECK(strcmp(text, want) == 0);
}

static void check_output(int rank) {
  fflush(stdout);
  const int kept = dup(1);
  CHECK(kept > 2 && close(1) == 0);
  CHECK(write(1, "x", 1) == -1 && errno == EBADF && fcntl(1, F_GETFD) == -1 && close(1) == -1);
  CHECK(open(name, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0666) == 1);
  let_others_run();
  printf("printed by %d\n", rank);
  CHECK(fflush(stdout) == 0 && dprintf(STDOUT_FILENO, "written\n") == 8);
  FILE* again = fopen("/dev/stdout", "a");
  CHECK(again && fileno(again) > 2 && fputs("by name\n", again) >= 0 && fclose(again) == 0);
  CHECK(system("echo child") == 0);
  struct stat by_number, by_name;
  CHECK(fstat(1, &by_number) == 0 && stat(name, &by_name) == 0 && by_number.st_ino == by_name.st_ino);
  char want[128];
  snprintf(want, sizeof want, "printed by %d\nwritten\nby name\nchild\n", rank);
  expect_file(want);
  // The same by way of streams: fopen takes the number that fclose has freed.
  CHECK(fclose(stdout) == 0);
  FILE* file = fopen(name, "w");
  CHECK(file && fileno(file) == 1 && write(1, "a", 1) == 1 && fclose(file) == 0);
  CHECK(write(1, "x", 1) == -1);
  expect_file("a");
  CHECK(dup2(kept, 1) == 1 && close(kept) == 0);
}

static void check_input(int rank) {
  FILE* file = fopen(name, "w");
  CHECK(file && fprintf(file, "%d 77 rest\n", rank) > 0 && fclose(file) == 0);
  CHECK(close(0) == 0 && open(name, O_RDONLY) == 0);
  let_others_run();
  int first = -1, second = -1;
  CHECK(scanf("%d", &first) == 1 && first == rank && scanf("%d", &second) == 1 && second == 77);
  CHECK(lseek(0, 0, SEEK_SET) == 0);
  char letter = 0;
  CHECK(pread(0, &letter, 1, 0) == 1 && letter == '0' + rank);
}

// Everything that opens descriptors takes the lowest free number.
static void check_lowest(void) {
  int ends[2];
  CHECK(close(0) == 0 && pipe(ends) == 0 && ends[0] == 0 && ends[1] > 2);
  CHECK(write(ends[1], "p", 1) == 1);
  struct pollfd entry = {.fd = 0, .events = POLLIN};
  CHECK(poll(&entry, 1, 1000) == 1 && entry.revents == POLLIN);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(0, &set);
  CHECK(select(1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(0, &set));
  char letter = 0;
  CHECK(read(0, &letter, 1) == 1 && letter == 'p');
  CHECK(close(0) == 0 && close(ends[1]) == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && ends[0] == 0);
  CHECK(send(0, "s", 1, 0) == 1 && recv(ends[1], &letter, 1, 0) == 1 && letter == 's');
  // The other end of a message gets the file behind the number.
  char control[CMSG_SPACE(sizeof(int))];
  struct iovec part = {&letter, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  *header =
      (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  *(int*)CMSG_DATA(header) = 0;
  CHECK(sendmsg(ends[1], &message, 0) == 1 && close(ends[1]) == 0);
  CHECK(recvmsg(0, &message, 0) == 1);
  const int received = *(int*)CMSG_DATA(CMSG_FIRSTHDR(&message));
  CHECK(received > 2 && close(received) == 0 && close(0) == 0);
  CHECK(dup(2) == 0 && close(0) == 0 && fcntl(2, F_DUPFD, 0) == 0 && close(0) == 0);
  CHECK(fcntl(2, F_DUPFD, 3) > 2);
  char temporary[] = "temporary_XXXXXX";
  CHECK(mkstemp(temporary) == 0 && unlink(temporary) == 0);
}

// Numbers are used again at once; what one rank has opened is not closed by another's mistake.
static void check_strangers(int rank) {
  char mine[64], text[8] = "";
  snprintf(mine, sizeof mine, "own_of_%d", rank);
  const int file = open(mine, O_CREAT | O_TRUNC | O_RDWR, 0666);
  CHECK(file > 2 && unlink(mine) == 0);
  usleep(100000);
  for (int other = 3; other < 400; ++other)
    if (other != file) close(other);
  usleep(100000);
  CHECK(pwrite(file, mine, 6, 0) == 6 && pread(file, text, 6, 0) == 6 && memcmp(text, mine, 6) == 0);
  closefrom(3);
  CHECK(fcntl(file, F_GETFD) == -1 || write(file, "", 0) <= 0);
}

int main(void) {
  const int rank = my_rank();
  snprintf(name, sizeof name, "file_of_%d", rank);
  check_output(rank);
  check_input(rank);
  check_lowest();
  check_strangers(rank);
  unlink(name);
  dprintf(2, "rank %d: descriptors are private\n", rank);
  return 0;
}
