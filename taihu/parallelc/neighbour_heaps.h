// SPDX-License-Identifier: Apache-2.0
// The symmetric heaps of ranks in other node processes of the same machine, mapped here: puts to them and
// gets from them are copies, as inside a node process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
  ~NeighbourHeaps();
  NeighbourHeaps(const NeighbourHeaps&) = delete;
  NeighbourHeaps& operator=(const NeighbourHeaps&) = delete;

  /// Where the heap of a rank of another node process begins here, all of it as large as those of the own
  /// ranks; null when it cannot be reached, and for all other numbers.
  std::byte* base(int rank) const noexcept {
    const auto place = static_cast<std::size_t>(static_cast<unsigned>(rank));
    return place < bases_.size() ? bases_[place] : nullptr;
  }

 private:
  void map_heap(int rank, int creator, int fd, std::uint64_t bytes);

  std::vector<std::byte*> bases_;  ///< by rank
  std::uint64_t bytes_ = 0;        ///< of each heap
};

}  // namespace taihu::parallelc
