// SPDX-License-Identifier: Apache-2.0
// A rank whose lines are tagged redirects its output: dup2, close and open, and freopen work, and its
// children follow; back on the job's output its lines are tagged again.
#include <errno.h>
#include <fcntl.h>

#include "check.h"

int main(void) {
  CHECK(fileno(stdout) == 1);
  puts("tagged before");
  const int file = open("duplicated", O_CREAT | O_WRONLY, 0666);
  CHECK(dup2(file, 1) == 1 && close(file) == 0);
  puts("in the first file");
  fflush(stdout);
  CHECK(close(1) == 0 && open("opened", O_CREAT | O_WRONLY, 0666) == 1);
  puts("in the second file");
  fflush(stdout);
  CHECK(close(1) == 0 && (puts("nowhere") == EOF || fflush(stdout) == EOF) && errno == EBADF);
  clearerr(stdout);
  CHECK(freopen("reopened", "w", stdout) != NULL);
  puts("in the file");
  fflush(stdout);
  CHECK(system("echo child") == 0);
  return 0;
}
