/* SPDX-License-Identifier: Apache-2.0 */
/* Says with which words and variable it was started. No program of MPI, as R is none. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const char* const home = getenv("R_HOME");
  char line[1000];
  int length = snprintf(line, sizeof line, "words:");
  for (int i = 1; i < argc; ++i)
    length += snprintf(line + length, sizeof line - (size_t)length, " <%s>", argv[i]);
  snprintf(line + length, sizeof line - (size_t)length, " home <%s>", home != NULL ? home : "none");
  puts(line);
  return 0;
}
