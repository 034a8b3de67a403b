// SPDX-License-Identifier: Apache-2.0
// Data as a row of elements of one predefined type, `extent` bytes apart, as accumulates take and give them:
// in the program's own memory where they lie like that, else gathered and scattered.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "taihu/mpi/types/segments.h"
#include "taihu/mpi/work/windows/access.h"
#include "taihu/mpi/work/windows/element_action.h"

namespace taihu::mpi::windows {

/// Whether `count` elements of `type` are a row as they lie, from row_offset on.
inline bool is_row(const Datatype& type, MPI_Count count) noexcept {
  return &type == type.element ||
         (type.is_contiguous(count) && type.element->extent == type.element->size_bytes);
}
inline MPI_Aint row_offset(const Datatype& type) noexcept {
  return &type == type.element ? 0 : type.block_offset();
}
/// Number of elements of the predefined type.
inline std::size_t elements_of(const Datatype& type, MPI_Count count) {
  return type.total_bytes(count) / static_cast<std::size_t>(type.element->size_bytes);
}

/// visit(offset, first, n) for the elements [from, from + number) of the data: n of them lie in a row at
/// `offset`, the first is number `first`, counted from `from`.
template <class Visit>
void for_each_row(const Datatype& type, MPI_Count count, std::size_t from, std::size_t number,
                  Visit&& visit) {
  const auto size = static_cast<std::size_t>(type.element->size_bytes);
  std::size_t first = 0;
  if (is_row(type, count)) {
    visit(row_offset(type) + static_cast<MPI_Aint>(from) * type.element->extent, first, number);
    return;
  }
  for_each_run(type, count, from * size, number * size, [&](MPI_Aint offset, const Datatype&, std::size_t n) {
    visit(offset, first, n);
    first += n;
  });
}

/// Reads the elements [from, from + number) into `row`.
inline void gather(const ElementAction& action, const Buffer& data, std::size_t from, std::size_t number,
                   std::byte* row) {
  for_each_row(*data.type, data.count, from, number, [&](MPI_Aint offset, std::size_t first, std::size_t n) {
    std::memcpy(row + first * action.extent(), static_cast<const std::byte*>(data.address) + offset,
                action.row_bytes(n));
  });
}
/// Writes them from `row`.
inline void scatter(const ElementAction& action, const Buffer& data, std::size_t from, std::size_t number,
                    const std::byte* row) {
  for_each_row(*data.type, data.count, from, number, [&](MPI_Aint offset, std::size_t first, std::size_t n) {
    std::memcpy(static_cast<std::byte*>(data.address) + offset, row + first * action.extent(),
                action.row_bytes(n));
  });
}

}  // namespace taihu::mpi::windows
