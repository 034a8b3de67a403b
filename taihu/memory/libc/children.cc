// SPDX-License-Identifier: Apache-2.0
// posix_spawn, system and popen: the child sees the rank's environment, directory and descriptors.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "taihu/memory/libc/children.h"
#include "taihu/memory/libc/descriptors.h"

namespace taihu::memory::libc {
namespace {

// libc's file actions cannot be read back. So those of ranks are kept as a list of calls. The calls are added
// to new file actions, which first move the rank's descriptors to the numbers 0, 1 and 2.
using Actions = posix_spawn_file_actions_t;
using Action = std::function<int(Actions*)>;
using Recorded = std::vector<Action>;

Recorded* recorded(const Actions* actions) {
  return reinterpret_cast<Recorded*>(actions->__actions);
}

int rank_actions_init(Actions* actions) {
  auto* list = new (std::nothrow) Recorded;
  *actions = {};
  actions->__actions = reinterpret_cast<decltype(actions->__actions)>(list);
  return list ? 0 : ENOMEM;
}

int rank_actions_destroy(Actions* actions) {
  delete recorded(actions);
  actions->__actions = nullptr;
  return 0;
}

class SystemActions {
 public:
  SystemActions() { posix_spawn_file_actions_init(&actions_); }
  ~SystemActions() { posix_spawn_file_actions_destroy(&actions_); }
  SystemActions(const SystemActions&) = delete;
  SystemActions& operator=(const SystemActions&) = delete;
  Actions* get() { return &actions_; }

 private:
  Actions actions_;
};

int record(Actions* actions, Action action) {
  SystemActions trial;  // libc checks the arguments
  const int failure = action(trial.get());
  if (failure == 0) recorded(actions)->push_back(std::move(action));
  return failure;
}

int rank_add_open(Actions* actions, int fd, const char* path, int flags, mode_t mode) {
  return record(actions, [fd, name = std::string(path), flags, mode](Actions* all) {
    return posix_spawn_file_actions_addopen(all, fd, name.c_str(), flags, mode);
  });
}
int rank_add_close(Actions* actions, int fd) {
  return record(actions, [fd](Actions* all) { return posix_spawn_file_actions_addclose(all, fd); });
}
int rank_add_dup2(Actions* actions, int from, int to) {
  return record(actions,
                [from, to](Actions* all) { return posix_spawn_file_actions_adddup2(all, from, to); });
}
int rank_add_chdir(Actions* actions, const char* path) {
  return record(actions, [name = std::string(path)](Actions* all) {
    return posix_spawn_file_actions_addchdir_np(all, name.c_str());
  });
}
int rank_add_fchdir(Actions* actions, int fd) {
  return record(actions, [fd](Actions* all) { return posix_spawn_file_actions_addfchdir_np(all, fd); });
}
int rank_add_closefrom(Actions* actions, int first) {
  return record(actions,
                [first](Actions* all) { return posix_spawn_file_actions_addclosefrom_np(all, first); });
}
int rank_add_terminal(Actions* actions, int fd) {
  return record(actions, [fd](Actions* all) { return posix_spawn_file_actions_addtcsetpgrp_np(all, fd); });
}

void add_rank_descriptors(const RankProcess& rank, Actions* all) {
  for (int number = 0; number < 3; ++number) {
    const int own = rank.descriptors[static_cast<std::size_t>(number)].load();
    if (own == number) continue;
    if (own >= 0 && (::fcntl(own, F_GETFD) & FD_CLOEXEC) == 0)
      posix_spawn_file_actions_adddup2(all, own, number);
    else
      posix_spawn_file_actions_addclose(all, number);
    if (own >= 0) posix_spawn_file_actions_addclose(all, own);
  }
  for_each_foreign(rank, [all](int fd) { posix_spawn_file_actions_addclose(all, fd); });
}

// As posix_spawn, with actions of a rank; the child is not added to the rank's children.
int spawn(pid_t* child, const char* path, const Recorded* actions, const posix_spawnattr_t* attributes,
          char* const* words, char* const* variables) {
  SystemActions all;
  if (RankProcess* rank = rank_with_descriptors()) {
    const std::lock_guard guard(rank->lock);
    add_rank_descriptors(*rank, all.get());
  }
  if (actions)
    for (const Action& action : *actions)
      if (const int failure = action(all.get()); failure != 0) return failure;
  const auto start = [&] { return ::posix_spawn(child, path, all.get(), attributes, words, variables); };
  // What the caller asks for must not be done twice: a file that an attempt has made would be there already.
  return actions == nullptr || actions->empty() ? execute_when_written(start) : start();
}

int rank_posix_spawn(pid_t* child, const char* path, const Actions* actions,
                     const posix_spawnattr_t* attributes, char* const* words, char* const* variables) {
  pid_t number = -1;
  const Recorded* given = actions ? recorded(actions) : nullptr;
  const UntilChildIsKnown blocked;
  posix_spawnattr_t own;
  if (attributes)
    own = *attributes;
  else
    posix_spawnattr_init(&own);
  short flags = 0;
  posix_spawnattr_getflags(&own, &flags);
  if ((flags & POSIX_SPAWN_SETSIGMASK) == 0) {
    posix_spawnattr_setsigmask(&own, &blocked.before());
    posix_spawnattr_setflags(&own, static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK));
  }
  const int failure = spawn(&number, path, given, &own, words, variables);
  if (failure != 0) return failure;
  if (RankProcess* rank = self()) rank->children.add(number);
  if (child) *child = number;
  return 0;
}

int rank_posix_spawnp(pid_t* child, const char* name, const Actions* actions,
                      const posix_spawnattr_t* attributes, char* const* words, char* const* variables) {
  int failure = ENOENT;
  search_path(name, [&](const char* path) {
    const int result = rank_posix_spawn(child, path, actions, attributes, words, variables);
    if (failure != EACCES || result == 0) failure = result;
    return result != ENOENT && result != ENOTDIR && result != EACCES;
  });
  return failure;
}

// Starts the shell on `command`; `end` of a pipe becomes `number` of the child when number >= 0.
pid_t start_shell(const char* command, int end, int number) {
  const char* words[] = {"sh", "-c", command, nullptr};
  Recorded actions;
  if (number >= 0)
    actions.push_back([=](Actions* all) { return posix_spawn_file_actions_adddup2(all, end, number); });
  RankProcess* rank = self();
  pid_t child = -1;
  const int failure = spawn(&child, "/bin/sh", &actions, nullptr, const_cast<char* const*>(words),
                            rank ? rank->environment() : environ);
  if (failure == 0) return child;
  errno = failure;
  return -1;
}

int wait_for(pid_t child) {
  int status = -1;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) return -1;
  if (RankProcess* rank = self()) rank->children.count(usage);
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
  adopt(ours);
  rank->open_streams.insert(stream);
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
  close_stream(stream);
  return wait_for(child);
}

}  // namespace

std::span<const Replacement> child_calls() {
  static const std::array calls = {replace("posix_spawn", &rank_posix_spawn),
                                   replace("posix_spawnp", &rank_posix_spawnp),
                                   replace("posix_spawn_file_actions_init", &rank_actions_init),
                                   replace("posix_spawn_file_actions_destroy", &rank_actions_destroy),
                                   replace("posix_spawn_file_actions_addopen", &rank_add_open),
                                   replace("posix_spawn_file_actions_addclose", &rank_add_close),
                                   replace("posix_spawn_file_actions_adddup2", &rank_add_dup2),
                                   replace("posix_spawn_file_actions_addchdir_np", &rank_add_chdir),
                                   replace("posix_spawn_file_actions_addfchdir_np", &rank_add_fchdir),
                                   replace("posix_spawn_file_actions_addclosefrom_np", &rank_add_closefrom),
                                   replace("posix_spawn_file_actions_addtcsetpgrp_np", &rank_add_terminal),
                                   replace("system", &rank_system),
                                   replace("popen", &rank_popen),
                                   replace("pclose", &rank_pclose)};
  return calls;
}

}  // namespace taihu::memory::libc
