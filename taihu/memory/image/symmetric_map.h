// SPDX-License-Identifier: Apache-2.0
// Symmetric addresses over rank images. Segment 0 is the program, then its private libraries in the order of
// ImageTemplate::objects(), last the symmetric heap. Filled before ranks translate, constant afterwards.
#pragma once

#include <vector>

#include "taihu/memory/symmetric.h"

namespace taihu::memory {

class ImageSymmetricMap final : public SymmetricMap {
 public:
  struct Segment {
    std::uintptr_t base = 0;
    std::uint64_t bytes = 0;
  };

  explicit ImageSymmetricMap(int local_ranks) : ranks_(static_cast<std::size_t>(local_ranks)) {}

  /// Tells the segments of one rank; all ranks have the same number and sizes. Different ranks may call at
  /// once.
  void set_rank(int local_index, std::vector<Segment> segments) {
    ranks_[static_cast<std::size_t>(local_index)] = std::move(segments);
  }

  std::optional<SymmetricAddress> find(int local_index, const void* address,
                                       std::size_t bytes) const noexcept override;
  void* resolve(int local_index, SymmetricAddress address, std::size_t bytes) const noexcept override;

  /// What `find` and then `resolve` give, in one look: rank `other`'s instance of [address, address + bytes)
  /// seen by rank `local_index`; null when that is not inside one segment. Both are ranks of this process.
  void* counterpart(int local_index, const void* address, std::size_t bytes, int other) const noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    const std::vector<Segment>& own = ranks_[static_cast<std::size_t>(local_index)];
    for (std::size_t number = 0; number < own.size(); ++number) {
      const std::uintptr_t offset = place - own[number].base;  // huge when the address is below
      if (offset >= own[number].bytes) continue;
      if (bytes > own[number].bytes - offset) return nullptr;
      return reinterpret_cast<void*>(ranks_[static_cast<std::size_t>(other)][number].base + offset);
    }
    return nullptr;
  }

 private:
  std::vector<std::vector<Segment>> ranks_;
};

}  // namespace taihu::memory
