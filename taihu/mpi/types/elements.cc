// SPDX-License-Identifier: Apache-2.0
// Goes down the typed program to where a message ends; loops are multiplied, not walked.
#include "taihu/mpi/types/elements.h"

#include "taihu/mpi/types/node.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi::types {
namespace {

MPI_Count elements_in(const Node& node) noexcept {
  if (node.basic != nullptr) return node.size / node.basic->size_bytes * node.basic->form.elements;
  if (node.shape != Node::Shape::sequence) return node.count * elements_in(*node.child);
  MPI_Count total = 0;
  for (const NodePointer& child : node.children) total += elements_in(*child);
  return total;
}

/// Elements of one basic type in `bytes` bytes.
MPI_Count uniform_elements(const Datatype& basic, MPI_Count bytes) noexcept {
  const MPI_Count whole = bytes / basic.size_bytes * basic.form.elements;
  const MPI_Count rest = bytes % basic.size_bytes;
  if (rest == 0) return whole;
  const PairParts* const pair = pair_parts(basic);
  return pair != nullptr && rest == pair->first->size_bytes ? whole + 1 : MPI_UNDEFINED;
}

/// Adds to `before`, keeping the mark of a message that ends inside of an element.
MPI_Count plus(MPI_Count before, MPI_Count more) noexcept {
  return more == MPI_UNDEFINED ? more : before + more;
}

/// Elements in the first `bytes` bytes.
MPI_Count elements_before(const Node& node, MPI_Count bytes) noexcept {
  if (bytes == 0) return 0;
  if (node.basic != nullptr) return uniform_elements(*node.basic, bytes);
  if (node.shape != Node::Shape::sequence)
    return plus(bytes / node.child->size * elements_in(*node.child),
                elements_before(*node.child, bytes % node.child->size));
  MPI_Count total = 0;
  for (const NodePointer& child : node.children) {
    if (bytes <= child->size) return plus(total, elements_before(*child, bytes));
    total += elements_in(*child);
    bytes -= child->size;
  }
  return total;
}

/// Bytes of the first `elements` elements.
MPI_Count bytes_before(const Node& node, MPI_Count elements) noexcept {
  if (elements == 0) return 0;
  if (const Datatype* const basic = node.basic) {
    const MPI_Count whole = elements / basic->form.elements * basic->size_bytes;
    return elements % basic->form.elements == 0 ? whole : whole + pair_parts(*basic)->first->size_bytes;
  }
  if (node.shape != Node::Shape::sequence) {
    const MPI_Count each = elements_in(*node.child);
    return elements / each * node.child->size + bytes_before(*node.child, elements % each);
  }
  MPI_Count bytes = 0;
  for (const NodePointer& child : node.children) {
    const MPI_Count inside = elements_in(*child);
    if (elements <= inside) return bytes + bytes_before(*child, elements);
    elements -= inside;
    bytes += child->size;
  }
  return bytes;
}

}  // namespace

MPI_Count count_from_bytes(const Datatype& type, MPI_Count bytes) noexcept {
  if (type.size_bytes == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  return bytes % type.size_bytes == 0 ? bytes / type.size_bytes : MPI_UNDEFINED;
}

MPI_Count elements_from_bytes(const Datatype& type, MPI_Count bytes) noexcept {
  if (type.size_bytes == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  return plus(bytes / type.size_bytes * type.form.elements,
              elements_before(*type.form.typed.node, bytes % type.size_bytes));
}

MPI_Count bytes_from_elements(const Datatype& type, MPI_Count elements) {
  if (elements == 0) return 0;
  require(type.size_bytes > 0, MPI_ERR_COUNT, "a type without data has no elements");
  const MPI_Count whole = elements / type.form.elements;
  const auto bytes = static_cast<MPI_Count>(type.total_bytes(whole));
  return bytes + bytes_before(*type.form.typed.node, elements % type.form.elements);
}

}  // namespace taihu::mpi::types
