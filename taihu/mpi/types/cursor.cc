// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/cursor.h"

#include "taihu/message/data/strided_copy.h"
#include "taihu/mpi/types/packed_transfer.h"

namespace taihu::mpi::types {

using message::moved;

Cursor::Cursor(const Repetition& places, void* base, MPI_Count position)
    : deep_levels_(places.node->depth >= usual_depth
                       ? new Level[static_cast<std::size_t>(places.node->depth) + 1]
                       : nullptr),
      level_(deep_levels_ ? deep_levels_.get() : levels_) {
  root_.shape = Node::Shape::loop;
  root_.count = places.count;
  root_.stride = places.stride;
  root_.child = NodePointer(NodePointer(), places.node);  // does not own
  descend(&root_, moved(base, places.offset), position);
}

void Cursor::descend(const Node* node, std::byte* memory, MPI_Count position) noexcept {
  for (;;) {
    if (node->is_block()) {
      row_ = {memory, node->size, 0, 1, position};
      return;
    }
    Level& level = level_[depth_];
    level = {node, memory, 0};
    if (node->shape == Node::Shape::loop || node->shape == Node::Shape::list) {
      const Node* const child = node->child.get();
      if (position != 0) {
        level.index = position / child->size;
        position -= level.index * child->size;
      }
      if (node->shape == Node::Shape::loop && child->is_block()) {
        row_ = {moved(memory, level.index * node->stride), child->size, node->stride,
                node->count - level.index, position};
        return;
      }
      memory = moved(memory, node->shape == Node::Shape::loop
                                 ? level.index * node->stride
                                 : node->offsets[static_cast<std::size_t>(level.index)]);
      node = child;
    } else {
      if (position != 0) level.index = item_at(*node, position);
      const auto index = static_cast<std::size_t>(level.index);
      position -= node->starts[index];
      memory = moved(memory, node->offsets[index]);
      if (node->shape == Node::Shape::blocks) {
        row_ = {memory, node->starts[index + 1] - node->starts[index], 0, 1, position};
        ++depth_;
        return;
      }
      node = node->children[index].get();
    }
    ++depth_;
  }
}

void Cursor::next_row() noexcept {
  while (depth_ > 0) {
    Level& level = level_[depth_ - 1];
    const Node& node = *level.node;
    if (++level.index == node.count) {
      --depth_;
      continue;
    }
    const auto index = static_cast<std::size_t>(level.index);
    switch (node.shape) {
      case Node::Shape::loop:
        return descend(node.child.get(), moved(level.memory, level.index * node.stride), 0);
      case Node::Shape::list:
        return descend(node.child.get(), moved(level.memory, node.offsets[index]), 0);
      case Node::Shape::blocks:
        row_ = {moved(level.memory, node.offsets[index]), node.starts[index + 1] - node.starts[index], 0, 1,
                0};
        return;
      default:
        return descend(node.children[index].get(), moved(level.memory, node.offsets[index]), 0);
    }
  }
  row_ = {};
}

void Cursor::finish_blocks(MPI_Count blocks) noexcept {
  row_.count -= blocks;
  row_.used = 0;
  if (row_.count == 0) return next_row();
  row_.memory = moved(row_.memory, blocks * row_.stride);
}

void Cursor::finish_bytes(MPI_Count bytes) noexcept {
  row_.used += bytes;
  if (row_.used == row_.bytes) finish_blocks(1);
}

}  // namespace taihu::mpi::types
