// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/datatype/strided_copy.h"

namespace taihu::mpi {
namespace {

/// Blocks of a size known to the compiler. Four at once: loads first, so that they need not wait for stores
/// that the compiler must take for overlapping.
template <std::size_t Bytes>
void copy_fixed(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                std::ptrdiff_t source_stride, std::size_t count) noexcept {
  struct Block {
    std::byte bytes[Bytes];
  } block[4];
  for (; count >= 4; count -= 4) {
    for (int i = 0; i < 4; ++i) std::memcpy(&block[i], source + i * source_stride, Bytes);
    for (int i = 0; i < 4; ++i) std::memcpy(target + i * target_stride, &block[i], Bytes);
    source += 4 * source_stride;
    target += 4 * target_stride;
  }
  for (; count > 0; --count) {
    std::memcpy(target, source, Bytes);
    source += source_stride;
    target += target_stride;
  }
}

void copy_any(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
              std::ptrdiff_t source_stride, std::size_t bytes, std::size_t count) noexcept {
  for (; count > 0; --count) {
    copy_block(target, source, bytes);
    source += source_stride;
    target += target_stride;
  }
}

}  // namespace

void copy_strided(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                  std::ptrdiff_t source_stride, std::size_t bytes, std::size_t count) noexcept {
  if (count == 1) return copy_block(target, source, bytes);
  const auto dense = static_cast<std::ptrdiff_t>(bytes);
  if (target_stride == dense && source_stride == dense) return copy_block(target, source, bytes * count);
  switch (bytes) {
    case 1:
      return copy_fixed<1>(target, target_stride, source, source_stride, count);
    case 2:
      return copy_fixed<2>(target, target_stride, source, source_stride, count);
    case 4:
      return copy_fixed<4>(target, target_stride, source, source_stride, count);
    case 8:
      return copy_fixed<8>(target, target_stride, source, source_stride, count);
    case 12:
      return copy_fixed<12>(target, target_stride, source, source_stride, count);
    case 16:
      return copy_fixed<16>(target, target_stride, source, source_stride, count);
    case 24:
      return copy_fixed<24>(target, target_stride, source, source_stride, count);
    case 32:
      return copy_fixed<32>(target, target_stride, source, source_stride, count);
    case 64:
      return copy_fixed<64>(target, target_stride, source, source_stride, count);
    default:
      return copy_any(target, target_stride, source, source_stride, bytes, count);
  }
}

}  // namespace taihu::mpi
