// SPDX-License-Identifier: Apache-2.0
// The members of a zip archive (PKWARE APPNOTE 6.3), stored or deflated, also with the 64-bit extensions that
// NumPy writes. Encrypted and split archives are refused.
#pragma once

#include <map>
#include <string>

#include "taihu/amg/input/bytes_of_file.h"

namespace taihu::amg {

class ZipArchive {
 public:
  /// Reads the directory at the end of the file. The bytes outlive the archive. Throws Error
  /// "file: byte ...: ...".
  explicit ZipArchive(const BytesOfFile& bytes);

  bool has(const std::string& name) const { return members_.contains(name); }
  /// The content of a member: part of the file, or of `room` where it had to be inflated. Throws Error when
  /// there is none, or its checksum is wrong.
  std::string_view content(const std::string& name, std::string& room) const;
  /// Where a member's header is.
  std::size_t place(const std::string& name) const;

 private:
  struct Member {
    std::size_t header, stored_bytes, bytes;
    int method;
    std::uint32_t checksum;
  };
  Member read_member(std::size_t at, std::string& name, std::size_t& next) const;

  const BytesOfFile& bytes_;
  std::map<std::string, Member> members_;
};

}  // namespace taihu::amg
