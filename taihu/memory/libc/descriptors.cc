// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "taihu/memory/libc/file_locks.h"

namespace taihu::memory::libc {

namespace detail {
constinit thread_local int vfork_depth = 0;
}

namespace {

constexpr int most_owned = 1 << 20;  // the usual hard limit of open files
std::array<std::atomic<int>, most_owned> owners;
std::atomic<int> highest{2};

void own(int fd, int owner) noexcept {
  if (fd < 3 || fd >= most_owned) return;
  owners[static_cast<std::size_t>(fd)].store(owner, std::memory_order_relaxed);
  int before = highest.load(std::memory_order_relaxed);
  while (before < fd && !highest.compare_exchange_weak(before, fd)) {
  }
}

std::atomic<int>& place_of(RankProcess& rank, int number) {
  return rank.descriptors[static_cast<std::size_t>(number)];
}

// Stands in for the descriptor of a stream whose number is closed: every use fails with EBADF, and the stream
// is found again when the number is reopened. (libc uses -2 for streams without a descriptor.)
int closed_mark(int number) {
  return -10 - number;
}

template <typename Visit>
void for_each_stream(RankProcess& rank, Visit visit) {
  for (std::FILE* stream : {rank.input(), rank.output(), rank.errors()})
    if (stream) visit(*stream);
  for (std::FILE* stream : rank.open_streams) visit(*stream);
}

}  // namespace

int owner_of(int fd) noexcept {
  return fd >= 0 && fd < most_owned ? owners[static_cast<std::size_t>(fd)].load(std::memory_order_relaxed)
                                    : 0;
}

int highest_owned() noexcept {
  return highest.load(std::memory_order_relaxed);
}

void disown(int fd) noexcept {
  own(fd, 0);
}

void reserve(int fd) noexcept {
  own(fd, -1);
}

bool may_close(int fd) noexcept {
  const RankProcess* rank = rank_with_descriptors();
  const int owner = owner_of(fd);
  return !rank || owner == 0 || owner == rank->identity.local_index + 1;
}

void keep_from_ranks() {
  // Descriptors that a rank opens are 3 or above: 0, 1 and 2 mean what the rank has made of them.
  for (int fd = open("/dev/null", O_RDWR | O_CLOEXEC); fd >= 0; fd = open("/dev/null", O_RDWR | O_CLOEXEC)) {
    if (fd < 3) continue;
    ::close(fd);
    break;
  }
  DIR* list = opendir("/proc/self/fd");
  if (!list) return;
  while (const dirent* entry = readdir(list)) own(std::atoi(entry->d_name), -1);
  disown(dirfd(list));
  closedir(list);
}

int number_of(int fd) noexcept {
  RankProcess* rank = rank_with_descriptors();
  if (!rank || fd < 0) return fd;
  for (int number = 0; number < 3; ++number)
    if (place_of(*rank, number).load(std::memory_order_relaxed) == fd) return number;
  return fd;
}

void assign(RankProcess& rank, int number, int own_descriptor) {
  const int before = place_of(rank, number).load();
  own(own_descriptor, rank.identity.local_index + 1);
  if (own_descriptor == before) return;
  const int old_mark = before >= 0 ? before : closed_mark(number);
  const int new_mark = own_descriptor >= 0 ? own_descriptor : closed_mark(number);
  for_each_stream(rank, [&](std::FILE& stream) {
    if (stream._fileno == old_mark) stream._fileno = new_mark;
  });
  place_of(rank, number).store(own_descriptor);
  if (before < 3) return;
  disown(before);
  ::close(before);
}

int adopt(int fd, int least) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank || fd < 0) return fd;
  own(fd, rank->identity.local_index + 1);
  for (int number = least; number < 3; ++number) {
    if (place_of(*rank, number).load(std::memory_order_relaxed) >= 0) continue;
    const std::lock_guard guard(rank->lock);
    if (place_of(*rank, number).load() >= 0) continue;  // another thread of the rank was first
    assign(*rank, number, fd);
    return number;
  }
  return fd;
}

void use_system_numbers(RankProcess& rank) {
  const bool own_memory = detail::vfork_depth == 0;
  for (int number = 0; number < 3; ++number) {
    const int own = place_of(rank, number).load();
    if (own == number) continue;
    if (own < 0)
      ::close(number);
    else if (::dup3(own, number, (::fcntl(own, F_GETFD) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0) == number)
      ::close(own);
    if (!own_memory) continue;
    for_each_stream(rank, [&](std::FILE& stream) {
      if (stream._fileno == (own < 0 ? closed_mark(number) : own)) stream._fileno = number;
    });
    place_of(rank, number).store(number);
  }
  for_each_foreign(rank, [](int fd) { ::close(fd); });
  close_lock_holders(rank);
}

RealPath::RealPath(const char* path) : path_(path) {
  if (!path || path[0] != '/' || !rank_with_descriptors()) return;
  static constexpr std::array<const char*, 3> names = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  int number = -1;
  for (int i = 0; i < 3; ++i)
    if (std::strcmp(path, names[static_cast<std::size_t>(i)]) == 0) number = i;
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::size_t length = std::strlen(folder);
    if (std::strncmp(path, folder, length) != 0) continue;
    const char* digit = path + length;
    if (*digit >= '0' && *digit < '3' && digit[1] == '\0') number = *digit - '0';
  }
  if (number < 0) return;
  std::snprintf(text_, sizeof text_, "/proc/self/fd/%d", actual(number));
  path_ = text_;
}

namespace {

int refuse_descriptor(const char* call, int fd) {
  std::fprintf(
      stderr,
      "taihu: rank %d: %s onto descriptor %d is refused (it is open and not this rank's); let the system "
      "choose the number, with dup or fcntl(fd, F_DUPFD, %d)\n",
      self()->identity.rank, call, fd, fd);
  errno = EBUSY;
  return -1;
}

int rank_dup(int fd) {
  return adopt(::dup(actual(fd)));
}

int rank_dup3(int from, int to, int flags) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank || from == to) return ::dup3(actual(from), to, flags);
  if (!is_standard(to)) {
    const bool ours = owner_of(to) == rank->identity.local_index + 1;
    if (!ours && ::fcntl(to, F_GETFD) >= 0) return refuse_descriptor("dup2", to);
    const int result = ::dup3(actual(from), to, flags);
    if (result >= 0) own(result, rank->identity.local_index + 1);
    return result;
  }
  const std::lock_guard guard(rank->lock);
  const int place = place_of(*rank, to).load();
  if (place > 2) return ::dup3(actual(from), place, flags) < 0 ? -1 : to;
  const int fresh = ::fcntl(actual(from), (flags & O_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
  if (fresh < 0) return -1;
  own(fresh, rank->identity.local_index + 1);
  assign(*rank, to, fresh);
  return to;
}

int rank_dup2(int from, int to) {
  if (from != to) return rank_dup3(from, to, 0);
  return ::fcntl(actual(from), F_GETFD) < 0 ? -1 : to;
}

int rank_close(int fd) {
  RankProcess* rank = rank_with_descriptors();
  if (!rank) return ::close(fd);
  if (is_standard(fd) ? actual(fd) < 0 : !may_close(fd)) {
    errno = EBADF;
    return -1;
  }
  drop_locks(*rank, actual(fd));
  if (!is_standard(fd)) {
    disown(fd);
    return ::close(fd);
  }
  const std::lock_guard guard(rank->lock);
  assign(*rank, fd, -1);
  return 0;
}

int rank_close_range(unsigned first, unsigned last, int flags) {
  const RankProcess* rank = rank_with_descriptors();
  if (!rank) return ::close_range(first, last, flags);
  const int own = rank->identity.local_index + 1;
  const auto end = std::min(last, static_cast<unsigned>(highest_owned()));
  for (unsigned number = first; number <= end; ++number) {
    const int fd = static_cast<int>(number);
    if (!is_standard(fd) && owner_of(fd) != own) continue;
    if ((flags & static_cast<int>(CLOSE_RANGE_CLOEXEC)) != 0)
      ::fcntl(actual(fd), F_SETFD, FD_CLOEXEC);
    else
      rank_close(fd);
  }
  return 0;
}

void rank_closefrom(int first) {
  rank_close_range(static_cast<unsigned>(std::max(first, 0)), ~0u, 0);
}

int rank_closedir(DIR* directory) {
  if (rank_with_descriptors()) disown(::dirfd(directory));
  return ::closedir(directory);
}

int rank_fcntl(int fd, int command, ...) {
  va_list values;
  va_start(values, command);
  void* argument = va_arg(values, void*);
  va_end(values);
  if (command == F_GETLK || command == F_SETLK || command == F_SETLKW)
    return lock_file(actual(fd), command, static_cast<flock*>(argument));
  const int result = ::fcntl(actual(fd), command, argument);
  const bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  return copies ? adopt(result, static_cast<int>(reinterpret_cast<std::intptr_t>(argument))) : result;
}

// True when the rank has its own working directory; else prints why the call is refused.
bool may_change_directory(const char* call) {
  RankProcess* rank = self();
  if (!rank || rank->has_own_directory || rank->in_child_process()) return true;
  std::fprintf(rank->errors(),
               "taihu: %s refused (on this system threads cannot have separate working directories, so all "
               "ranks would move); use absolute paths, or allow unshare(2) in the container\n",
               call);
  errno = EPERM;
  return false;
}

int rank_chdir(const char* path) {
  return may_change_directory("chdir") ? ::chdir(path) : -1;
}
int rank_fchdir(int fd) {
  return may_change_directory("fchdir") ? ::fchdir(actual(fd)) : -1;
}

mode_t rank_umask(mode_t mask) {
  if (may_change_directory("umask")) return ::umask(mask);
  const mode_t now = ::umask(022);
  ::umask(now);
  return now;
}

}  // namespace

std::span<const Replacement> descriptor_calls() {
  static const std::array calls = {replace("dup", &rank_dup),
                                   replace("dup2", &rank_dup2),
                                   replace("dup3", &rank_dup3),
                                   replace("close", &rank_close),
                                   replace("close_range", &rank_close_range),
                                   replace("closefrom", &rank_closefrom),
                                   replace("closedir", &rank_closedir),
                                   replace("fcntl", &rank_fcntl),
                                   replace("fcntl64", &rank_fcntl),
                                   replace("chdir", &rank_chdir),
                                   replace("fchdir", &rank_fchdir),
                                   replace("umask", &rank_umask)};
  return calls;
}

}  // namespace taihu::memory::libc
