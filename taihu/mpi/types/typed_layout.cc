// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/typed_layout.h"

#include <algorithm>
#include <typeinfo>

namespace taihu::mpi::types {

void TypedLayout::pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const {
  types::pack(places_, target, base, first, bytes);
}

void TypedLayout::unpack(void* base, const std::byte* source, std::size_t first, std::size_t bytes) const {
  types::unpack(places_, base, source, first, bytes);
}

void TypedLayout::copy(void* target, const message::Layout& from, const void* source,
                       std::size_t bytes) const {
  if (typeid(from) == typeid(TypedLayout))
    return types::copy(places_, target, static_cast<const TypedLayout&>(from).places_, source, bytes);
  std::byte between[4096];
  for (std::size_t first = 0; first < bytes; first += sizeof between) {
    const std::size_t piece = std::min(sizeof between, bytes - first);
    from.pack(between, source, first, piece);
    unpack(target, between, first, piece);
  }
}

}  // namespace taihu::mpi::types
