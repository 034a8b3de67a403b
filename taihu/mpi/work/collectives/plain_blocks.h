// SPDX-License-Identifier: Apache-2.0
// The buffers of most collectives: types without gaps, valid arguments, few members. They need no memory, no
// copy and no text, and are passed on as they are. Whatever is not so here is another way's business, which
// also says what is wrong with it: nothing here throws.
#pragma once

#include <cstddef>

#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/types/integers.h"
#include "taihu/mpi/work/collectives/arguments.h"

namespace taihu::mpi::collectives {

/// A type that may be used; else null.
inline const Datatype* valid_type(const Rank& rank, MPI_Datatype handle) noexcept {
  const Datatype* const type = rank.find<Datatype>(handle);
  return type != nullptr && type->committed ? type : nullptr;
}

/// A buffer that is one block of memory.
struct PlainBuffer {
  std::byte* data = nullptr;
  std::size_t bytes = 0;

  /// `blocks` times `count` elements; `bytes` are those of one block. False: not plain.
  bool set(const Datatype* type, const void* address, MPI_Count count, int blocks = 1) noexcept {
    MPI_Count elements, of_block, of_all;
    if (type == nullptr || address == nullptr || is_in_place(address) || count < 0 ||
        __builtin_mul_overflow(count, blocks, &elements) || !type->is_contiguous(elements) ||
        __builtin_mul_overflow(type->size_bytes, count, &of_block) ||
        __builtin_mul_overflow(of_block, blocks, &of_all)) [[unlikely]]
      return false;
    data = moved(static_cast<std::byte*>(const_cast<void*>(address)), type->block_offset());
    bytes = static_cast<std::size_t>(of_block);
    return true;
  }
  bool set(const Rank& rank, const void* address, MPI_Count count, MPI_Datatype handle,
           int blocks = 1) noexcept {
    return set(valid_type(rank, handle), address, count, blocks);
  }
  /// The block of a member.
  PlainBuffer block(int member) const noexcept {
    return {data + static_cast<std::size_t>(member) * bytes, bytes};
  }
};

/// Blocks with counts and displacements.
class PlainBlocks {
 public:
  static constexpr int most_members = 32;

  PlainBlocks() noexcept {}  // tables stay as they are
  PlainBlocks(const PlainBlocks&) = delete;
  PlainBlocks& operator=(const PlainBlocks&) = delete;

  /// False: not plain.
  bool set(const Rank& rank, const void* address, const Integers& counts, const Integers& displacements,
           MPI_Datatype handle, int members) noexcept {
    const Datatype* const type = valid_type(rank, handle);
    if (type == nullptr || !type->contiguous || address == nullptr || is_in_place(address) ||
        members > most_members || counts.is_null() || displacements.is_null()) [[unlikely]]
      return false;
    data_ = moved(static_cast<std::byte*>(const_cast<void*>(address)), type->block_offset());
    for (int k = 0; k < members; ++k) {
      const auto block = static_cast<std::size_t>(k);
      MPI_Count bytes;
      if (counts[block] < 0 || __builtin_mul_overflow(type->size_bytes, counts[block], &bytes)) [[unlikely]]
        return false;
      lengths_[k] = static_cast<std::size_t>(bytes);
      offsets_[k] = displacements[block] * type->extent;
    }
    return true;
  }

  std::byte* data() const noexcept { return data_; }
  const std::size_t* lengths() const noexcept { return lengths_; }
  const std::ptrdiff_t* offsets() const noexcept { return offsets_; }
  PlainBuffer block(int member) const noexcept { return {data_ + offsets_[member], lengths_[member]}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t lengths_[most_members];
  std::ptrdiff_t offsets_[most_members];
};

/// What a member sends itself has the length that it expects, and comes from another place.
inline bool fit_together(const PlainBuffer& source, const PlainBuffer& result) noexcept {
  return source.bytes == result.bytes && (source.data != result.data || source.bytes == 0);
}

}  // namespace taihu::mpi::collectives
