// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/repetition.h"

#include "taihu/mpi/types/packed_transfer.h"

namespace taihu::mpi::types {

using message::moved;

namespace {

Repetition repeat(const Program& program, MPI_Count count, MPI_Count extent) noexcept {
  if (program.node == nullptr || count == 0) return {};
  const Node& node = *program.node;
  // Loops that go on in the next element are one long loop; one element that is a loop needs no other.
  if (node.shape == Node::Shape::loop && (count == 1 || extent == node.count * node.stride))
    return {node.child.get(), program.offset, count * node.count, node.stride};
  return {&node, program.offset, count, extent};
}

}  // namespace

Repetition repetition(const Datatype& type, MPI_Count count) noexcept {
  return repeat(type.form.program, count, type.extent);
}

Repetition typed_repetition(const Datatype& type, MPI_Count count) noexcept {
  return repeat(type.form.typed, count, type.extent);
}

void pack(const Repetition& places, std::byte* target, const void* base, std::size_t first,
          std::size_t bytes) noexcept {
  if (bytes == 0) return;
  PackedTransfer<PackDirection::pack>::part_of_row(*places.node, moved(base, places.offset), places.stride,
                                                   target, static_cast<MPI_Count>(first),
                                                   static_cast<MPI_Count>(bytes));
}

void unpack(const Repetition& places, void* base, const std::byte* source, std::size_t first,
            std::size_t bytes) noexcept {
  if (bytes == 0) return;
  // The stream is only read.
  PackedTransfer<PackDirection::unpack>::part_of_row(
      *places.node, moved(base, places.offset), places.stride, const_cast<std::byte*>(source),
      static_cast<MPI_Count>(first), static_cast<MPI_Count>(bytes));
}

}  // namespace taihu::mpi::types
