// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/array.h"

namespace taihu::amg {

std::vector<std::size_t> part_ends(const Partition& partition, std::size_t per_row, std::size_t tail) {
  std::vector<std::size_t> ends(partition.parts());
  for (int part = 0; part < partition.parts(); ++part) ends[part] = partition.end(part) * per_row;
  ends.back() += tail;
  return ends;
}

std::vector<std::size_t> part_ends(const Partition& partition, std::span<const Offset> starts) {
  std::vector<std::size_t> ends(partition.parts());
  for (int part = 0; part < partition.parts(); ++part) ends[part] = starts[partition.end(part)];
  return ends;
}

}  // namespace taihu::amg
