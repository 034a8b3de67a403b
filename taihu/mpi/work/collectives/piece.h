// SPDX-License-Identifier: Apache-2.0
// A buffer of the program: elements of a datatype in a row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi::collectives {

/// Pointers cannot count from MPI_BOTTOM, which is null.
inline std::byte* moved(std::byte* address, MPI_Aint bytes) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                      static_cast<std::uintptr_t>(bytes));
}

struct Piece {
  std::byte* address = nullptr;
  MPI_Count count = 0;
  Datatype* type = nullptr;

  std::size_t bytes() const { return type->total_bytes(count); }
  bool is_contiguous() const noexcept { return type->is_contiguous(count); }
  /// Where the bytes are, if contiguous.
  std::byte* data() const noexcept { return moved(address, type->block_offset()); }
  /// `elements` elements from element `first` on.
  Piece part(MPI_Count first, MPI_Count elements) const noexcept {
    return {moved(address, first * type->extent), elements, type};
  }
  /// `elements` elements that start `offset` bytes further on.
  Piece at(MPI_Aint offset, MPI_Count elements) const noexcept {
    return {moved(address, offset), elements, type};
  }
};

}  // namespace taihu::mpi::collectives
