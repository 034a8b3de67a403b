// SPDX-License-Identifier: Apache-2.0
// What the calls that make child processes share.
#pragma once

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "taihu/base/search_path.h"
#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {

/// As fork(2) for the rank; the child is a process of this rank alone.
pid_t fork_rank();

/// Keeps SIGCHLD from the thread until a new child is known, so that a handler finds it.
class UntilChildIsKnown {
 public:
  UntilChildIsKnown() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~UntilChildIsKnown() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  UntilChildIsKnown(const UntilChildIsKnown&) = delete;
  UntilChildIsKnown& operator=(const UntilChildIsKnown&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// Calls `attempt(path)` for the places where execvp would look for `name` in the rank's PATH, until one
/// returns true. Allocates nothing.
template <typename Attempt>
void search_path(const char* name, Attempt attempt) {
  const RankProcess* rank = self();
  const char* list = rank ? environment_value(*rank, "PATH") : std::getenv("PATH");
  if (!list) list = default_search_path;
  if (std::strchr(name, '/') || *name == '\0') {
    attempt(name);
    return;
  }
  char path[PATH_MAX];
  for (const char* at = list;; ++at) {
    const std::size_t length = std::strcspn(at, ":");
    const int needed = std::snprintf(path, sizeof path, "%.*s%s%s", static_cast<int>(length), at,
                                     length > 0 ? "/" : "", name);
    if (needed < PATH_MAX && attempt(static_cast<const char*>(path))) return;
    at += length;
    if (*at == '\0') return;
  }
}

/// Calls `execute()`, which starts a program or returns the error number, again while the program's file is
/// open for writing: a child that another rank forks holds what this rank was just writing until its own
/// start. Processes of their own would not see that. For a tenth of a second at most: the rank itself may
/// have it open. Allocates nothing.
template <typename Execute>
int execute_when_written(Execute execute) {
  constexpr timespec pause{0, 1'000'000};
  int error = execute();
  for (int left = 100; error == ETXTBSY && left > 0 && self() != nullptr; --left) {
    ::nanosleep(&pause, nullptr);
    error = execute();
  }
  return error;
}

}  // namespace taihu::memory::libc
