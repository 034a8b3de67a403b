// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/partition.h"

#include <algorithm>

namespace taihu::amg {
namespace {

// Work below which waking one more thread costs more than it saves (a few microseconds).
constexpr Offset least_work_per_part = 20'000;

LocalIndex block_multiple(LocalIndex row, LocalIndex rows) {
  const std::int64_t up = (std::int64_t{row} + row_block / 2) / row_block * row_block;
  return static_cast<LocalIndex>(std::min<std::int64_t>(up, rows));
}

}  // namespace

Partition Partition::even(LocalIndex rows, int parts) {
  Partition result;
  result.bounds_.assign(parts + 1, rows);
  result.bounds_[0] = 0;
  for (int part = 1; part < parts; ++part) {
    const auto ideal = static_cast<LocalIndex>(std::int64_t{rows} * part / parts);
    result.bounds_[part] = block_multiple(ideal, rows);
  }
  return result;
}

Partition Partition::by_work(std::span<const Offset> starts, int parts) {
  const auto rows = static_cast<LocalIndex>(starts.size()) - 1;
  const auto work_before = [&](LocalIndex row) { return starts[row] - starts[0] + 2 * Offset{row}; };
  const Offset work = work_before(rows);
  const auto used = static_cast<int>(std::clamp<Offset>(work / least_work_per_part, 1, parts));
  Partition result;
  result.bounds_.assign(parts + 1, rows);
  result.bounds_[0] = 0;
  for (int part = 1; part < used; ++part) {
    const Offset wanted = work / used * part;
    LocalIndex low = result.bounds_[part - 1], high = rows;
    while (low < high) {
      const LocalIndex middle = low + (high - low) / 2;
      if (work_before(middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    result.bounds_[part] = std::max(block_multiple(low, rows), result.bounds_[part - 1]);
  }
  return result;
}

}  // namespace taihu::amg
