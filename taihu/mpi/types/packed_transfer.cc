// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/packed_transfer.h"

namespace taihu::mpi::types {

using message::copy_block;
using message::copy_listed;
using message::copy_strided;
using message::ListSide;
using message::moved;

namespace {

/// Loops this long are good inner loops.
constexpr MPI_Count long_loop = 16;

}  // namespace

template <PackDirection direction>
inline void PackedTransfer<direction>::block(std::byte* memory, std::byte* stream, MPI_Count bytes) noexcept {
  if constexpr (direction == PackDirection::pack)
    copy_block(stream, memory, static_cast<std::size_t>(bytes));
  else
    copy_block(memory, stream, static_cast<std::size_t>(bytes));
}

template <PackDirection direction>
void PackedTransfer<direction>::row(const Node& node, std::byte* memory, MPI_Aint stride, std::byte* stream,
                                    MPI_Aint stream_stride, MPI_Count count) noexcept {
  switch (node.shape) {
    case Node::Shape::block: {
      const auto bytes = static_cast<std::size_t>(node.size), blocks = static_cast<std::size_t>(count);
      if constexpr (direction == PackDirection::pack)
        copy_strided(stream, stream_stride, memory, stride, bytes, blocks);
      else
        copy_strided(memory, stride, stream, stream_stride, bytes, blocks);
      return;
    }
    case Node::Shape::loop:
      return row_of_loops(node, memory, stride, stream, stream_stride, count);
    default:
      return row_of_lists(node, memory, stride, stream, stream_stride, count);
  }
}

template <PackDirection direction>
void PackedTransfer<direction>::row_of_loops(const Node& node, std::byte* memory, MPI_Aint stride,
                                             std::byte* stream, MPI_Aint stream_stride,
                                             MPI_Count count) noexcept {
  const Node& child = *node.child;
  const MPI_Count together = std::min(instances_together(node.size), count);
  if (node.count >= long_loop || together <= node.count) {
    for (MPI_Count i = 0; i < count; ++i)
      row(child, moved(memory, i * stride), node.stride, stream + i * stream_stride, child.size, node.count);
    return;
  }
  for (MPI_Count done = 0; done < count; done += together) {
    const MPI_Count instances = std::min(together, count - done);
    for (MPI_Count j = 0; j < node.count; ++j)
      row(child, moved(memory, done * stride + j * node.stride), stride,
          stream + done * stream_stride + j * child.size, stream_stride, instances);
  }
}

template <PackDirection direction>
void PackedTransfer<direction>::row_of_lists(const Node& node, std::byte* memory, MPI_Aint stride,
                                             std::byte* stream, MPI_Aint stream_stride,
                                             MPI_Count count) noexcept {
  const MPI_Count together = std::min(instances_together(node.size), count);
  if (together < 4) {
    for (MPI_Count i = 0; i < count; ++i)
      items(node, moved(memory, i * stride), stream + i * stream_stride, 0, node.count);
    return;
  }
  Node block;
  for (MPI_Count done = 0; done < count; done += together) {
    const MPI_Count instances = std::min(together, count - done);
    for (MPI_Count j = 0; j < node.count; ++j) {
      const auto index = static_cast<std::size_t>(j);
      const MPI_Count start = item_start(node, j);
      const Node* child = &block;
      if (node.shape == Node::Shape::list)
        child = node.child.get();
      else if (node.shape == Node::Shape::sequence)
        child = node.children[index].get();
      else
        block.size = node.starts[index + 1] - start;
      row(*child, moved(memory, done * stride + node.offsets[index]), stride,
          stream + done * stream_stride + start, stream_stride, instances);
    }
  }
}

template <PackDirection direction>
void PackedTransfer<direction>::items(const Node& node, std::byte* memory, std::byte* stream, MPI_Count from,
                                      MPI_Count to) noexcept {
  const MPI_Aint* const offsets = node.offsets.data();
  if (node.shape == Node::Shape::blocks) {
    const MPI_Count* const starts = node.starts.data();
    for (MPI_Count i = from; i < to; ++i) {
      const MPI_Count bytes = starts[i + 1] - starts[i];
      block(moved(memory, offsets[i]), stream, bytes);
      stream += bytes;
    }
    return;
  }
  if (node.shape == Node::Shape::list && node.child->is_block())
    return copy_listed < direction == PackDirection::pack
               ? ListSide::source
               : ListSide::target > (memory, offsets + from, stream,
                                     static_cast<std::size_t>(node.child->size),
                                     static_cast<std::size_t>(to - from));
  for (MPI_Count i = from; i < to; ++i) {
    const Node& child =
        node.shape == Node::Shape::list ? *node.child : *node.children[static_cast<std::size_t>(i)];
    if (child.is_block())
      block(moved(memory, offsets[i]), stream, child.size);
    else
      row(child, moved(memory, offsets[i]), 0, stream, 0, 1);
    stream += child.size;
  }
}

template <PackDirection direction>
void PackedTransfer<direction>::part_of_items(const Node& node, std::byte* memory, std::byte* stream,
                                              MPI_Count first, MPI_Count bytes) noexcept {
  const auto item_part = [&](MPI_Count index, MPI_Count from, MPI_Count length) {
    const auto i = static_cast<std::size_t>(index);
    std::byte* const at = moved(memory, node.offsets[i]);
    if (node.shape == Node::Shape::blocks)
      block(moved(at, from), stream, length);
    else
      part(node.shape == Node::Shape::list ? *node.child : *node.children[i], at, stream, from, length);
    stream += length;
    bytes -= length;
  };
  const auto index_of = [&](MPI_Count position) {
    return node.shape == Node::Shape::list ? position / node.child->size : item_at(node, position);
  };
  MPI_Count index = index_of(first);
  const MPI_Count begin = item_start(node, index);
  if (first != begin) {
    item_part(index, first - begin, std::min(item_start(node, index + 1) - first, bytes));
    ++index;
  }
  if (bytes == 0) return;
  const MPI_Count start = item_start(node, index);
  const MPI_Count end = start + bytes == node.size ? node.count : index_of(start + bytes);
  items(node, memory, stream, index, end);
  const MPI_Count whole = item_start(node, end) - start;
  stream += whole;
  bytes -= whole;
  if (bytes > 0) item_part(end, 0, bytes);
}

template <PackDirection direction>
void PackedTransfer<direction>::part(const Node& node, std::byte* memory, std::byte* stream, MPI_Count first,
                                     MPI_Count bytes) noexcept {
  switch (node.shape) {
    case Node::Shape::block:
      return block(moved(memory, first), stream, bytes);
    case Node::Shape::loop:
      return part_of_row(*node.child, memory, node.stride, stream, first, bytes);
    default:
      if (bytes > 0) part_of_items(node, memory, stream, first, bytes);
  }
}

template <PackDirection direction>
void PackedTransfer<direction>::part_of_row(const Node& node, std::byte* memory, MPI_Aint stride,
                                            std::byte* stream, MPI_Count first, MPI_Count bytes) noexcept {
  MPI_Count index = 0;
  if (first != 0) {
    index = first / node.size;
    const MPI_Count within = first % node.size;
    if (within != 0) {
      const MPI_Count length = std::min(node.size - within, bytes);
      part(node, moved(memory, index * stride), stream, within, length);
      stream += length;
      bytes -= length;
      ++index;
    }
  }
  const MPI_Count whole = bytes / node.size;
  if (whole > 0) {
    row(node, moved(memory, index * stride), stride, stream, node.size, whole);
    stream += whole * node.size;
    bytes -= whole * node.size;
    index += whole;
  }
  if (bytes > 0) part(node, moved(memory, index * stride), stream, 0, bytes);
}

template class PackedTransfer<PackDirection::pack>;
template class PackedTransfer<PackDirection::unpack>;

}  // namespace taihu::mpi::types
