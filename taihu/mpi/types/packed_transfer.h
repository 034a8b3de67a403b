// SPDX-License-Identifier: Apache-2.0
// Moves bytes between places in memory and their packed stream. Works on many instances of a node at once:
// the loop over the instances may run inside the loop over the parts of the node. In an array of small
// structures, each member then forms a vector of equal blocks of its own.
#pragma once

#include <algorithm>

#include "taihu/message/data/strided_copy.h"
#include "taihu/mpi/types/node.h"

namespace taihu::mpi::types {

enum class PackDirection { pack, unpack };

template <PackDirection direction>
class PackedTransfer {
 public:
  /// The bytes [first, first + bytes) of one node at `memory`; `stream` is where byte `first` goes.
  static void part(const Node& node, std::byte* memory, std::byte* stream, MPI_Count first,
                   MPI_Count bytes) noexcept;
  /// The same for nodes `stride` bytes apart.
  static void part_of_row(const Node& node, std::byte* memory, MPI_Aint stride, std::byte* stream,
                          MPI_Count first, MPI_Count bytes) noexcept;
  /// `count` whole nodes; instance i is at memory + i * stride and stream + i * stream_stride.
  static void row(const Node& node, std::byte* memory, MPI_Aint stride, std::byte* stream,
                  MPI_Aint stream_stride, MPI_Count count) noexcept;

 private:
  static void block(std::byte* memory, std::byte* stream, MPI_Count bytes) noexcept;
  static void part_of_items(const Node& node, std::byte* memory, std::byte* stream, MPI_Count first,
                            MPI_Count bytes) noexcept;
  static void items(const Node& node, std::byte* memory, std::byte* stream, MPI_Count from,
                    MPI_Count to) noexcept;
  static void row_of_loops(const Node& node, std::byte* memory, MPI_Aint stride, std::byte* stream,
                           MPI_Aint stream_stride, MPI_Count count) noexcept;
  static void row_of_lists(const Node& node, std::byte* memory, MPI_Aint stride, std::byte* stream,
                           MPI_Aint stream_stride, MPI_Count count) noexcept;
};

extern template class PackedTransfer<PackDirection::pack>;
extern template class PackedTransfer<PackDirection::unpack>;

/// Where item `index` of a list, blocks or sequence node begins in its stream.
inline MPI_Count item_start(const Node& node, MPI_Count index) noexcept {
  return node.shape == Node::Shape::list ? index * node.child->size
                                         : node.starts[static_cast<std::size_t>(index)];
}

/// How many instances of a node are worked on together when the loop over them is the inner one: their data
/// should stay in the first-level cache.
inline MPI_Count instances_together(MPI_Count node_bytes) noexcept {
  constexpr MPI_Count bytes_together = 8192;
  return std::max<MPI_Count>(1, bytes_together / node_bytes);
}

}  // namespace taihu::mpi::types
