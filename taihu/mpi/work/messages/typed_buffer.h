// SPDX-License-Identifier: Apache-2.0
// (address, count, datatype) as calls name a buffer, turned into what the message layer takes.
#pragma once

#include <optional>
#include <string>

#include "taihu/message/data/layout.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/types/typed_layout.h"

namespace taihu::mpi::messages {

/// A buffer of the program, checked. With a layout it holds a reference to the datatype; must stay where it
/// is until transfers that use it are complete.
class TypedBuffer {
 public:
  /// Throws CallError for a negative count, a type that is not one or not committed, a missing buffer.
  __attribute__((always_inline)) TypedBuffer(Rank& rank, const void* address, MPI_Count count,
                                             MPI_Datatype handle)
      : address_(const_cast<void*>(address)) {
    Datatype* const type = rank.find<Datatype>(handle);
    if (type == nullptr || !type->committed || count < 0) [[unlikely]]
      refuse(type, count);
    bytes_ = type->total_bytes(count);
    if (type->is_contiguous(count)) {
      if (bytes_ != 0) address_ = static_cast<std::byte*>(address_) + type->block_offset();
      if (address_ == nullptr && bytes_ != 0) [[unlikely]]
        refuse_missing();
    } else {
      layout_.emplace(*type, count);
    }
  }
  TypedBuffer(const TypedBuffer&) = delete;
  TypedBuffer& operator=(const TypedBuffer&) = delete;

  std::size_t bytes() const noexcept { return bytes_; }
  bool has_layout() const noexcept { return layout_.has_value(); }
  message::Data data() const noexcept { return {address_, bytes_, layout()}; }
  message::Space space() const noexcept { return {address_, bytes_, layout()}; }

 private:
  const message::Layout* layout() const noexcept { return layout_ ? &*layout_ : nullptr; }
  [[noreturn]] static void refuse(const Datatype* type, MPI_Count count);
  [[noreturn]] static void refuse_missing();

  void* address_;
  std::size_t bytes_;
  std::optional<TypedLayout> layout_;
};

}  // namespace taihu::mpi::messages
