// SPDX-License-Identifier: Apache-2.0
// The compiled form of a type: a tree of loops and lists over blocks of bytes. Every node starts at offset 0
// of its own; whoever uses it says where it lies. Nodes never change once made, and types share them: a type
// made of others points to their nodes.
//
// A node knows the size of its packed stream, so any position of the stream is found by going down the tree:
// a division for loops and lists, a binary search for blocks and sequences.
#pragma once

#include <memory>
#include <vector>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

using NodePointer = std::shared_ptr<const Node>;

/// Invariants: size > 0; count >= 2 unless a block; the size is that of the parts together. A loop is never
/// one block in disguise (a child that is a block of `stride` bytes).
struct Node {
  enum class Shape : std::uint8_t {
    block,     ///< `size` bytes
    loop,      ///< `count` times `child`, `stride` bytes apart
    list,      ///< `child` at each of `offsets`
    blocks,    ///< blocks at `offsets`; block i is the bytes [starts[i], starts[i + 1]) of the stream
    sequence,  ///< `children` at `offsets`; `starts` likewise
  };
  Shape shape = Shape::block;
  int depth = 1;  ///< 1 + the deepest child's
  MPI_Count size = 0;
  /// The only basic type in it; null: several. Blocks of typed programs always have one. A block of a type
  /// with holes (size != extent) is one element.
  const Datatype* basic = nullptr;
  MPI_Count count = 1;
  MPI_Aint stride = 0;
  NodePointer child;
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Count> starts;
  std::vector<NodePointer> children;

  bool is_block() const noexcept { return shape == Shape::block; }
};

/// Which item of a `blocks` or `sequence` node holds the byte `position` of its stream.
MPI_Count item_at(const Node& node, MPI_Count position) noexcept;

}  // namespace taihu::mpi::types
