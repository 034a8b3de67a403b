// SPDX-License-Identifier: Apache-2.0
// The exec family: with the rank's environment and, for names without a slash, the rank's PATH. In a child it
// always works; in a rank itself the new program would take the place of all ranks (process_settings.h). Must
// not allocate: the child of vfork runs on its parent's memory, and nobody would free the block.
#include <alloca.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "taihu/memory/libc/children.h"
#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/process_settings.h"

namespace taihu::memory::libc {
namespace {

char** environment() {
  RankProcess* rank = self();
  return rank ? rank->environment() : environ;
}

// Whether the caller may be replaced by another program. If so, gives its descriptors the system's numbers.
bool prepare_exec() {
  RankProcess* rank = self();
  if (!rank || in_child()) return true;
  if (child_rules().exec) {
    use_system_numbers(*rank);
    return true;
  }
  std::fprintf(
      stderr,
      "taihu: rank %d: exec is refused (the new program would take the place of all ranks of this node "
      "process); start it as a child, with system or posix_spawn\n",
      rank->identity.rank);
  errno = EPERM;
  return false;
}

/// `call` returns only when it has failed, and has set errno then.
template <typename Call>
int execute(Call call) {
  errno = execute_when_written([&] {
    call();
    return errno;
  });
  return -1;
}

int rank_execve(const char* path, char* const* words, char* const* variables) {
  return prepare_exec() ? execute([=] { ::execve(path, words, variables); }) : -1;
}
int rank_fexecve(int file, char* const* words, char* const* variables) {
  file = actual(file);
  return prepare_exec() ? execute([=] { ::fexecve(file, words, variables); }) : -1;
}
int rank_execveat(int folder, const char* path, char* const* words, char* const* variables, int flags) {
  folder = actual(folder);
  return prepare_exec() ? execute([=] { ::execveat(folder, path, words, variables, flags); }) : -1;
}

// A file without "#!" is run by the shell.
void execute_script(const char* path, char* const* words, char* const* variables) {
  std::size_t count = 0;
  while (words[count]) ++count;
  auto** shell_words = static_cast<const char**>(alloca((count + 3) * sizeof(char*)));
  shell_words[0] = "/bin/sh";
  shell_words[1] = path;
  for (std::size_t i = 1; i <= count; ++i) shell_words[i + 1] = words[i];
  if (count == 0) shell_words[2] = nullptr;
  ::execve("/bin/sh", const_cast<char* const*>(shell_words), variables);
}

int rank_execvpe(const char* name, char* const* words, char* const* variables) {
  if (!prepare_exec()) return -1;
  bool denied = false;
  search_path(name, [&](const char* path) {
    execute([=] { ::execve(path, words, variables); });
    if (errno == ENOEXEC) execute_script(path, words, variables);
    denied = denied || errno == EACCES;
    return errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ESTALE && errno != ENODEV &&
           errno != ETIMEDOUT;
  });
  if (denied) errno = EACCES;
  return -1;
}

int rank_execv(const char* path, char* const* words) {
  return rank_execve(path, words, environment());
}
int rank_execvp(const char* name, char* const* words) {
  return rank_execvpe(name, words, environment());
}

std::size_t count_words(const char* first, va_list& rest) {
  std::size_t count = 0;
  for (const char* word = first; word; word = va_arg(rest, const char*)) ++count;
  return count;
}

void collect(char** words, const char* first, va_list& rest) {
  for (const char* word = first; word; word = va_arg(rest, const char*)) *words++ = const_cast<char*>(word);
  *words = nullptr;
}

// Defines `words` from the arguments behind `first`, on the stack.
#define TAIHU_COLLECT_WORDS(first)                                         \
  va_list rest;                                                            \
  va_start(rest, first);                                                   \
  const std::size_t count = count_words(first, rest);                      \
  va_end(rest);                                                            \
  auto** words = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  va_start(rest, first);                                                   \
  collect(words, first, rest)

int rank_execl(const char* path, const char* first, ...) {
  TAIHU_COLLECT_WORDS(first);
  va_end(rest);
  return rank_execv(path, words);
}

int rank_execlp(const char* name, const char* first, ...) {
  TAIHU_COLLECT_WORDS(first);
  va_end(rest);
  return rank_execvp(name, words);
}

int rank_execle(const char* path, const char* first, ...) {
  TAIHU_COLLECT_WORDS(first);
  char* const* variables = first ? va_arg(rest, char* const*) : nullptr;
  va_end(rest);
  return rank_execve(path, words, variables);
}

}  // namespace

std::span<const Replacement> exec_calls() {
  static const std::array calls = {replace("execv", &rank_execv),      replace("execvp", &rank_execvp),
                                   replace("execl", &rank_execl),      replace("execlp", &rank_execlp),
                                   replace("execve", &rank_execve),    replace("execvpe", &rank_execvpe),
                                   replace("execle", &rank_execle),    replace("fexecve", &rank_fexecve),
                                   replace("execveat", &rank_execveat)};
  return calls;
}

}  // namespace taihu::memory::libc
