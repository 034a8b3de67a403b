// SPDX-License-Identifier: Apache-2.0
// How places at a target travel to another node process: as runs of equal blocks at equal distances, so that
// a vector of any length is one run. Made afresh for each piece of a transfer, so the other side keeps
// nothing about types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace taihu::mpi::windows {

/// Blocks of `bytes` bytes at offset, offset + stride, ...; `count` of them.
struct Run {
  std::int64_t offset = 0;
  std::int64_t stride = 0;
  std::uint32_t bytes = 0;
  std::uint32_t count = 0;
};

/// Appends a block behind those that are there.
inline void add_block(std::vector<Run>& runs, std::int64_t offset, std::uint32_t bytes) {
  if (!runs.empty() && runs.back().bytes == bytes) {
    Run& last = runs.back();
    if (last.count == 1) last.stride = offset - last.offset;
    if (offset - last.offset == last.stride * last.count) {
      ++last.count;
      return;
    }
  }
  runs.push_back({offset, 0, bytes, 1});
}

/// visit(offset, bytes) for each block.
template <class Visit>
void for_each_block(const Run* runs, std::size_t number, Visit&& visit) {
  for (std::size_t i = 0; i < number; ++i) {
    const Run& run = runs[i];
    std::int64_t offset = run.offset;
    for (std::uint32_t block = 0; block < run.count; ++block, offset += run.stride) visit(offset, run.bytes);
  }
}

}  // namespace taihu::mpi::windows
