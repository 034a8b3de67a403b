// SPDX-License-Identifier: Apache-2.0
// (type, count) as a layout of the message layer: how transfers read and write what is not contiguous.
#pragma once

#include "taihu/message/data/layout.h"
#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi::types {

/// Holds a reference to the type. Calls may be made by any thread of any rank, several at once.
class TypedLayout final : public message::Layout {
 public:
  /// `count` >= 0.
  TypedLayout(Datatype& type, MPI_Count count)
      : type_(Reference<Datatype>::to(&type)), places_(repetition(type, count)) {}

  void pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const override;
  void unpack(void* base, const std::byte* source, std::size_t first, std::size_t bytes) const override;
  /// One pass without a buffer between when `from` is a TypedLayout too.
  void copy(void* target, const message::Layout& from, const void* source, std::size_t bytes) const override;

  const Datatype& type() const noexcept { return *type_; }

 private:
  Reference<Datatype> type_;
  Repetition places_;
};

}  // namespace taihu::mpi::types
