// SPDX-License-Identifier: Apache-2.0
// Elements of a type in a row, as the copying functions take them: no allocation, no counting of references,
// so it must not outlive its type.
#pragma once

#include <cstddef>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

/// `count` times `node`, the first at byte `offset` from the base address, `stride` bytes apart. Their packed
/// stream is that of one after that of the other. count == 0: no data (node may be null then).
struct Repetition {
  const Node* node = nullptr;
  MPI_Aint offset = 0;
  MPI_Count count = 0;
  MPI_Aint stride = 0;
};

/// `count` elements of `type`. `typed`: with blocks of one basic type each.
Repetition repetition(const Datatype& type, MPI_Count count) noexcept;
Repetition typed_repetition(const Datatype& type, MPI_Count count) noexcept;

/// Copies the bytes [first, first + bytes) of the packed stream of the data at `base` to `target`.
void pack(const Repetition& places, std::byte* target, const void* base, std::size_t first,
          std::size_t bytes) noexcept;
/// The reverse.
void unpack(const Repetition& places, void* base, const std::byte* source, std::size_t first,
            std::size_t bytes) noexcept;
/// Copies the first `bytes` bytes of the stream of the data at `source` to their places at `target`. The two
/// must not overlap. Allocates only for types nested more than 16 deep.
void copy(const Repetition& target_places, void* target, const Repetition& source_places, const void* source,
          std::size_t bytes);

/// Everything at once, for callers with whole messages in hand.
inline void pack(const Datatype& type, MPI_Count count, std::byte* target, const void* base) {
  pack(repetition(type, count), target, base, 0, type.total_bytes(count));
}
inline void unpack(const Datatype& type, MPI_Count count, void* base, const std::byte* source) {
  unpack(repetition(type, count), base, source, 0, type.total_bytes(count));
}

}  // namespace taihu::mpi::types
