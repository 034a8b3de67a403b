// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/shared_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "taihu/mpi/objects/current_call.h"

namespace taihu::mpi::files {
namespace {

/// Drops the first `bytes` bytes of what is left of the parts.
void use_up(iovec*& parts, int& count, std::size_t bytes) noexcept {
  while (count > 0 && bytes >= parts->iov_len) {
    bytes -= parts->iov_len;
    ++parts;
    --count;
  }
  if (count == 0) return;
  parts->iov_base = static_cast<std::byte*>(parts->iov_base) + bytes;
  parts->iov_len -= bytes;
}

/// Repeats `call` (preadv or pwritev) until everything is transferred or nothing more comes: the kernel moves
/// at most 2 GiB in one call, and may be interrupted.
template <class Call>
std::int64_t transfer_all(Call call, int descriptor, std::int64_t position, iovec* parts, int count) {
  const AtWork at_work;
  std::int64_t done = 0;
  use_up(parts, count, 0);
  while (count > 0) {
    const ssize_t moved = call(descriptor, parts, std::min(count, IOV_MAX), position + done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) throw int{errno};
    if (moved == 0) break;
    done += moved;
    use_up(parts, count, static_cast<std::size_t>(moved));
  }
  return done;
}

}  // namespace

SharedFile::SharedFile(int descriptor, std::string path, int local_members, bool others)
    : among_processes(others), descriptor_(descriptor), path_(std::move(path)) {
  for (Board& board : boards) board.wishes.resize(static_cast<std::size_t>(local_members));
}

SharedFile::~SharedFile() {
  const AtWork at_work;  // some file systems write now
  ::close(descriptor_);
}

std::int64_t SharedFile::read(std::int64_t position, iovec* parts, int count) {
  return transfer_all(::preadv, descriptor_, position, parts, count);
}

std::int64_t SharedFile::write(std::int64_t position, iovec* parts, int count) {
  return transfer_all(::pwritev, descriptor_, position, parts, count);
}

std::int64_t SharedFile::size() const {
  struct stat about{};
  if (fstat(descriptor_, &about) != 0) throw int{errno};
  return about.st_size;
}

}  // namespace taihu::mpi::files
