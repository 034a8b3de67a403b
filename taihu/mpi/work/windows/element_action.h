// SPDX-License-Identifier: Apache-2.0
// What accumulates do to elements at the target, atomic for each element (element_locks.h).
#pragma once

#include <cstddef>

#include "taihu/collective/operations.h"
#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/work/windows/element_locks.h"

namespace taihu::mpi::windows {

class ElementAction {
 public:
  /// `operation` is a predefined one, MPI_REPLACE and MPI_NO_OP included, `element` a predefined type. Throws
  /// MPI_ERR_OP when the pair has no meaning.
  ElementAction(MPI_Op operation, const Datatype& element);

  const Datatype& element() const noexcept { return element_; }
  std::size_t extent() const noexcept { return extent_; }
  /// Neither needs nor reads data of the origin.
  bool only_reads() const noexcept { return kind_ == Kind::keep; }
  /// From the first byte of the first to the last byte of the last of `n` elements in a row; elements of pair
  /// types may have padding behind them that does not belong to the data.
  std::size_t row_bytes(std::size_t n) const noexcept { return n == 0 ? 0 : (n - 1) * extent_ + last_; }

  /// Elements are `extent` apart in all three rows. `result` gets what was at `target` before; null: nobody
  /// wants it. `source` is not read when `only_reads`.
  void apply(ElementLocks& locks, std::byte* target, const std::byte* source, std::byte* result,
             std::size_t n) const;
  /// As apply with one element.
  void apply_to_one(ElementLocks& locks, std::byte* target, const std::byte* source, std::byte* result) const;

 private:
  enum class Kind { combine, replace, keep };
  Kind kind_;
  const Datatype& element_;
  std::size_t extent_, last_;
  collective::Combine kernel_ = nullptr;
};

/// Puts `source` at `target` if `compare` is there; `result` gets what was there. One element of `bytes`
/// bytes each.
void compare_and_swap(ElementLocks& locks, std::byte* target, const std::byte* source,
                      const std::byte* compare, std::byte* result, std::size_t bytes);

/// Throws MPI_ERR_TYPE unless MPI_Compare_and_swap takes the type: integers, logicals and bytes.
void require_comparable(const Datatype& type);

}  // namespace taihu::mpi::windows
