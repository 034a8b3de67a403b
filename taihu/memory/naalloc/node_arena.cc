// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/node_arena.h"

#include <iterator>

namespace taihu::memory {

std::byte* NodeArena::allocate(std::size_t bytes) {
  for (auto& [begin, chunk] : chunks_)
    if (const auto offset = chunk.blocks.allocate(bytes)) {
      ++chunk.used;
      return begin + *offset;
    }
  return nullptr;
}

void NodeArena::add_chunk(std::byte* begin) {
  chunks_.try_emplace(begin);
}

std::size_t NodeArena::block_count() const {
  std::size_t count = 0;
  for (const auto& [begin, chunk] : chunks_) count += chunk.used;
  return count;
}

std::byte* NodeArena::release(std::byte* block) {
  const auto found = std::prev(chunks_.upper_bound(block));
  auto& [begin, chunk] = *found;
  chunk.blocks.release(static_cast<std::uint64_t>(block - begin));
  if (--chunk.used > 0 || chunks_.size() == 1) return nullptr;
  std::byte* empty = begin;
  chunks_.erase(found);
  return empty;
}

}  // namespace taihu::memory
