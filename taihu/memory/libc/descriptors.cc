// SPDX-License-Identifier: Apache-2.0
// Descriptors 0, 1 and 2 of a rank. dup2 onto them and closing them affect this rank alone: the number is
// looked up per rank in the calls that programs use on it. Working directory and umask belong to the rank's
// threads by unshare(2).
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

bool is_standard(int fd) {
  return fd >= 0 && fd < 3;
}

/// The process's descriptor for the rank's `fd`.
int actual(int fd) {
  const RankProcess* rank = self();
  return rank && is_standard(fd) ? rank->descriptors[static_cast<std::size_t>(fd)] : fd;
}

ssize_t rank_read(int fd, void* data, std::size_t bytes) {
  return ::read(actual(fd), data, bytes);
}
ssize_t rank_read_checked(int fd, void* data, std::size_t bytes, std::size_t) {
  return ::read(actual(fd), data, bytes);
}
ssize_t rank_write(int fd, const void* data, std::size_t bytes) {
  return ::write(actual(fd), data, bytes);
}
ssize_t rank_readv(int fd, const iovec* parts, int count) {
  return ::readv(actual(fd), parts, count);
}
ssize_t rank_writev(int fd, const iovec* parts, int count) {
  return ::writev(actual(fd), parts, count);
}
int rank_dup(int fd) {
  return ::dup(actual(fd));
}
int rank_isatty(int fd) {
  return ::isatty(actual(fd));
}
int rank_fsync(int fd) {
  return ::fsync(actual(fd));
}
off_t rank_lseek(int fd, off_t offset, int from) {
  return ::lseek(actual(fd), offset, from);
}
int rank_fstat(int fd, struct stat* status) {
  return ::fstat(actual(fd), status);
}

int rank_vdprintf(int fd, const char* format, va_list values) {
  return ::vdprintf(actual(fd), format, values);
}

int rank_dprintf(int fd, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = ::vdprintf(actual(fd), format, values);
  va_end(values);
  return count;
}

int rank_fcntl(int fd, int command, ...) {
  va_list values;
  va_start(values, command);
  void* argument = va_arg(values, void*);
  va_end(values);
  return ::fcntl(actual(fd), command, argument);
}

int rank_ioctl(int fd, unsigned long request, ...) {
  va_list values;
  va_start(values, request);
  void* argument = va_arg(values, void*);
  va_end(values);
  return ::ioctl(actual(fd), request, argument);
}

std::FILE* standard_stream(const RankProcess& rank, int number) {
  return number == 0 ? rank.input() : number == 1 ? rank.output() : rank.errors();
}

// A stream that marks its lines has no descriptor that could be changed under it.
bool may_redirect(RankProcess& rank, int number) {
  std::FILE* stream = standard_stream(rank, number);
  const bool untouched = rank.descriptors[static_cast<std::size_t>(number)] == number;
  if (!stream || fileno(stream) >= 0 || !untouched) return true;
  std::fprintf(
      rank.errors(),
      "taihu: dup2 onto descriptor %d refused (the lines of this rank's output are being tagged); use "
      "freopen, or run without --tag-output\n",
      number);
  errno = ENOTSUP;
  return false;
}

// Makes `number` (0, 1 or 2) of the rank mean `own`, which the rank owns from now on; its stream follows.
void assign(RankProcess& rank, int number, int own) {
  int& place = rank.descriptors[static_cast<std::size_t>(number)];
  std::FILE* stream = standard_stream(rank, number);
  if (stream && fileno(stream) == place) {
    if (number > 0) std::fflush(stream);
    if (own >= 0) stream->_fileno = own;
  }
  if (place > 2) ::close(place);
  place = own;
}

int rank_dup3(int from, int to, int flags) {
  RankProcess* rank = self();
  if (!rank || !is_standard(to)) return ::dup3(actual(from), to, flags);
  if (from == to) {
    errno = EINVAL;
    return -1;
  }
  if (!may_redirect(*rank, to)) return -1;
  const int own = ::fcntl(actual(from), (flags & O_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
  if (own < 0) return -1;
  const std::lock_guard guard(rank->lock);
  assign(*rank, to, own);
  return to;
}

int rank_dup2(int from, int to) {
  if (from != to) return rank_dup3(from, to, 0);
  return ::fcntl(actual(from), F_GETFD) < 0 ? -1 : to;
}

int rank_close(int fd) {
  RankProcess* rank = self();
  if (!rank || !is_standard(fd)) return ::close(fd);
  const std::lock_guard guard(rank->lock);
  if (actual(fd) < 0) {
    errno = EBADF;
    return -1;
  }
  assign(*rank, fd, -1);
  return 0;
}

// True when the rank has a working directory of its own; else says why the call is refused.
bool may_change_directory(const char* call) {
  RankProcess* rank = self();
  if (!rank || rank->has_own_directory) return true;
  std::fprintf(
      rank->errors(),
      "taihu: %s refused (this system lets no thread have a working directory of its own, so all ranks would "
      "move); use absolute paths, or allow unshare(2) in the container\n",
      call);
  errno = EPERM;
  return false;
}

int rank_chdir(const char* path) {
  return may_change_directory("chdir") ? ::chdir(path) : -1;
}
int rank_fchdir(int fd) {
  return may_change_directory("fchdir") ? ::fchdir(fd) : -1;
}

mode_t rank_umask(mode_t mask) {
  if (may_change_directory("umask")) return ::umask(mask);
  const mode_t now = ::umask(022);
  ::umask(now);
  return now;
}

}  // namespace

std::span<const Replacement> descriptor_calls() {
  static const std::array calls = {
      replace("read", &rank_read),       replace("__read_chk", &rank_read_checked),
      replace("write", &rank_write),     replace("readv", &rank_readv),
      replace("writev", &rank_writev),   replace("dup", &rank_dup),
      replace("dup2", &rank_dup2),       replace("dup3", &rank_dup3),
      replace("close", &rank_close),     replace("isatty", &rank_isatty),
      replace("fsync", &rank_fsync),     replace("lseek", &rank_lseek),
      replace("lseek64", &rank_lseek),   replace("fstat", &rank_fstat),
      replace("fstat64", &rank_fstat),   replace("vdprintf", &rank_vdprintf),
      replace("dprintf", &rank_dprintf), replace("fcntl", &rank_fcntl),
      replace("fcntl64", &rank_fcntl),   replace("ioctl", &rank_ioctl),
      replace("chdir", &rank_chdir),     replace("fchdir", &rank_fchdir),
      replace("umask", &rank_umask)};
  return calls;
}

}  // namespace taihu::memory::libc
