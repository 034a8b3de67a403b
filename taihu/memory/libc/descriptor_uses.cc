// SPDX-License-Identifier: Apache-2.0
// Calls that take a descriptor get the process's for the rank's 0, 1, 2; calls that open one give the rank's
// number for it.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <pty.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "taihu/memory/libc/descriptors.h"

namespace taihu::memory::libc {
namespace {

// Casts the attributes of libc's declarations away (noexcept is part of a function's type).
template <typename Result, typename... Arguments>
auto plain(Result (*call)(Arguments...)) -> Result (*)(Arguments...);
template <auto Call>
using Plain = decltype(plain(Call));

template <auto Call, typename Type = Plain<Call>>
struct Uses;
template <auto Call, typename Result, typename... Rest>
struct Uses<Call, Result (*)(int, Rest...)> {
  static Result call(int fd, Rest... rest) { return Call(actual(fd), rest...); }
  static Result opening(int fd, Rest... rest) { return adopt(Call(actual(fd), rest...)); }
};

template <auto Call, typename Type = Plain<Call>>
struct Opens;
template <auto Call, typename... Arguments>
struct Opens<Call, int (*)(Arguments...)> {
  static int call(Arguments... arguments) { return adopt(Call(arguments...)); }
};

/// First argument: a descriptor.
template <auto Call>
Replacement uses(std::string_view name) {
  return replace(name, &Uses<Call>::call);
}
/// Result: a new descriptor.
template <auto Call>
Replacement opens(std::string_view name) {
  return replace(name, &Opens<Call>::call);
}
/// Both.
template <auto Call>
Replacement uses_and_opens(std::string_view name) {
  return replace(name, &Uses<Call>::opening);
}

ssize_t rank_read_checked(int fd, void* data, std::size_t bytes, std::size_t) {
  return ::read(actual(fd), data, bytes);
}
ssize_t rank_pread_checked(int fd, void* data, std::size_t bytes, off_t offset, std::size_t) {
  return ::pread(actual(fd), data, bytes, offset);
}
ssize_t rank_recv_checked(int fd, void* data, std::size_t bytes, std::size_t, int flags) {
  return ::recv(actual(fd), data, bytes, flags);
}

int rank_dprintf(int fd, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = ::vdprintf(actual(fd), format, values);
  va_end(values);
  return count;
}
int rank_dprintf_checked(int fd, int, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = ::vdprintf(actual(fd), format, values);
  va_end(values);
  return count;
}
int rank_vdprintf_checked(int fd, int, const char* format, va_list values) {
  return ::vdprintf(actual(fd), format, values);
}

int rank_ioctl(int fd, unsigned long request, ...) {
  va_list values;
  va_start(values, request);
  void* argument = va_arg(values, void*);
  va_end(values);
  return ::ioctl(actual(fd), request, argument);
}

int rank_open(const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  const mode_t mode = va_arg(values, mode_t);
  va_end(values);
  return adopt(::open(RealPath(path), flags, mode));
}
int rank_open_2(const char* path, int flags) {
  return adopt(::open(RealPath(path), flags, 0));
}
int rank_openat(int folder, const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  const mode_t mode = va_arg(values, mode_t);
  va_end(values);
  return adopt(::openat(actual(folder), RealPath(path), flags, mode));
}
int rank_openat_2(int folder, const char* path, int flags) {
  return adopt(::openat(actual(folder), RealPath(path), flags, 0));
}

int rank_stat(const char* path, struct stat* status) {
  return ::stat(RealPath(path), status);
}
// What programs call that were linked before glibc 2.33; the first argument is a version.
int rank_stat_versioned(int, const char* path, struct stat* status) {
  return rank_stat(path, status);
}
int rank_fstat_versioned(int, int fd, struct stat* status) {
  return ::fstat(actual(fd), status);
}
int rank_access(const char* path, int mode) {
  return ::access(RealPath(path), mode);
}
ssize_t rank_readlink(const char* path, char* text, std::size_t bytes) {
  return ::readlink(RealPath(path), text, bytes);
}
char* rank_realpath(const char* path, char* text) {
  return ::realpath(RealPath(path), text);
}

// "~" is the rank's HOME.
int rank_glob(const char* pattern, int flags, int (*failed)(const char*, int), glob_t* found) {
  const RankProcess* rank = self();
  const char* home = rank ? environment_value(*rank, "HOME") : nullptr;
  const bool expands = (flags & (GLOB_TILDE | GLOB_TILDE_CHECK)) != 0 && pattern[0] == '~' &&
                       (pattern[1] == '/' || pattern[1] == '\0');
  if (!home || !expands) return ::glob(pattern, flags, failed, found);
  return ::glob((std::string(home) + (pattern + 1)).c_str(), flags, failed, found);
}

int adopt_both(int result, int* ends) {
  if (result == 0)
    for (int i = 0; i < 2; ++i) ends[i] = adopt(ends[i]);
  return result;
}
int rank_pipe(int* ends) {
  return adopt_both(::pipe(ends), ends);
}
int rank_pipe2(int* ends, int flags) {
  return adopt_both(::pipe2(ends, flags), ends);
}
int rank_socketpair(int domain, int type, int protocol, int* ends) {
  return adopt_both(::socketpair(domain, type, protocol, ends), ends);
}
int rank_openpty(int* master, int* slave, char* name, const termios* terminal, const winsize* size) {
  const int result = ::openpty(master, slave, name, terminal, size);
  if (result == 0) {
    *master = adopt(*master);
    *slave = adopt(*slave);
  }
  return result;
}

// A message may bring descriptors.
ssize_t rank_recvmsg(int fd, msghdr* message, int flags) {
  const ssize_t bytes = ::recvmsg(actual(fd), message, flags);
  if (bytes < 0) return bytes;
  for (cmsghdr* part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    auto* given = reinterpret_cast<int*>(CMSG_DATA(part));
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) given[i] = adopt(given[i]);
  }
  return bytes;
}

// And a message may send them.
ssize_t rank_sendmsg(int fd, const msghdr* message, int flags) {
  if (!rank_with_descriptors() || message->msg_controllen == 0) return ::sendmsg(actual(fd), message, flags);
  std::vector<char> control(static_cast<const char*>(message->msg_control),
                            static_cast<const char*>(message->msg_control) + message->msg_controllen);
  msghdr changed = *message;
  changed.msg_control = control.data();
  for (cmsghdr* part = CMSG_FIRSTHDR(&changed); part; part = CMSG_NXTHDR(&changed, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    auto* given = reinterpret_cast<int*>(CMSG_DATA(part));
    std::transform(given, given + (part->cmsg_len - CMSG_LEN(0)) / sizeof(int), given, actual);
  }
  return ::sendmsg(actual(fd), &changed, flags);
}

int rank_epoll_ctl(int set, int operation, int fd, epoll_event* event) {
  return ::epoll_ctl(actual(set), operation, actual(fd), event);
}

void* rank_mmap(void* place, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
  return ::mmap(place, bytes, protection, flags, actual(fd), offset);
}

ssize_t rank_sendfile(int to, int from, off_t* offset, std::size_t bytes) {
  return ::sendfile(actual(to), actual(from), offset, bytes);
}
ssize_t rank_splice(int from, off64_t* from_offset, int to, off64_t* to_offset, std::size_t bytes,
                    unsigned flags) {
  return ::splice(actual(from), from_offset, actual(to), to_offset, bytes, flags);
}
ssize_t rank_copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, std::size_t bytes,
                             unsigned flags) {
  return ::copy_file_range(actual(from), from_offset, actual(to), to_offset, bytes, flags);
}
ssize_t rank_tee(int from, int to, std::size_t bytes, unsigned flags) {
  return ::tee(actual(from), actual(to), bytes, flags);
}

int rank_signalfd(int fd, const sigset_t* signals, int flags) {
  const int result = ::signalfd(actual(fd), signals, flags);
  return fd < 0 ? adopt(result) : result < 0 ? -1 : fd;
}

ssize_t rank_recvfrom(int fd, void* data, std::size_t bytes, int flags, sockaddr* from, socklen_t* length) {
  return ::recvfrom(actual(fd), data, bytes, flags, from, length);
}
ssize_t rank_recvfrom_checked(int fd, void* data, std::size_t bytes, std::size_t, int flags, sockaddr* from,
                              socklen_t* length) {
  return ::recvfrom(actual(fd), data, bytes, flags, from, length);
}
int rank_accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  return adopt(::accept4(actual(fd), address, length, flags));
}
int rank_accept(int fd, sockaddr* address, socklen_t* length) {
  return rank_accept4(fd, address, length, 0);
}

}  // namespace

std::span<const Replacement> descriptor_users() {
  static const std::array calls = {uses<&::read>("read"),
                                   replace("__read_chk", &rank_read_checked),
                                   uses<&::write>("write"),
                                   uses<&::readv>("readv"),
                                   uses<&::writev>("writev"),
                                   uses<&::pread>("pread"),
                                   uses<&::pread>("pread64"),
                                   replace("__pread_chk", &rank_pread_checked),
                                   replace("__pread64_chk", &rank_pread_checked),
                                   uses<&::pwrite>("pwrite"),
                                   uses<&::pwrite>("pwrite64"),
                                   uses<&::preadv>("preadv"),
                                   uses<&::preadv>("preadv64"),
                                   uses<&::pwritev>("pwritev"),
                                   uses<&::pwritev>("pwritev64"),
                                   uses<&::isatty>("isatty"),
                                   uses<&::ttyname_r>("ttyname_r"),
                                   uses<&::fsync>("fsync"),
                                   uses<&::fdatasync>("fdatasync"),
                                   uses<&::syncfs>("syncfs"),
                                   uses<&::lseek>("lseek"),
                                   uses<&::lseek>("lseek64"),
                                   uses<&::ftruncate>("ftruncate"),
                                   uses<&::ftruncate>("ftruncate64"),
                                   uses<&::fstat>("fstat"),
                                   uses<&::fstat>("fstat64"),
                                   uses<&::fstatat>("fstatat"),
                                   uses<&::fstatat>("fstatat64"),
                                   uses<&::statx>("statx"),
                                   uses<&::fstatfs>("fstatfs"),
                                   uses<&::fstatfs>("fstatfs64"),
                                   uses<&::fstatvfs>("fstatvfs"),
                                   uses<&::fstatvfs>("fstatvfs64"),
                                   uses<&::fpathconf>("fpathconf"),
                                   uses<&::fchmod>("fchmod"),
                                   uses<&::fchown>("fchown"),
                                   uses<&::futimens>("futimens"),
                                   uses<&::flock>("flock"),
                                   uses<&::fallocate>("fallocate"),
                                   uses<&::fallocate>("fallocate64"),
                                   uses<&::posix_fallocate>("posix_fallocate"),
                                   uses<&::posix_fallocate>("posix_fallocate64"),
                                   uses<&::posix_fadvise>("posix_fadvise"),
                                   uses<&::posix_fadvise>("posix_fadvise64"),
                                   uses<&::fgetxattr>("fgetxattr"),
                                   uses<&::fsetxattr>("fsetxattr"),
                                   uses<&::fdopendir>("fdopendir"),
                                   uses<&::tcgetattr>("tcgetattr"),
                                   uses<&::tcsetattr>("tcsetattr"),
                                   uses<&::tcgetpgrp>("tcgetpgrp"),
                                   uses<&::tcsetpgrp>("tcsetpgrp"),
                                   uses<&::tcdrain>("tcdrain"),
                                   uses<&::tcflush>("tcflush"),
                                   uses<&::tcflow>("tcflow"),
                                   uses<&::tcsendbreak>("tcsendbreak"),
                                   uses<&::tcgetsid>("tcgetsid"),
                                   replace("ioctl", &rank_ioctl),
                                   uses<&::vdprintf>("vdprintf"),
                                   replace("dprintf", &rank_dprintf),
                                   replace("__dprintf_chk", &rank_dprintf_checked),
                                   replace("__vdprintf_chk", &rank_vdprintf_checked),
                                   uses<&::send>("send"),
                                   uses<&::sendto>("sendto"),
                                   replace("sendmsg", &rank_sendmsg),
                                   uses<&::recv>("recv"),
                                   replace("__recv_chk", &rank_recv_checked),
                                   replace("recvfrom", &rank_recvfrom),
                                   replace("__recvfrom_chk", &rank_recvfrom_checked),
                                   replace("recvmsg", &rank_recvmsg),
                                   uses<&::getsockname>("getsockname"),
                                   uses<&::getpeername>("getpeername"),
                                   uses<&::getsockopt>("getsockopt"),
                                   uses<&::setsockopt>("setsockopt"),
                                   uses<&::shutdown>("shutdown"),
                                   uses<&::connect>("connect"),
                                   uses<&::bind>("bind"),
                                   uses<&::listen>("listen"),
                                   replace("accept", &rank_accept),
                                   replace("accept4", &rank_accept4),
                                   replace("epoll_ctl", &rank_epoll_ctl),
                                   uses<&::epoll_wait>("epoll_wait"),
                                   uses<&::epoll_pwait>("epoll_pwait"),
                                   uses<&::timerfd_settime>("timerfd_settime"),
                                   uses<&::timerfd_gettime>("timerfd_gettime"),
                                   uses<&::inotify_add_watch>("inotify_add_watch"),
                                   uses<&::inotify_rm_watch>("inotify_rm_watch"),
                                   replace("mmap", &rank_mmap),
                                   replace("mmap64", &rank_mmap),
                                   replace("sendfile", &rank_sendfile),
                                   replace("sendfile64", &rank_sendfile),
                                   replace("splice", &rank_splice),
                                   replace("tee", &rank_tee),
                                   replace("copy_file_range", &rank_copy_file_range),
                                   replace("stat", &rank_stat),
                                   replace("stat64", &rank_stat),
                                   replace("__xstat", &rank_stat_versioned),
                                   replace("__xstat64", &rank_stat_versioned),
                                   replace("__fxstat", &rank_fstat_versioned),
                                   replace("__fxstat64", &rank_fstat_versioned),
                                   replace("access", &rank_access),
                                   replace("readlink", &rank_readlink),
                                   replace("realpath", &rank_realpath),
                                   replace("glob", &rank_glob),
                                   replace("glob64", &rank_glob),
                                   replace("open", &rank_open),
                                   replace("open64", &rank_open),
                                   replace("__open_2", &rank_open_2),
                                   replace("__open64_2", &rank_open_2),
                                   replace("openat", &rank_openat),
                                   replace("openat64", &rank_openat),
                                   replace("__openat_2", &rank_openat_2),
                                   replace("__openat64_2", &rank_openat_2),
                                   opens<&::creat>("creat"),
                                   opens<&::creat>("creat64"),
                                   opens<&::mkstemp>("mkstemp"),
                                   opens<&::mkstemp>("mkstemp64"),
                                   opens<&::mkostemp>("mkostemp"),
                                   opens<&::mkostemp>("mkostemp64"),
                                   opens<&::mkstemps>("mkstemps"),
                                   opens<&::mkstemps>("mkstemps64"),
                                   opens<&::mkostemps>("mkostemps"),
                                   opens<&::mkostemps>("mkostemps64"),
                                   opens<&::shm_open>("shm_open"),
                                   opens<&::memfd_create>("memfd_create"),
                                   opens<&::posix_openpt>("posix_openpt"),
                                   replace("openpty", &rank_openpty),
                                   replace("pipe", &rank_pipe),
                                   replace("pipe2", &rank_pipe2),
                                   opens<&::socket>("socket"),
                                   replace("socketpair", &rank_socketpair),
                                   opens<&::eventfd>("eventfd"),
                                   opens<&::epoll_create>("epoll_create"),
                                   opens<&::epoll_create1>("epoll_create1"),
                                   opens<&::timerfd_create>("timerfd_create"),
                                   opens<&::inotify_init>("inotify_init"),
                                   opens<&::inotify_init1>("inotify_init1"),
                                   replace("signalfd", &rank_signalfd)};
  return calls;
}

}  // namespace taihu::memory::libc
