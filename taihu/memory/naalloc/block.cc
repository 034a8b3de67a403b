// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/block.h"

#include <cerrno>
#include <cstdint>

namespace taihu::memory {
namespace {

/// Larger sizes could not be told apart from negative ones.
constexpr std::size_t largest_bytes = PTRDIFF_MAX;

}  // namespace

int make_shape(std::size_t elem_size, const std::size_t* part_end, int parts, BlockShape& shape) {
  if (elem_size == 0 || part_end == nullptr || parts < 1) return EINVAL;
  for (int part = 1; part < parts; ++part)
    if (part_end[part] < part_end[part - 1]) return EINVAL;
  if (part_end[parts - 1] > largest_bytes / elem_size) return ENOMEM;
  shape.part_end.resize(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part)
    shape.part_end[static_cast<std::size_t>(part)] = part_end[part] * elem_size;
  return 0;
}

int make_even_shape(std::size_t count, std::size_t elem_size, int parts, BlockShape& shape) {
  if (elem_size != 0 && count > largest_bytes / elem_size) return ENOMEM;
  shape.part_end.clear();
  const auto wanted = static_cast<std::size_t>(parts);
  std::size_t end = 0;
  for (std::size_t part = 0; part < wanted; ++part) {
    end += count / wanted + (part < count % wanted ? 1 : 0);
    shape.part_end.push_back(end * elem_size);
  }
  return 0;
}

const char* name_of(BlockKind kind) noexcept {
  switch (kind) {
    case BlockKind::partitioned:
      return "partitioned";
    case BlockKind::interleaved:
      return "interleaved";
    case BlockKind::on_node:
      return "on_node";
    case BlockKind::first_touch:
      return "first_touch";
  }
  return "";
}

}  // namespace taihu::memory
