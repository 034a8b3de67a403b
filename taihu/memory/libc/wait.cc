// SPDX-License-Identifier: Apache-2.0
// Waiting for children: "any child" is any of the rank's.
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "taihu/memory/libc/descriptors.h"

namespace taihu::memory::libc {

namespace {

// Whether the child is in process group `group`; 0: any.
bool is_in_group(pid_t child, pid_t group) {
  return group == 0 || getpgid(child) == group;
}

// Waits until one of the children has ended. Children that may stop or go on, and those beyond a number, are
// polled from time to time.
void wait_for_change(const RankProcess& rank, pid_t group, bool only_ends) {
  std::array<pollfd, 64> entries;
  nfds_t count = 0;
  bool all = only_ends;
  rank.children.for_each([&](pid_t child) {
    if (!is_in_group(child, group)) return;
    const int fd = count < entries.size() ? static_cast<int>(syscall(SYS_pidfd_open, child, 0)) : -1;
    all = all && fd >= 0;
    if (fd >= 0) entries[count++] = {fd, POLLIN, 0};
  });
  constexpr int look_again_ms = 10;
  ::poll(entries.data(), count, all ? -1 : look_again_ms);
  for (nfds_t i = 0; i < count; ++i) ::close(entries[i].fd);
}

// Calls `attempt(child, options)` for the rank's children until the result is not 0, and returns it. ECHILD
// is ignored (another thread was first). 0: WNOHANG was given and nothing has happened.
template <typename Attempt>
int wait_for_any(RankProcess& rank, pid_t group, int options, Attempt attempt) {
  for (;;) {
    int result = 0, children = 0;
    rank.children.for_each([&](pid_t child) {
      if (result != 0 || !is_in_group(child, group)) return;
      ++children;
      result = attempt(child, options | WNOHANG);
      if (result >= 0 || errno != ECHILD) return;
      rank.children.remove(child);
      result = 0;
      --children;
    });
    if (result != 0) return result;
    if (children == 0) {
      errno = ECHILD;
      return -1;
    }
    if ((options & WNOHANG) != 0) return 0;
    wait_for_change(rank, group, (options & (WUNTRACED | WCONTINUED)) == 0);
  }
}

pid_t rank_wait4(pid_t wanted, int* status, int options, rusage* usage) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank) return ::wait4(wanted, status, options, usage);
  const auto attempt = [&](pid_t child, int how) {
    rusage used{};
    int state = 0;
    const pid_t ended = ::wait4(child, &state, how, &used);
    if (ended <= 0) return ended;
    if (WIFEXITED(state) || WIFSIGNALED(state)) {
      rank->children.remove(ended);
      rank->children.count(used);
    }
    if (status) *status = state;
    if (usage) *usage = used;
    return ended;
  };
  if (wanted > 0) return attempt(wanted, options);
  return wait_for_any(*rank, wanted == -1 ? 0 : wanted == 0 ? getpgrp() : -wanted, options, attempt);
}

pid_t rank_wait3(int* status, int options, rusage* usage) {
  return rank_wait4(-1, status, options, usage);
}
pid_t rank_waitpid(pid_t wanted, int* status, int options) {
  return rank_wait4(wanted, status, options, nullptr);
}
pid_t rank_wait(int* status) {
  return rank_wait4(-1, status, 0, nullptr);
}

int rank_waitid(idtype_t kind, id_t number, siginfo_t* details, int options) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank) return ::waitid(kind, number, details, options);
  const auto attempt = [&](idtype_t of, id_t child, int how) {
    rusage used{};
    siginfo_t found{};
    if (syscall(SYS_waitid, of, child, &found, how, &used) < 0) return -1;
    if (details) *details = found;
    const bool ended =
        found.si_code == CLD_EXITED || found.si_code == CLD_KILLED || found.si_code == CLD_DUMPED;
    if (found.si_pid > 0 && ended && (how & WNOWAIT) == 0) {
      rank->children.remove(found.si_pid);
      rank->children.count(used);
    }
    return found.si_pid > 0 ? 1 : 0;
  };
  int result = 0;
  if (kind == P_ALL || kind == P_PGID) {
    const auto group = kind == P_ALL ? 0 : number == 0 ? getpgrp() : static_cast<pid_t>(number);
    result = wait_for_any(*rank, group, options, [&](pid_t child, int how) {
      return attempt(P_PID, static_cast<id_t>(child), how);
    });
  } else {
    result = attempt(kind, kind == P_PIDFD ? static_cast<id_t>(actual(static_cast<int>(number))) : number,
                     options);
  }
  if (result == 0 && details) details->si_pid = 0, details->si_signo = 0;
  return result < 0 ? -1 : 0;
}

}  // namespace

std::span<const Replacement> wait_calls() {
  static const std::array calls = {replace("wait", &rank_wait),         replace("waitpid", &rank_waitpid),
                                   replace("__waitpid", &rank_waitpid), replace("wait3", &rank_wait3),
                                   replace("wait4", &rank_wait4),       replace("waitid", &rank_waitid)};
  return calls;
}

}  // namespace taihu::memory::libc
