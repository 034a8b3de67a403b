// SPDX-License-Identifier: Apache-2.0
// poll, select and their relatives with the rank's numbers.
#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "taihu/memory/libc/descriptors.h"

namespace taihu::memory::libc {
namespace {

// Calls `wait(entries)` with the process's descriptors in the entries.
template <typename Wait>
int with_actual(pollfd* entries, nfds_t count, Wait wait) {
  if (!rank_with_descriptors() || std::none_of(entries, entries + count, [](const pollfd& entry) {
        return actual(entry.fd) != entry.fd;
      }))
    return wait(entries);
  std::vector<pollfd> changed(entries, entries + count);
  int closed = 0;
  for (pollfd& entry : changed) {
    const bool given = entry.fd >= 0;
    entry.fd = actual(entry.fd);
    closed += given && entry.fd < 0;
  }
  if (closed > 0) {  // poll reports these at once
    for (nfds_t i = 0; i < count; ++i)
      entries[i].revents = entries[i].fd >= 0 && changed[i].fd < 0 ? POLLNVAL : 0;
    return closed;
  }
  const int result = wait(changed.data());
  for (nfds_t i = 0; i < count; ++i) entries[i].revents = changed[i].revents;
  return result;
}

int rank_poll(pollfd* entries, nfds_t count, int timeout) {
  return with_actual(entries, count, [&](pollfd* known) { return ::poll(known, count, timeout); });
}
int rank_poll_checked(pollfd* entries, nfds_t count, int timeout, std::size_t) {
  return rank_poll(entries, count, timeout);
}
int rank_ppoll(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return with_actual(entries, count, [&](pollfd* known) { return ::ppoll(known, count, timeout, mask); });
}

// A set of descriptors for select with the rank's numbers replaced by the process's.
struct ActualSet {
  fd_set* given;
  fd_set set{};
  bool closed = false;

  ActualSet(fd_set* wanted, int& count) : given(wanted) {
    if (!given) return;
    std::memcpy(&set, given, std::min(sizeof set, (static_cast<std::size_t>(count) + 63) / 64 * 8));
    for (int number = 0; number < 3; ++number) {
      const int own = actual(number);
      if (number >= count || own == number || !FD_ISSET(number, &set)) continue;
      FD_CLR(number, &set);
      closed = closed || own < 0 || own >= FD_SETSIZE;
      if (closed) continue;
      FD_SET(own, &set);
      highest = std::max(highest, own);
    }
  }
  int highest = -1;
  fd_set* place() { return given ? &set : nullptr; }
  void give_back(int count) {
    if (!given) return;
    for (int number = 0; number < std::min(count, 3); ++number) {
      const int own = actual(number);
      if (own == number || own < 0) continue;
      if (FD_ISSET(own, &set)) FD_SET(number, &set);
      FD_CLR(own, &set);
    }
    std::memcpy(given, &set, std::min(sizeof set, (static_cast<std::size_t>(count) + 63) / 64 * 8));
  }
};

template <typename Wait>
int with_actual_sets(int count, fd_set* input, fd_set* output, fd_set* errors, Wait wait) {
  bool changed = false;
  for (int number = 0; number < std::min(count, 3); ++number)
    for (const fd_set* set : {input, output, errors})
      changed = changed || (set && FD_ISSET(number, set) && actual(number) != number);
  if (!changed) return wait(count, input, output, errors);
  std::array sets = {ActualSet(input, count), ActualSet(output, count), ActualSet(errors, count)};
  int needed = count;
  for (const ActualSet& set : sets) {
    needed = std::max(needed, set.highest + 1);
    if (!set.closed) continue;
    errno = EBADF;
    return -1;
  }
  const int result = wait(needed, sets[0].place(), sets[1].place(), sets[2].place());
  if (result >= 0)
    for (ActualSet& set : sets) set.give_back(count);
  return result;
}

int rank_select(int count, fd_set* input, fd_set* output, fd_set* errors, timeval* timeout) {
  return with_actual_sets(count, input, output, errors, [&](int most, fd_set* in, fd_set* out, fd_set* err) {
    return ::select(most, in, out, err, timeout);
  });
}
int rank_pselect(int count, fd_set* input, fd_set* output, fd_set* errors, const timespec* timeout,
                 const sigset_t* mask) {
  return with_actual_sets(count, input, output, errors, [&](int most, fd_set* in, fd_set* out, fd_set* err) {
    return ::pselect(most, in, out, err, timeout, mask);
  });
}

}  // namespace

std::span<const Replacement> descriptor_waits() {
  static const std::array calls = {replace("poll", &rank_poll), replace("__poll_chk", &rank_poll_checked),
                                   replace("ppoll", &rank_ppoll), replace("select", &rank_select),
                                   replace("pselect", &rank_pselect)};
  return calls;
}

}  // namespace taihu::memory::libc
