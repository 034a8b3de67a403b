// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/segments.h"

#include <algorithm>

#include "taihu/mpi/types/node.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi::types {
namespace {

template <class VisitBlock>
void visit_row(const Node& node, MPI_Aint offset, MPI_Aint stride, MPI_Count first, MPI_Count bytes,
               VisitBlock& visit);

/// visit(offset, length, basic) for the blocks that hold the bytes [first, first + bytes) of `node`.
template <class VisitBlock>
void visit_node(const Node& node, MPI_Aint offset, MPI_Count first, MPI_Count bytes, VisitBlock& visit) {
  switch (node.shape) {
    case Node::Shape::block:
      return visit(offset + first, bytes, node.basic);
    case Node::Shape::loop:
      return visit_row(*node.child, offset, node.stride, first, bytes, visit);
    default:
      break;
  }
  const bool list = node.shape == Node::Shape::list;
  MPI_Count index = first == 0 ? 0 : list ? first / node.child->size : item_at(node, first);
  MPI_Count position = list ? index * node.child->size : node.starts[static_cast<std::size_t>(index)];
  for (; bytes > 0; ++index) {
    const auto i = static_cast<std::size_t>(index);
    const MPI_Count size = list ? node.child->size : node.starts[i + 1] - node.starts[i];
    const MPI_Count from = std::max(first, position) - position;
    const MPI_Count length = std::min(size - from, bytes);
    if (node.shape == Node::Shape::blocks)
      visit(offset + node.offsets[i] + from, length, node.basic);
    else
      visit_node(list ? *node.child : *node.children[i], offset + node.offsets[i], from, length, visit);
    position += size;
    bytes -= length;
  }
}

template <class VisitBlock>
void visit_row(const Node& node, MPI_Aint offset, MPI_Aint stride, MPI_Count first, MPI_Count bytes,
               VisitBlock& visit) {
  MPI_Count from = first % node.size;
  for (MPI_Count index = first / node.size; bytes > 0; ++index) {
    const MPI_Count length = std::min(node.size - from, bytes);
    visit_node(node, offset + index * stride, from, length, visit);
    bytes -= length;
    from = 0;
  }
}

template <class VisitBlock>
void visit_blocks(const Repetition& places, std::size_t first, std::size_t bytes, VisitBlock&& visit) {
  if (bytes > 0)
    visit_row(*places.node, places.offset, places.stride, static_cast<MPI_Count>(first),
              static_cast<MPI_Count>(bytes), visit);
}

}  // namespace

void inner::visit_segments(const Datatype& type, MPI_Count count, std::size_t first, std::size_t bytes,
                           void* context, VisitSegment visit) {
  if (type.contiguous && bytes > 0)
    return visit(context, type.block_offset() + static_cast<MPI_Aint>(first), bytes);
  MPI_Aint begin = 0;
  MPI_Count length = 0;
  visit_blocks(repetition(type, count), first, bytes, [&](MPI_Aint offset, MPI_Count more, const Datatype*) {
    if (length > 0 && begin + length == offset) {
      length += more;
      return;
    }
    if (length > 0) visit(context, begin, static_cast<std::size_t>(length));
    begin = offset;
    length = more;
  });
  if (length > 0) visit(context, begin, static_cast<std::size_t>(length));
}

void inner::visit_runs(const Datatype& type, MPI_Count count, std::size_t first, std::size_t bytes,
                       void* context, VisitRun visit) {
  visit_blocks(typed_repetition(type, count), first, bytes,
               [&](MPI_Aint offset, MPI_Count length, const Datatype* basic) {
                 visit(context, offset, *basic, static_cast<std::size_t>(length / basic->size_bytes));
               });
}

}  // namespace taihu::mpi::types
