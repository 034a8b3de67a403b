// SPDX-License-Identifier: Apache-2.0
// Reading and writing at places in a file. Several ranks may each have the same file open and write different
// places of it at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace taihu::neutron {

class PlainFile {
 public:
  enum class Mode { read, write, create };

  /// `write`: the file is there already; `create`: made or emptied. Throws Error.
  PlainFile(const std::string& path, Mode mode);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  /// Throw Error, also where the file ends before all bytes are read.
  void write_at(std::int64_t place, std::span<const std::byte> bytes) const;
  void read_at(std::int64_t place, std::span<std::byte> bytes) const;

  /// Room on the disk for bytes that will be written. Several ranks that write into one file at the same time
  /// then do not wait for each other's search for room. Throws Error when the disk has not so much; does
  /// nothing on a file system that cannot reserve.
  void reserve_room(std::int64_t place, std::int64_t bytes) const;

  /// Bytes that will be read soon: the system may bring them from the disk meanwhile.
  void will_need(std::int64_t place, std::int64_t bytes) const noexcept;

  const std::string& path() const noexcept { return path_; }

  /// Waits until what was written is on the disk. Throws Error.
  void sync() const;

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace taihu::neutron
