// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/symmetric_map.h"

namespace taihu::memory {

std::optional<SymmetricAddress> ImageSymmetricMap::find(int local_index, const void* address,
                                                        std::size_t bytes) const noexcept {
  const auto rank = static_cast<std::size_t>(local_index);
  if (rank >= ranks_.size()) return std::nullopt;
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::uint32_t number = 0;
  for (const Segment& segment : ranks_[rank]) {
    const std::uintptr_t offset = place - segment.base;  // huge when the address is below
    if (offset < segment.bytes) {
      if (bytes > segment.bytes - offset) return std::nullopt;
      return SymmetricAddress{number, offset};
    }
    ++number;
  }
  return std::nullopt;
}

void* ImageSymmetricMap::resolve(int local_index, SymmetricAddress address,
                                 std::size_t bytes) const noexcept {
  const auto rank = static_cast<std::size_t>(local_index);
  if (rank >= ranks_.size() || address.segment >= ranks_[rank].size()) return nullptr;
  const Segment& segment = ranks_[rank][address.segment];
  if (address.offset >= segment.bytes || bytes > segment.bytes - address.offset) return nullptr;
  return reinterpret_cast<void*>(segment.base + address.offset);
}

}  // namespace taihu::memory
