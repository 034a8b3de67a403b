// SPDX-License-Identifier: Apache-2.0
// Copying that takes "nothing to do" well: no bytes with null pointers, or a block that already is in its
// place. Long blocks go through the message layer's kernel, whose speed does not depend on their alignment.
#pragma once

#include <cstddef>
#include <cstring>

#include "taihu/message/data/copy.h"

namespace taihu::collective {

inline void copy_block(void* target, const void* source, std::size_t bytes) noexcept {
  // The most frequent lengths, without a call.
  if (bytes == 8) {
    std::memmove(target, source, 8);
  } else if (bytes == 4) {
    std::memmove(target, source, 4);
  } else if (bytes == 16) {
    std::memmove(target, source, 16);
  } else if (bytes != 0 && target != source) {
    message::copy_bytes(target, source, bytes);
  }
}

inline std::byte* at(void* base, std::ptrdiff_t offset) noexcept {
  return static_cast<std::byte*>(base) + offset;
}
inline const std::byte* at(const void* base, std::ptrdiff_t offset) noexcept {
  return static_cast<const std::byte*>(base) + offset;
}
inline std::byte* block_at(void* base, int block, std::size_t bytes) noexcept {
  return at(base, static_cast<std::ptrdiff_t>(static_cast<std::size_t>(block) * bytes));
}
inline const std::byte* block_at(const void* base, int block, std::size_t bytes) noexcept {
  return at(base, static_cast<std::ptrdiff_t>(static_cast<std::size_t>(block) * bytes));
}

}  // namespace taihu::collective
