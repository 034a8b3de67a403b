// SPDX-License-Identifier: Apache-2.0
// The books of the allocator look at themselves: every byte of the window is a gap, or a page of a block, of
// the pool or of an arena, once.
#include "taihu/base/contract.h"
#include "taihu/memory/naalloc/allocator.h"

namespace taihu::memory {

/// gaps do not touch, and lie in the window.
void AddressWindow::check_invariants() const {
  std::size_t end = 0;
  for (const auto& [begin, bytes] : gaps_) {
    ensure(bytes > 0 && (begin == 0 || begin > end), "gaps do not touch");
    end = begin + bytes;
    ensure(end <= bytes_, "gaps lie in the window");
  }
}

std::size_t AddressWindow::gap_bytes() const {
  std::size_t sum = 0;
  for (const auto& [begin, bytes] : gaps_) sum += bytes;
  return sum;
}

/// entries by age == entries by size, and the sum of their bytes == bytes of the pool.
void ReusePool::check_invariants() const {
  std::size_t bytes = 0;
  for (const MappedPages& pages : entries_) bytes += pages.bytes;
  ensure(bytes == bytes_, "bytes of all kept pages == bytes of the pool");
  ensure(by_bytes_.size() == entries_.size(), "kept pages by size == kept pages by age");
  for (const auto& [size, entry] : by_bytes_)
    ensure(entry->bytes == size, "size that kept pages are listed under == their size");
}

/// Every chunk but the last one has blocks; blocks that it counts == blocks in it.
void NodeArena::check_invariants() const {
  std::size_t empty = 0;
  for (const auto& [begin, chunk] : chunks_) {
    chunk.blocks.check_invariants();
    ensure(chunk.used == chunk.blocks.block_count(), "blocks counted in a chunk == blocks in it");
    empty += chunk.used == 0 ? 1 : 0;
  }
  ensure(empty <= 1, "empty chunks <= 1");
}

/// live == bytes of blocks; mapped == pages of blocks + pool + chunks of arenas; window == gaps + mapped; no
/// two blocks overlap.
void Allocator::check_locked() const {
  window_.check_invariants();
  pool_.check_invariants();
  std::size_t live = 0, mapped = pool_.bytes(), packed = 0, in_arenas = 0;
  const std::byte* end = nullptr;
  for (const auto& [begin, block] : blocks_) {
    ensure(block.begin == begin && begin >= end, "blocks do not overlap");
    end = begin + (block.mapped_bytes > 0 ? block.mapped_bytes : block.bytes());
    ensure(block.mapped_bytes == 0 || block.bytes() <= block.mapped_bytes,
           "bytes of a block <= bytes of its pages");
    ensure(block.part_node.size() ==
               (block.shape.kind == BlockKind::interleaved ? 0 : block.shape.part_end.size()),
           "nodes of a block == its parts");
    live += block.bytes();
    mapped += block.mapped_bytes;
    packed += block.mapped_bytes == 0 ? 1 : 0;
  }
  for (const auto& [node, arena] : arenas_) {
    arena.check_invariants();
    mapped += arena.mapped_bytes();
    in_arenas += arena.block_count();
  }
  ensure(live == live_bytes_, "bytes of all blocks == live bytes");
  ensure(packed == in_arenas, "blocks without pages of their own == blocks in arenas");
  ensure(mapped == mapped_bytes_, "pages of blocks + pool + arenas == mapped bytes");
  ensure(window_.gap_bytes() + mapped == window_.capacity_bytes(),
         "gaps + mapped bytes == bytes of the window");
}

void Allocator::check_invariants() {
  const std::lock_guard guard(mutex_);
  check_locked();
}

}  // namespace taihu::memory
