// SPDX-License-Identifier: Apache-2.0
// What naalloc knows of one block.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "taihu/memory/naalloc/address_window.h"
#include "taihu/memory/placement/page_runs.h"

namespace taihu::memory {

enum class BlockKind {
  partitioned,  ///< parts belong to threads
  interleaved,  ///< pages take turns over the nodes
  on_node,      ///< all on one node
  first_touch   ///< parts are known, but pages lie where they were touched first
};

/// What a caller asks for. Invariants: part_end never falls; kind on_node and interleaved have one part.
struct BlockShape {
  BlockKind kind = BlockKind::partitioned;
  std::vector<std::size_t> part_end;  ///< bytes
  int node = 0;                       ///< of kind on_node

  std::size_t bytes() const noexcept { return part_end.empty() ? 0 : part_end.back(); }
};

/// Invariants: [begin, begin + bytes) lies inside of the mapped pages; part_node and shape.part_end have the
/// same length.
struct Block {
  BlockShape shape;
  std::byte* begin = nullptr;
  std::size_t mapped_bytes = 0;  ///< pages of its own; 0: a part of a node's arena
  int arena_node = 0;            ///< of a block with mapped_bytes 0
  PageKind pages = PageKind::small;
  std::vector<int> part_node;
  std::vector<int> part_thread;  ///< who was seen to use each part; empty: parts follow the threads
  int threads = 1;  ///< in the map when the nodes were chosen: part p belongs to thread p * threads / parts
  std::vector<NodeRun> runs;  ///< where its pages should be, in pages of run_page_bytes from that of `begin`
  std::size_t run_page_bytes = 0;
  std::string label;

  std::size_t bytes() const noexcept { return shape.bytes(); }
  /// The thread that owns a part; -1 when no thread does.
  int thread_of(std::size_t part) const noexcept {
    if (shape.kind == BlockKind::on_node || shape.kind == BlockKind::interleaved) return -1;
    if (!part_thread.empty()) return part_thread[part];
    return static_cast<int>(part * static_cast<std::size_t>(threads) / shape.part_end.size());
  }
};

/// The shape of elements: sizes that overflow, fall or are missing are refused. 0, EINVAL or ENOMEM.
int make_shape(std::size_t elem_size, const std::size_t* part_end, int parts, BlockShape& shape);

/// `count` elements in equal consecutive parts, the first ones one larger where it does not divide. 0 or
/// ENOMEM.
int make_even_shape(std::size_t count, std::size_t elem_size, int parts, BlockShape& shape);

const char* name_of(BlockKind kind) noexcept;

}  // namespace taihu::memory
