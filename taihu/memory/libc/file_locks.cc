// SPDX-License-Identifier: Apache-2.0
// Record locks (fcntl with F_SETLK, lockf) belong to a process, so ranks of one process would not exclude
// each other. A rank has a hidden open file for each file that it locks, and the lock is one of that open
// file: all descriptors of the rank share it, other ranks and processes do not, and closing any of the rank's
// descriptors of the file drops it, as POSIX wants.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/file_locks.h"
#include "taihu/memory/process_settings.h"

namespace taihu::memory::libc {
namespace {

bool identify(int fd, RankProcess::FileNumber& number) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  number = {status.st_dev, status.st_ino};
  return true;
}

int open_again(int fd) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  for (const int access : {O_RDWR, O_RDONLY, O_WRONLY})
    if (const int opened = ::open(path, access | O_CLOEXEC); opened >= 0) return opened;
  return -1;
}

// The open file that holds the rank's locks of the file behind `fd`; -1 when there can be none.
int lock_holder(RankProcess& rank, int fd) {
  RankProcess::FileNumber number;
  if (!identify(fd, number)) return -1;
  const std::lock_guard guard(rank.lock);
  const auto [place, is_new] = rank.lock_holders.try_emplace(number, -1);
  if (is_new) place->second = open_again(fd);
  const int holder = place->second;
  if (holder < 0)
    rank.lock_holders.erase(place);
  else if (is_new)
    reserve(holder);
  rank.has_lock_holders = true;
  return holder;
}

// Children that other ranks have just forked have the open file, too. So the locks are dropped explicitly;
// closing the descriptor is not enough.
void release(int holder) {
  flock all{};
  all.l_type = F_UNLCK;
  all.l_whence = SEEK_SET;
  ::fcntl(holder, F_OFD_SETLK, &all);
  ::close(holder);
}

bool is_allowed(int fd, const flock& wanted) {
  const int access = ::fcntl(fd, F_GETFL) & O_ACCMODE;
  return wanted.l_type == F_UNLCK || access == O_RDWR ||
         access == (wanted.l_type == F_WRLCK ? O_WRONLY : O_RDONLY);
}

}  // namespace

int lock_file(int fd, int command, flock* wanted) {
  RankProcess* rank = child_rules().exec ? nullptr : rank_with_descriptors();
  const int holder = rank ? lock_holder(*rank, fd) : -1;
  if (holder < 0) return ::fcntl(fd, command, wanted);
  if (command != F_GETLK && !is_allowed(fd, *wanted)) {
    errno = EBADF;
    return -1;
  }
  flock own = *wanted;
  own.l_pid = 0;
  if (own.l_whence == SEEK_CUR) {
    own.l_whence = SEEK_SET;
    own.l_start += ::lseek(fd, 0, SEEK_CUR);
  }
  const int of_open_file = command == F_GETLK ? F_OFD_GETLK : command == F_SETLK ? F_OFD_SETLK : F_OFD_SETLKW;
  const int result = ::fcntl(holder, of_open_file, &own);
  if (result < 0 || command != F_GETLK) return result;
  if (own.l_type == F_UNLCK) {
    wanted->l_type = F_UNLCK;
    return result;
  }
  *wanted = own;
  if (wanted->l_pid < 0) wanted->l_pid = ::getpid();  // another rank has it
  return result;
}

void drop_locks(RankProcess& rank, int fd) {
  RankProcess::FileNumber number;
  // Signal handlers may close descriptors. So this takes no lock unless the program locks files.
  if (!rank.has_lock_holders.load() || !identify(fd, number)) return;
  const std::lock_guard guard(rank.lock);
  const auto found = rank.lock_holders.find(number);
  if (found == rank.lock_holders.end()) return;
  release(found->second);
  rank.lock_holders.erase(found);
}

void drop_all_locks(RankProcess& rank) {
  for (const auto& [number, holder] : rank.lock_holders) release(holder);
  rank.lock_holders.clear();
}

void close_lock_holders(const RankProcess& rank) {
  for (const auto& [number, holder] : rank.lock_holders) ::close(holder);
}

namespace {

int rank_lockf(int fd, int command, off_t bytes) {
  fd = actual(fd);
  flock wanted{};
  wanted.l_whence = SEEK_CUR;
  wanted.l_len = bytes;
  wanted.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;
  if (command == F_ULOCK || command == F_TLOCK) return lock_file(fd, F_SETLK, &wanted);
  if (command == F_LOCK) return lock_file(fd, F_SETLKW, &wanted);
  if (command != F_TEST) {
    errno = EINVAL;
    return -1;
  }
  if (lock_file(fd, F_GETLK, &wanted) < 0) return -1;
  if (wanted.l_type == F_UNLCK) return 0;
  errno = EACCES;
  return -1;
}

}  // namespace

std::span<const Replacement> file_lock_calls() {
  static const std::array calls = {replace("lockf", &rank_lockf), replace("lockf64", &rank_lockf)};
  return calls;
}

}  // namespace taihu::memory::libc
