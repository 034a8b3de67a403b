// SPDX-License-Identifier: Apache-2.0
// Memory that several node processes of one machine, or several ranks of one process, see at once:
// node_shared sections. The object has no name in any file system: others open it through the creating
// process, so nothing can be left behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "taihu/base/descriptor.h"

namespace taihu::memory {

class SharedMemory {
 public:
  /// Makes a zeroed object. Throws Error.
  static SharedMemory create(std::uint64_t bytes);
  /// Opens the object that another process of this machine created; that process and its object must still
  /// exist. Throws Error, with a remedy when the system forbids it.
  static SharedMemory open(pid_t creator, int creators_fd);

  /// What to tell the others.
  int fd() const { return descriptor_.get(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  SharedMemory(Descriptor descriptor, std::uint64_t bytes)
      : descriptor_(std::move(descriptor)), bytes_(bytes) {}
  Descriptor descriptor_;
  std::uint64_t bytes_;
};

/// Copies the contents of [begin, end) into the object behind `fd`: once, by the leader of the group, before
/// any mapping. Throws Error.
void fill_shared_section(const void* begin, const void* end, int fd);

/// Replaces the pages of [begin, end) by the object behind `fd`, from its start. Both addresses are multiples
/// of the page size and the pages belong to the section alone. No other thread may use the section meanwhile.
/// Throws Error.
void map_shared_section(void* begin, void* end, int fd);

}  // namespace taihu::memory
