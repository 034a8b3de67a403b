// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/data/strided_blocks.h"

#include <algorithm>
#include <typeinfo>

#include "taihu/message/data/strided_copy.h"

namespace taihu::message {

/// Calls `copy_blocks(place, at, bytes, count)` for rows of equal blocks that make up the bytes
/// [first, first + bytes): `place` is where the first one is in memory, `at` in the piece.
template <class CopyBlocks>
void StridedBlocks::in_blocks(std::size_t first, std::size_t bytes, CopyBlocks&& copy_blocks) const {
  std::size_t place = first / block_ * stride_ + first % block_;
  std::size_t at = 0;
  if (first % block_ != 0) {
    const std::size_t rest = std::min(block_ - first % block_, bytes);
    copy_blocks(place, at, rest, std::size_t{1});
    at = rest;
    place = (first / block_ + 1) * stride_;
  }
  const std::size_t whole = (bytes - at) / block_;
  if (whole > 0) copy_blocks(place, at, block_, whole);
  at += whole * block_;
  if (at < bytes) copy_blocks(place + whole * stride_, at, bytes - at, std::size_t{1});
}

void StridedBlocks::pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const {
  const auto* from = static_cast<const std::byte*>(base);
  in_blocks(first, bytes, [&](std::size_t place, std::size_t at, std::size_t size, std::size_t count) {
    copy_strided(target + at, static_cast<std::ptrdiff_t>(size), from + place,
                 static_cast<std::ptrdiff_t>(stride_), size, count);
  });
}

void StridedBlocks::unpack(void* base, const std::byte* source, std::size_t first, std::size_t bytes) const {
  auto* to = static_cast<std::byte*>(base);
  in_blocks(first, bytes, [&](std::size_t place, std::size_t at, std::size_t size, std::size_t count) {
    copy_strided(to + place, static_cast<std::ptrdiff_t>(stride_), source + at,
                 static_cast<std::ptrdiff_t>(size), size, count);
  });
}

void StridedBlocks::copy(void* target, const Layout& from, const void* source, std::size_t bytes) const {
  auto* to = static_cast<std::byte*>(target);
  if (typeid(from) != typeid(StridedBlocks)) {
    return in_blocks(0, bytes, [&](std::size_t place, std::size_t at, std::size_t size, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        from.pack(to + place + i * stride_, source, at + i * size, size);
    });
  }
  const auto& other = static_cast<const StridedBlocks&>(from);
  if (other.block_ == block_) return copy_blocks(target, source, {bytes, block_, other.stride_, stride_});
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t run = std::min({block_ - at % block_, other.block_ - at % other.block_, bytes - at});
    copy_block(to + at / block_ * stride_ + at % block_,
               static_cast<const std::byte*>(source) + at / other.block_ * other.stride_ + at % other.block_,
               run);
    at += run;
  }
}

void copy_blocks(void* target, const void* source, const StridedShape& shape) noexcept {
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  const std::size_t whole = shape.bytes / shape.block;
  if (whole > 0) {
    copy_strided(to, static_cast<std::ptrdiff_t>(shape.target_stride), from,
                 static_cast<std::ptrdiff_t>(shape.source_stride), shape.block, whole);
  }
  copy_block(to + whole * shape.target_stride, from + whole * shape.source_stride,
             shape.bytes - whole * shape.block);
}

}  // namespace taihu::message
