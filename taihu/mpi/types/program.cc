// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/program.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace taihu::mpi::types {
namespace {

/// Lists up to this long become part of the list around them. It bounds the depth of the tree: a type that
/// grows by one element at a time gets one level deeper every so many elements.
constexpr MPI_Count inlined_items = 64;

/// Whether elements of `basic` side by side are one block.
bool dense(const Datatype* basic) {
  return basic == nullptr || basic->size_bytes == basic->extent;
}

NodePointer block_node(MPI_Count size, const Datatype* basic) {
  auto node = std::make_shared<Node>();
  node->size = size;
  node->basic = basic;
  return node;
}

NodePointer loop_node(MPI_Count count, MPI_Aint stride, const NodePointer& child) {
  auto node = std::make_shared<Node>();
  node->shape = Node::Shape::loop;
  node->depth = child->depth + 1;
  node->size = count * child->size;
  node->basic = child->basic;
  node->count = count;
  node->stride = stride;
  node->child = child;
  return node;
}

}  // namespace

MPI_Count item_at(const Node& node, MPI_Count position) noexcept {
  const auto after = std::upper_bound(node.starts.begin(), node.starts.end(), position);
  return after - node.starts.begin() - 1;
}

Program block_program(MPI_Aint offset, MPI_Count size, const Datatype* basic) {
  return size == 0 ? Program{} : Program{block_node(size, basic), offset};
}

Program repeated(const Program& old, MPI_Count count, MPI_Aint stride, Merging merging) {
  if (count == 0 || old.node == nullptr) return {};
  if (count == 1) return old;
  const Node& node = *old.node;
  if (node.is_block() && stride == node.size && (merging == Merging::any || dense(node.basic)))
    return {block_node(count * node.size, node.basic), old.offset};
  if (node.shape == Node::Shape::loop && stride == node.count * node.stride)
    return {loop_node(count * node.count, node.stride, node.child), old.offset};
  return {loop_node(count, stride, old.node), old.offset};
}

void ProgramMaker::add_block(MPI_Aint offset, MPI_Count size, const Datatype* basic) {
  if (!items_.empty()) {
    Item& last = items_.back();
    const bool mergeable = merging_ == Merging::any || (last.basic == basic && dense(basic));
    if (last.node == nullptr && mergeable && last.offset + last.size == offset) {
      last.size += size;
      if (last.basic != basic) last.basic = nullptr;
      return;
    }
  }
  items_.push_back({offset, size, basic, nullptr});
}

void ProgramMaker::add(const Program& old, MPI_Aint displacement) {
  if (old.node == nullptr) return;
  const Node& node = *old.node;
  const MPI_Aint offset = old.offset + displacement;
  if (node.is_block()) return add_block(offset, node.size, node.basic);
  if (node.shape == Node::Shape::loop || node.count > inlined_items) {
    items_.push_back({offset, node.size, node.basic, old.node});
    return;
  }
  for (MPI_Count i = 0; i < node.count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const MPI_Aint at = offset + node.offsets[index];
    if (node.shape == Node::Shape::blocks)
      add_block(at, node.starts[index + 1] - node.starts[index], node.basic);
    else
      add({node.shape == Node::Shape::list ? node.child : node.children[index], at}, 0);
  }
}

ProgramMaker::Likeness ProgramMaker::likeness() const {
  Likeness found;
  const Item& first = items_.front();
  found.basic = first.basic;
  const MPI_Aint stride = items_.size() > 1 ? items_[1].offset - first.offset : 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const bool same_basic = item.basic == first.basic;
    if (!same_basic) found.basic = nullptr;
    const bool typed_alike = merging_ == Merging::any || same_basic;
    if (item.node != first.node || item.size != first.size || !typed_alike) found.same = false;
    if (item.node != nullptr || !typed_alike) found.blocks = false;
    if (i > 0 && item.offset - items_[i - 1].offset != stride) found.regular = false;
  }
  return found;
}

Program ProgramMaker::single(const Item& item) const {
  return {item.node != nullptr ? item.node : block_node(item.size, item.basic), item.offset};
}

MPI_Count ProgramMaker::fill_starts(Node& node) const {
  node.count = static_cast<MPI_Count>(items_.size());
  node.offsets.reserve(items_.size());
  node.starts.reserve(items_.size() + 1);
  MPI_Count position = 0;
  for (const Item& item : items_) {
    node.offsets.push_back(item.offset);
    node.starts.push_back(position);
    position += item.size;
  }
  node.starts.push_back(position);
  return position;
}

std::shared_ptr<Node> ProgramMaker::list_node() const {
  auto node = std::make_shared<Node>();
  node->shape = Node::Shape::list;
  node->child = single(items_.front()).node;
  node->depth = node->child->depth + 1;
  node->count = static_cast<MPI_Count>(items_.size());
  node->size = node->count * node->child->size;
  node->offsets.reserve(items_.size());
  for (const Item& item : items_) node->offsets.push_back(item.offset);
  return node;
}

std::shared_ptr<Node> ProgramMaker::blocks_node() const {
  auto node = std::make_shared<Node>();
  node->shape = Node::Shape::blocks;
  node->depth = 2;
  node->size = fill_starts(*node);
  return node;
}

std::shared_ptr<Node> ProgramMaker::sequence_node() const {
  auto node = std::make_shared<Node>();
  node->shape = Node::Shape::sequence;
  node->size = fill_starts(*node);
  node->children.reserve(items_.size());
  for (const Item& item : items_) {
    node->children.push_back(single(item).node);
    node->depth = std::max(node->depth, node->children.back()->depth + 1);
  }
  return node;
}

bool ProgramMaker::split_into_units() {
  constexpr std::size_t long_list = 32;
  constexpr MPI_Count most_units = 4;
  if (items_.size() < long_list) return false;
  MPI_Count unit = 0, total = 0;
  for (const Item& item : items_) {
    unit = std::gcd(unit, item.size);
    total += item.size;
  }
  if (unit != 4 && unit != 8 && unit != 16) return false;
  if (total / unit > most_units * static_cast<MPI_Count>(items_.size())) return false;
  std::vector<Item> units;
  units.reserve(static_cast<std::size_t>(total / unit));
  for (const Item& item : items_)
    for (MPI_Count done = 0; done < item.size; done += unit)
      units.push_back({item.offset + done, unit, item.basic, nullptr});
  items_ = std::move(units);
  return true;
}

Program ProgramMaker::finish() {
  if (items_.empty()) return {};
  if (items_.size() == 1) return single(items_.front());
  Likeness found = likeness();
  if (found.same && found.regular)
    return repeated(single(items_.front()), static_cast<MPI_Count>(items_.size()),
                    items_[1].offset - items_[0].offset, merging_);
  // Offsets of the parts count from the first one, as those of every node.
  const MPI_Aint origin = items_.front().offset;
  for (Item& item : items_) item.offset -= origin;
  if (found.blocks && !found.same && split_into_units()) found.same = true;
  const auto made = found.same ? list_node() : found.blocks ? blocks_node() : sequence_node();
  made->basic = found.basic;
  return {made, origin};
}

}  // namespace taihu::mpi::types
