// SPDX-License-Identifier: Apache-2.0
// Reductions straight between the buffers of members of one node process: member k reads range k of
// everyone's source and writes range k of the results, so that nothing needs a second pass, and a result may
// be the same memory as its source.
//
// Operands are folded from the last member to the first: the target of a step is then apart from its operands
// or the right one, which is all that an operation must support.
#pragma once

#include <cstddef>
#include <utility>

#include "taihu/collective/copy.h"
#include "taihu/collective/operations.h"
#include "taihu/collective/pieces.h"

namespace taihu::collective {

/// target = operand(first) (op) ... (op) operand(last), first <= last. The target is written last and is none
/// of the operands but the last one.
template <class Operand>
void fold(const Reduction& reduction, void* target, int first, int last, std::size_t count,
          Operand&& operand) {
  if (first == last) return copy_block(target, operand(last), count * reduction.element_bytes);
  const void* right = operand(last);
  for (int k = last - 1; k >= first; --k) {
    reduction(target, operand(k), right, count);
    right = target;
  }
}

/// The buffers of all members, moved along piece by piece. `addresses(member)` has members `source` and
/// `result`.
template <class AddressesOf>
class MovingBuffers {
 public:
  MovingBuffers(AddressesOf addresses, std::size_t element_bytes)
      : addresses_(std::move(addresses)), element_bytes_(element_bytes) {}

  void move_to(std::size_t element) { offset_ = static_cast<std::ptrdiff_t>(element * element_bytes_); }
  const std::byte* source(int member) { return at(addresses_(member).source, offset_); }
  std::byte* result(int member) { return at(addresses_(member).result, offset_); }

 private:
  AddressesOf addresses_;
  std::size_t element_bytes_;
  std::ptrdiff_t offset_ = 0;
};

/// target = source 0 (op) source 1 (op) ...; the target may be one of the sources.
template <class Buffers>
void combine_piece(Buffers& buffers, int members, std::byte* target, std::byte* partial, std::size_t count,
                   const Reduction& reduction) {
  const auto source = [&](int k) { return buffers.source(k); };
  if (members <= 2 && (members == 1 || target != source(0))) {
    return fold(reduction, target, 0, members - 1, count, source);
  }
  fold(reduction, partial, 1, members - 1, count, source);
  if (target != source(0)) return reduction(target, source(0), partial, count);
  reduction(partial, source(0), partial, count);
  copy_block(target, partial, count * reduction.element_bytes);
}

/// The share of member `me` of the combination of all sources, to the results of members [first, end).
template <class AddressesOf>
void reduce_share(AddressesOf addresses, int me, int members, PieceBuffers& pieces, std::size_t count,
                  const Reduction& reduction, int first, int end) {
  MovingBuffers buffers(std::move(addresses), reduction.element_bytes);
  // The first member's source is read last: better not written to.
  const int written = end - first > 1 ? first + 1 : first;
  const ElementRange mine = share_of(me, members, count, reduction.element_bytes);
  pieces.for_each(mine, [&](std::size_t start, std::size_t length) {
    buffers.move_to(start);
    combine_piece(buffers, members, buffers.result(written), pieces.first(), length, reduction);
    for (int k = first; k < end; ++k) {
      copy_block(buffers.result(k), buffers.result(written), length * reduction.element_bytes);
    }
  });
}

}  // namespace taihu::collective
