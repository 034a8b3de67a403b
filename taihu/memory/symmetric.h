// SPDX-License-Identifier: Apache-2.0
// Symmetric addresses: the name of a variable that is the same on every rank. A rank's own address of a
// file-scope or static variable (in its image or its private libraries), or of symmetric heap memory, maps to
// (segment, offset); any rank's instance is found from that. Segment numbers and offsets agree between node
// processes because all of them load the same files and allocate collectively.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace taihu::memory {

struct SymmetricAddress {
  std::uint32_t segment = 0;
  std::uint64_t offset = 0;
};

/// Translates for the ranks of this node process. Any thread may call; never blocks, never allocates.
class SymmetricMap {
 public:
  virtual ~SymmetricMap() = default;

  /// The symmetric name of [address, address + bytes) seen by rank `local_index`; nothing when the range is
  /// not (wholly) inside one segment, for example on a stack or in malloc'ed memory.
  virtual std::optional<SymmetricAddress> find(int local_index, const void* address,
                                               std::size_t bytes) const noexcept = 0;

  /// The instance of `address` that belongs to rank `local_index`; null when [address, +bytes) is not inside
  /// a segment there (a defect or different programs on two nodes).
  virtual void* resolve(int local_index, SymmetricAddress address, std::size_t bytes) const noexcept = 0;
};

}  // namespace taihu::memory
