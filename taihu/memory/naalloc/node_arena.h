// SPDX-License-Identifier: Apache-2.0
// Small blocks of one node, packed into chunks that lie on it: one mapping for every small block
// would use up the mappings that the kernel allows. Its owner has the lock.
#pragma once

#include <cstddef>
#include <map>

#include "taihu/memory/offset_allocator.h"

namespace taihu::memory {

class NodeArena {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
  /// Blocks up to this size fit; larger ones would waste much of a chunk.
  static constexpr std::size_t largest_block_bytes = chunk_bytes / 4;

  /// Aligned to 64 bytes; null when all chunks are full: add one and ask again.
  std::byte* allocate(std::size_t bytes);
  void add_chunk(std::byte* begin);
  /// Takes a block back. Returns a chunk that has become empty and is not the last one, to be unmapped; else
  /// null.
  std::byte* release(std::byte* block);

  std::size_t block_count() const;
  std::size_t mapped_bytes() const { return chunks_.size() * chunk_bytes; }
  void check_invariants() const;

 private:
  struct Chunk {
    OffsetAllocator blocks{chunk_bytes};
    std::size_t used = 0;  ///< number of blocks
  };
  std::map<std::byte*, Chunk> chunks_;
};

}  // namespace taihu::memory
