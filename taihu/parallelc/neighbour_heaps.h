// SPDX-License-Identifier: Apache-2.0
// The symmetric heaps of ranks in other node processes of the same machine, mapped here: puts to them and
// gets from them are copies, as inside a node process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "taihu/message/endpoint.h"

namespace taihu::parallelc {

struct Process;

/// How the ranks of this node process are to make their heaps, of which there are so many.
bool shares_heaps(const message::Node& node, std::size_t ranks);

/// Constant once it is made.
class NeighbourHeaps {
 public:
  /// When the heaps of all ranks are there. All node processes of the job call; blocks.
  NeighbourHeaps(std::span<const Process> processes, message::Node& node);
  /// For tests: heaps of `bytes` bytes each, of the own ranks by local index and of all others by rank, that
  /// somebody else has mapped.
  NeighbourHeaps(std::vector<std::byte*> own, std::vector<std::byte*> others, std::uint64_t bytes)
      : own_(std::move(own)), others_(std::move(others)), bytes_(bytes) {}
  ~NeighbourHeaps();
  NeighbourHeaps(const NeighbourHeaps&) = delete;
  NeighbourHeaps& operator=(const NeighbourHeaps&) = delete;

  /// Where rank `rank` of another node process has what own rank `local_index` has at [address, address +
  /// bytes); null when that is not memory of m_malloc or is not mapped here, and for all other numbers. Any
  /// address will do for 0 bytes.
  std::byte* place(int local_index, const void* address, std::size_t bytes, int rank) const noexcept {
    const auto other = static_cast<std::size_t>(static_cast<unsigned>(rank));
    if (other >= others_.size() || others_[other] == nullptr) return nullptr;
    if (bytes == 0) return others_[other];
    const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) -
                                                   own_[static_cast<std::size_t>(local_index)]);
    return offset < bytes_ && bytes <= bytes_ - offset ? others_[other] + offset : nullptr;
  }

 private:
  void map_heap(int rank, int creator, int fd, std::uint64_t bytes);

  std::vector<std::byte*> own_;     ///< by local index
  std::vector<std::byte*> others_;  ///< by rank; null: not mapped
  std::vector<std::byte*> mapped_;  ///< by this object
  std::uint64_t bytes_ = 0;         ///< of each heap
};

}  // namespace taihu::parallelc
