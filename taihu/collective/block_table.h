// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a buffer lie that others read or fill themselves, when each has a length of its own: a
// table with one entry for each of the others. For few members it stands in the slot, which is then all that
// another member must see before the data; through a map in its owner's memory the way to a block would be
// five cache lines, each known only when the one before is there.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "taihu/collective/block_map.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective {

struct PublishedBlock {
  std::byte* data;
  std::size_t bytes;
};

/// Stays until the others have departed.
class BlockTable {
 public:
  BlockTable(const BlockMap& map, const void* base, int members, int me) : bytes_(table_bytes(members)) {
    const auto others = static_cast<std::size_t>(members - 1);
    entries_ = few_.data();
    if (others > few_.size()) {
      many_ = std::make_unique_for_overwrite<PublishedBlock[]>(others);
      entries_ = many_.get();
    }
    PublishedBlock* next = entries_;
    for (int k = 0; k < members; ++k) {
      if (k != me) *next++ = {map.block(const_cast<void*>(base), k), map.bytes(k)};
    }
  }
  BlockTable(const BlockTable&) = delete;
  BlockTable& operator=(const BlockTable&) = delete;

  /// Before the arrival; see SharedStep::publish.
  void publish(SharedStep& step) const noexcept { step.publish_table(entries_, bytes_); }

  /// The caller's block of the buffer of `owner`, which has published its table.
  static const PublishedBlock& mine(const SharedStep& step, int owner) noexcept {
    const auto* const entries =
        static_cast<const PublishedBlock*>(step.table_of(owner, table_bytes(step.members())));
    return entries[step.me() < owner ? step.me() : step.me() - 1];
  }

 private:
  static constexpr std::size_t usual_others = 31;
  static constexpr std::size_t table_bytes(int members) noexcept {
    return static_cast<std::size_t>(members - 1) * sizeof(PublishedBlock);
  }

  std::size_t bytes_;
  PublishedBlock* entries_;
  std::array<PublishedBlock, usual_others> few_;
  std::unique_ptr<PublishedBlock[]> many_;
};

}  // namespace taihu::collective
