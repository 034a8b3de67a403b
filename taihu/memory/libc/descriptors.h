// SPDX-License-Identifier: Apache-2.0
// Descriptors of a rank. The numbers 0, 1 and 2 belong to the rank and are looked up in every call. All other
// numbers are the process's. A table knows which rank has opened each, so that no rank closes a descriptor of
// another, and children inherit only those of their rank. In a child process all numbers are the system's.
#pragma once

#include <cstdio>
#include <optional>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {

namespace detail {
/// Above 0 between vfork and exec: this thread runs in the child, on the memory of the parent.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local int vfork_depth;
}  // namespace detail

inline bool is_standard(int fd) noexcept {
  return fd >= 0 && fd < 3;
}

/// Whether the caller runs in a child process that a rank has made.
inline bool in_child() noexcept {
  const RankProcess* rank = self();
  return rank && (rank->is_child || detail::vfork_depth > 0);
}

/// The caller's rank where its numbers are looked up; null on a thread of no rank and in a child process.
inline RankProcess* rank_with_descriptors() noexcept {
  return in_child() ? nullptr : self();
}

/// The process's descriptor for the rank's `fd`; negative when the rank has closed it.
inline int actual(int fd) noexcept {
  if (!is_standard(fd)) return fd;
  const RankProcess* rank = rank_with_descriptors();
  return rank ? rank->descriptors[static_cast<std::size_t>(fd)].load(std::memory_order_relaxed) : fd;
}

/// For tagged streams: where the rank's `fd` leads when it is not the process's `fd`, or in a child.
inline std::optional<int> redirection(int fd) {
  const int now = actual(fd);
  return now != fd || in_child() ? std::optional(now) : std::nullopt;
}

/// The rank's number for a descriptor that the process has just opened for it: the lowest free one of 0, 1, 2
/// that is not below `least`, else the process's. Negative numbers (failures) stay as they are.
int adopt(int fd, int least = 0);

/// The rank's number of the process's descriptor.
int number_of(int fd) noexcept;

/// To be called before the process's descriptor is closed for the rank.
void disown(int fd) noexcept;

/// Keeps the descriptor from all ranks: it is the node process's.
void reserve(int fd) noexcept;

/// Whether the rank may close or replace `fd` (3 and above): it is neither another rank's nor the node
/// process's.
bool may_close(int fd) noexcept;

/// Makes `number` (0, 1, 2) of the rank mean the process's descriptor `own`; -1 for none. Streams follow.
void assign(RankProcess& rank, int number, int own);

/// To be called before the first rank runs: all descriptors that are open now belong to the node process.
void keep_from_ranks();

/// In the child of a rank, whose table is the child's own: the rank's numbers become the system's, and
/// descriptors of other ranks are closed.
void use_system_numbers(RankProcess& rank);

/// Calls `visit(fd)` for the descriptors of other ranks.
template <typename Visit>
void for_each_foreign(const RankProcess& rank, Visit visit);

/// As fclose, for the rank.
int close_stream(std::FILE* stream);

/// Path of the rank's standard descriptor in place of /dev/stdout, /dev/fd/1 and the like; else `path`.
class RealPath {
 public:
  explicit RealPath(const char* path);
  operator const char*() const { return path_; }

 private:
  const char* path_;
  char text_[32];
};

/// Owner of a descriptor: 0 unknown, -1 the node process, else 1 + local index of the rank.
int owner_of(int fd) noexcept;
int highest_owned() noexcept;

template <typename Visit>
void for_each_foreign(const RankProcess& rank, Visit visit) {
  for (int fd = 3; fd <= highest_owned(); ++fd)
    if (const int owner = owner_of(fd); owner > 0 && owner != rank.identity.local_index + 1) visit(fd);
}

}  // namespace taihu::memory::libc
