// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a buffer lie: equal ones one behind the other, or each with its own length and offset.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taihu/collective/copy.h"

namespace taihu::collective {

class BlockMap {
 public:
  /// Blocks of `block_bytes` one behind the other.
  explicit BlockMap(std::size_t block_bytes = 0) noexcept : block_bytes_(block_bytes) {}
  /// Block k of bytes[k] at offsets[k] bytes.
  BlockMap(const std::size_t* bytes, const std::ptrdiff_t* offsets) noexcept
      : bytes_(bytes), offsets_(offsets) {}

  /// The same map for those who count local members: block k of it is block members[k] of this.
  BlockMap of_members(const int* members) const noexcept {
    BlockMap map = *this;
    map.members_ = members;
    return map;
  }

  bool has_equal_blocks() const noexcept { return bytes_ == nullptr; }
  [[gnu::always_inline]] std::size_t bytes(int block) const noexcept {
    return bytes_ != nullptr ? bytes_[index(block)] : block_bytes_;
  }
  [[gnu::always_inline]] std::ptrdiff_t offset(int block) const noexcept {
    return bytes_ != nullptr ? offsets_[index(block)]
                             : static_cast<std::ptrdiff_t>(index(block) * block_bytes_);
  }
  std::byte* block(void* base, int block) const noexcept { return place(base, block); }
  const std::byte* block(const void* base, int block) const noexcept { return place(base, block); }

 private:
  std::size_t index(int block) const noexcept {
    return static_cast<std::size_t>(members_ != nullptr ? members_[block] : block);
  }
  // A block of no bytes may have no address.
  template <class Base>
  [[gnu::always_inline]] auto place(Base* base, int block) const noexcept -> decltype(at(base, 0)) {
    return bytes(block) == 0 ? nullptr : at(base, offset(block));
  }

  std::size_t block_bytes_ = 0;
  const std::size_t* bytes_ = nullptr;
  const std::ptrdiff_t* offsets_ = nullptr;
  const int* members_ = nullptr;
};

/// Lengths of blocks that a member puts down inline (at most a ring's quarter, see Board) stand in a table in
/// front of them, which takes little room so that short ones fit into a slot with it. Between two members
/// there is one block, whose length is told with the data.
using InlineLength = std::uint16_t;
constexpr std::size_t inline_table_bytes(int members) noexcept {
  return members <= 2 ? 0 : (static_cast<std::size_t>(members) * sizeof(InlineLength) + 7) / 8 * 8;
}

/// Are lengths equal on all members by the rules of the call, or has each its own?
enum class Lengths { equal, own };

}  // namespace taihu::collective
