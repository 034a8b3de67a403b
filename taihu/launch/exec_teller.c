/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program that only becomes another one (program_behind.h), and so into that other one: the
 * compiled program with the name in EXEC_TELLER_OF. There it tells words and variables on standard output
 * and ends the process before anything of the program runs. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell_list(char* const* texts) {
  size_t count = 0;
  while (texts[count] != NULL) ++count;
  printf("%zu%c", count, 0);
  for (size_t i = 0; i < count; ++i) printf("%s%c", texts[i], 0);
}

/* The C library gives constructors what it gives main. */
__attribute__((constructor)) static void tell(int argc, char** argv, char** envp) {
  (void)argc;
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  const char* const sought = getenv("EXEC_TELLER_OF");
  if (length <= 0 || sought == NULL) return;
  path[length] = '\0';
  if (strcmp(strrchr(path, '/') + 1, sought) != 0) return;
  printf("taihu: exec%c%s%c", 0, path, 0);
  tell_list(argv);
  tell_list(envp);
  fflush(stdout);
  _exit(0);
}
