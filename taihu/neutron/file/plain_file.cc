// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/plain_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "taihu/base/error.h"

namespace taihu::neutron {

PlainFile::PlainFile(const std::string& path, Mode mode) : path_(path) {
  const int flags = mode == Mode::read    ? O_RDONLY
                    : mode == Mode::write ? O_WRONLY
                                          : O_RDWR | O_CREAT | O_TRUNC;
  descriptor_ = open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw system_error(path + ": cannot be opened", errno);
}

PlainFile::~PlainFile() {
  close(descriptor_);
}

void PlainFile::write_at(std::int64_t place, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(descriptor_, bytes.data(), bytes.size(), place);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw system_error(path_ + ": writing failed", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    place += done;
  }
}

void PlainFile::read_at(std::int64_t place, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = pread(descriptor_, bytes.data(), bytes.size(), place);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw system_error(path_ + ": reading failed", errno);
    check_input(done > 0, path_ + ": the file ends too early; it is damaged");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    place += done;
  }
}

void PlainFile::reserve_room(std::int64_t place, std::int64_t bytes) const {
  while (bytes > 0 && fallocate(descriptor_, 0, place, bytes) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
      throw system_error(path_ + ": there is no room for it", errno);
    return;
  }
}

void PlainFile::will_need(std::int64_t place, std::int64_t bytes) const noexcept {
  posix_fadvise(descriptor_, place, bytes, POSIX_FADV_WILLNEED);
}

void PlainFile::sync() const {
  if (fsync(descriptor_) != 0) throw system_error(path_ + ": cannot be brought to the disk", errno);
}

}  // namespace taihu::neutron
