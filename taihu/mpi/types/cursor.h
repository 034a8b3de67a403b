// SPDX-License-Identifier: Apache-2.0
// Walks over the blocks of places in the order of their stream, a row of equal blocks at a time, from any
// position on. Two of them side by side copy from one type to another.
#pragma once

#include <cstddef>
#include <memory>

#include "taihu/mpi/types/node.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi::types {

/// `count` blocks of `bytes` bytes from `memory` on; of the first one, `used` bytes are done.
struct BlockRow {
  std::byte* memory;
  MPI_Count bytes;
  MPI_Aint stride;
  MPI_Count count;
  MPI_Count used;
};

class Cursor {
 public:
  /// At byte `position` of the stream, which must be less than its length.
  Cursor(const Repetition& places, void* base, MPI_Count position);
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  BlockRow& row() noexcept { return row_; }
  /// `blocks` whole blocks of the row are done. At the end of the stream the row is empty.
  void finish_blocks(MPI_Count blocks) noexcept;
  /// `bytes` bytes of the first block are done.
  void finish_bytes(MPI_Count bytes) noexcept;

 private:
  struct Level {
    const Node* node;
    std::byte* memory;
    MPI_Count index;
  };
  static constexpr int usual_depth = 16;

  /// To byte `position` of `node`; the first block of it when 0.
  void descend(const Node* node, std::byte* memory, MPI_Count position) noexcept;
  void next_row() noexcept;

  Node root_;
  std::unique_ptr<Level[]> deep_levels_;
  Level levels_[usual_depth];
  Level* const level_;
  int depth_ = 0;
  BlockRow row_{};
};

}  // namespace taihu::mpi::types
