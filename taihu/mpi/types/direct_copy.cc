// SPDX-License-Identifier: Apache-2.0
// Copies from places to places. Where both sides are built alike (two halves of a halo exchange), both trees
// are walked together with the loops of transfer.cc; otherwise two cursors go side by side.
#include <algorithm>

#include "taihu/message/data/strided_copy.h"
#include "taihu/mpi/types/cursor.h"
#include "taihu/mpi/types/packed_transfer.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi::types {

using message::copy_block;
using message::copy_strided;
using message::moved;

namespace {

/// Instances of a node in memory.
struct Row {
  const Node* node;
  std::byte* memory;
  MPI_Aint stride;

  Row from(MPI_Count instance) const { return {node, moved(memory, instance * stride), stride}; }
  /// Item `index` of each instance.
  Row items(MPI_Count index) const {
    const auto i = static_cast<std::size_t>(index);
    if (node->shape == Node::Shape::loop)
      return {node->child.get(), moved(memory, index * node->stride), stride};
    const Node* const child =
        node->shape == Node::Shape::sequence ? node->children[i].get() : node->child.get();
    return {child, moved(memory, node->offsets[i]), stride};
  }
  /// The items of the first instance, which is a loop.
  Row inner() const { return {node->child.get(), memory, node->stride}; }
};

/// Whether both have the same loops and blocks, wherever these lie.
bool alike(const Node& a, const Node& b) noexcept {
  if (&a == &b) return true;
  if (a.shape != b.shape || a.size != b.size || a.count != b.count) return false;
  switch (a.shape) {
    case Node::Shape::block:
      return true;
    case Node::Shape::loop:
    case Node::Shape::list:
      return alike(*a.child, *b.child);
    case Node::Shape::blocks:
      return a.starts == b.starts;
    default:
      return a.starts == b.starts &&
             std::equal(a.children.begin(), a.children.end(), b.children.begin(),
                        [](const NodePointer& x, const NodePointer& y) { return alike(*x, *y); });
  }
}

/// `count` instances of nodes that are alike.
void copy_alike(const Row& target, const Row& source, MPI_Count count) noexcept {
  const Node& node = *source.node;
  if (node.is_block())
    return copy_strided(target.memory, target.stride, source.memory, source.stride,
                        static_cast<std::size_t>(node.size), static_cast<std::size_t>(count));
  const MPI_Count together = std::min(instances_together(node.size), count);
  if (node.shape == Node::Shape::loop && (node.count >= 16 || together <= node.count)) {
    for (MPI_Count i = 0; i < count; ++i)
      copy_alike(target.from(i).inner(), source.from(i).inner(), node.count);
    return;
  }
  for (MPI_Count done = 0; done < count; done += together) {
    const MPI_Count instances = std::min(together, count - done);
    const Row to = target.from(done), from = source.from(done);
    for (MPI_Count j = 0; j < node.count; ++j) {
      if (node.shape != Node::Shape::blocks) {
        copy_alike(to.items(j), from.items(j), instances);
        continue;
      }
      const auto i = static_cast<std::size_t>(j);
      copy_strided(moved(to.memory, to.node->offsets[i]), to.stride, moved(from.memory, node.offsets[i]),
                   from.stride, static_cast<std::size_t>(node.starts[i + 1] - node.starts[i]),
                   static_cast<std::size_t>(instances));
    }
  }
}

/// Blocks of `small` side by side in the first block of `large`: how many fit.
MPI_Count blocks_inside(const BlockRow& small, const BlockRow& large, MPI_Count bytes) noexcept {
  if (small.used != 0 || small.bytes >= large.bytes) return 0;
  return std::min(small.count, std::min(large.bytes - large.used, bytes) / small.bytes);
}

/// Copies as much as one step can; returns the bytes.
MPI_Count copy_step(Cursor& target, Cursor& source, MPI_Count bytes) noexcept {
  const BlockRow to = target.row(), from = source.row();
  if (to.bytes == from.bytes && to.used == 0 && from.used == 0 && to.bytes <= bytes) {
    const MPI_Count blocks = std::min({to.count, from.count, bytes / to.bytes});
    copy_strided(to.memory, to.stride, from.memory, from.stride, static_cast<std::size_t>(to.bytes),
                 static_cast<std::size_t>(blocks));
    target.finish_blocks(blocks);
    source.finish_blocks(blocks);
    return blocks * to.bytes;
  }
  if (const MPI_Count blocks = blocks_inside(from, to, bytes); blocks > 0) {
    copy_strided(moved(to.memory, to.used), from.bytes, from.memory, from.stride,
                 static_cast<std::size_t>(from.bytes), static_cast<std::size_t>(blocks));
    target.finish_bytes(blocks * from.bytes);
    source.finish_blocks(blocks);
    return blocks * from.bytes;
  }
  if (const MPI_Count blocks = blocks_inside(to, from, bytes); blocks > 0) {
    copy_strided(to.memory, to.stride, moved(from.memory, from.used), to.bytes,
                 static_cast<std::size_t>(to.bytes), static_cast<std::size_t>(blocks));
    target.finish_blocks(blocks);
    source.finish_bytes(blocks * to.bytes);
    return blocks * to.bytes;
  }
  const MPI_Count piece = std::min({to.bytes - to.used, from.bytes - from.used, bytes});
  copy_block(moved(to.memory, to.used), moved(from.memory, from.used), static_cast<std::size_t>(piece));
  target.finish_bytes(piece);
  source.finish_bytes(piece);
  return piece;
}

bool is_dense(const Repetition& places) noexcept {
  return places.node->is_block() && (places.count == 1 || places.stride == places.node->size);
}

}  // namespace

void copy(const Repetition& target_places, void* target, const Repetition& source_places, const void* source,
          std::size_t bytes) {
  if (bytes == 0) return;
  if (is_dense(source_places))
    return unpack(target_places, target, moved(source, source_places.offset), 0, bytes);
  if (is_dense(target_places))
    return pack(source_places, moved(target, target_places.offset), source, 0, bytes);
  const auto total = static_cast<MPI_Count>(bytes);
  MPI_Count done = 0;
  if (alike(*target_places.node, *source_places.node)) {
    const MPI_Count instances = total / source_places.node->size;
    copy_alike({target_places.node, moved(target, target_places.offset), target_places.stride},
               {source_places.node, moved(source, source_places.offset), source_places.stride}, instances);
    done = instances * source_places.node->size;
  }
  if (done == total) return;
  Cursor to(target_places, target, done);
  Cursor from(source_places, const_cast<void*>(source), done);
  while (done < total) done += copy_step(to, from, total - done);
}

}  // namespace taihu::mpi::types
