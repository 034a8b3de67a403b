// SPDX-License-Identifier: Apache-2.0
// Child processes of a rank see the rank's environment and its descriptors 0, 1, 2. A child made by fork
// holds the whole node process but runs the calling rank's thread alone; it may do what a child of a threaded
// program may, best: exec. Whether fork is allowed at all, and exec of the rank itself, which would take the
// place of all ranks, is up to the process (process_settings.h).
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

#include "taihu/memory/libc/rank_process.h"
#include "taihu/memory/process_settings.h"

namespace taihu::memory::libc {
namespace {

int refuse(const RankProcess& rank, const char* call, const char* reason) {
  std::fprintf(stderr, "taihu: rank %d: %s is refused (%s\n", rank.identity.rank, call, reason);
  errno = EPERM;
  return -1;
}

pid_t rank_fork() {
  RankProcess* rank = self();
  if (!rank) return ::fork();
  if (!child_rules().fork)
    return refuse(*rank, "fork",
                  "the child would be a copy of all ranks of this node process, with one thread); when it "
                  "does nothing but exec, allow it with marun --allow-fork");
  rank->lock.lock();
  const pid_t child = ::fork();
  // The child's thread is not the one that the lock knows as its owner.
  if (child == 0)
    new (&rank->lock) std::recursive_mutex;
  else
    rank->lock.unlock();
  if (child == 0)
    for (int i = 0; i < 3; ++i) {
      const int own = rank->descriptors[static_cast<std::size_t>(i)];
      if (own != i && own >= 0) ::dup2(own, i);
      if (own < 0) ::close(i);
      rank->descriptors[static_cast<std::size_t>(i)] = i;
    }
  return child;
}

char** environment() {
  RankProcess* rank = self();
  return rank ? rank->environment() : environ;
}

bool may_exec() {
  RankProcess* rank = self();
  if (!rank || child_rules().exec || rank->in_child_process()) return true;
  refuse(*rank, "exec",
         "the new program would take the place of all ranks of this node process); start it as a child, with "
         "system or posix_spawn");
  return false;
}

int rank_execve(const char* path, char* const* words, char* const* variables) {
  return may_exec() ? ::execve(path, words, variables) : -1;
}
int rank_execvpe(const char* name, char* const* words, char* const* variables) {
  return may_exec() ? ::execvpe(name, words, variables) : -1;
}
int rank_fexecve(int file, char* const* words, char* const* variables) {
  return may_exec() ? ::fexecve(file, words, variables) : -1;
}
int rank_execv(const char* path, char* const* words) {
  return rank_execve(path, words, environment());
}
int rank_execvp(const char* name, char* const* words) {
  return rank_execvpe(name, words, environment());
}

std::vector<char*> collect(const char* first, va_list& rest) {
  std::vector<char*> words;
  for (const char* word = first; word; word = va_arg(rest, const char*))
    words.push_back(const_cast<char*>(word));
  words.push_back(nullptr);
  return words;
}

int rank_execl(const char* path, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const auto words = collect(first, rest);
  va_end(rest);
  return rank_execv(path, words.data());
}

int rank_execlp(const char* name, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const auto words = collect(first, rest);
  va_end(rest);
  return rank_execvp(name, words.data());
}

int rank_execle(const char* path, const char* first, ...) {
  va_list rest;
  va_start(rest, first);
  const auto words = collect(first, rest);
  char* const* variables = first != nullptr ? va_arg(rest, char* const*) : nullptr;
  va_end(rest);
  return rank_execve(path, words.data(), variables);
}

// Starts the shell on `command`; `parent_end` of a pipe is on `child_fd` of the child when child_fd >= 0.
pid_t start_shell(const char* command, int child_end, int child_fd) {
  const char* words[] = {"sh", "-c", command, nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (RankProcess* rank = self())
    for (int i = 0; i < 3; ++i) {
      const int own = rank->descriptors[static_cast<std::size_t>(i)];
      if (own > 2) posix_spawn_file_actions_adddup2(&actions, own, i);
      if (own < 0) posix_spawn_file_actions_addclose(&actions, i);
    }
  if (child_fd >= 0) posix_spawn_file_actions_adddup2(&actions, child_end, child_fd);
  pid_t child = -1;
  const int failure =
      posix_spawn(&child, "/bin/sh", &actions, nullptr, const_cast<char* const*>(words), environment());
  posix_spawn_file_actions_destroy(&actions);
  if (failure == 0) return child;
  errno = failure;
  return -1;
}

int wait_for(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

int rank_system(const char* command) {
  if (!command) return 1;
  const pid_t child = start_shell(command, -1, -1);
  return child < 0 ? -1 : wait_for(child);
}

std::FILE* rank_popen(const char* command, const char* mode) {
  RankProcess* rank = self();
  if (!rank) return ::popen(command, mode);
  const bool reads = std::strchr(mode, 'r') != nullptr;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  const int ours = reads ? ends[0] : ends[1], theirs = reads ? ends[1] : ends[0];
  const pid_t child = start_shell(command, theirs, reads ? 1 : 0);
  ::close(theirs);
  std::FILE* stream = child < 0 ? nullptr : fdopen(ours, reads ? "r" : "w");
  if (!stream) {
    ::close(ours);
    return nullptr;
  }
  const std::lock_guard guard(rank->lock);
  rank->pipes[stream] = child;
  return stream;
}

int rank_pclose(std::FILE* stream) {
  RankProcess* rank = self();
  if (!rank) return ::pclose(stream);
  pid_t child = -1;
  {
    const std::lock_guard guard(rank->lock);
    const auto found = rank->pipes.find(stream);
    if (found == rank->pipes.end()) return ::pclose(stream);
    child = found->second;
    rank->pipes.erase(found);
  }
  std::fclose(stream);
  return wait_for(child);
}

}  // namespace

std::span<const Replacement> child_calls() {
  static const std::array calls = {
      replace("fork", &rank_fork),       replace("vfork", &rank_fork),      replace("execv", &rank_execv),
      replace("execvp", &rank_execvp),   replace("execl", &rank_execl),     replace("execlp", &rank_execlp),
      replace("execve", &rank_execve),   replace("execvpe", &rank_execvpe), replace("execle", &rank_execle),
      replace("fexecve", &rank_fexecve), replace("system", &rank_system),   replace("popen", &rank_popen),
      replace("pclose", &rank_pclose)};
  return calls;
}

}  // namespace taihu::memory::libc
