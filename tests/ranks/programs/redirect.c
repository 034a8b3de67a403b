// SPDX-License-Identifier: Apache-2.0
// A rank whose lines are tagged redirects its output: dup2 is refused, freopen works and its children follow.
#include <errno.h>
#include <fcntl.h>

#include "check.h"

int main(void) {
  const int file = open("/dev/null", O_WRONLY);
  CHECK(dup2(file, 1) == -1 && errno == ENOTSUP);
  puts("still tagged");
  CHECK(freopen("reopened", "w", stdout) != NULL);
  puts("in the file");
  fflush(stdout);
  CHECK(system("echo child") == 0);
  return 0;
}
