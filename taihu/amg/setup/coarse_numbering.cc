// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/coarse_numbering.h"

#include "taihu/parallel/bytes.h"

namespace taihu::amg {

CoarseNumbering number_coarse_rows(parallel::Communicator& communicator, GlobalIndex mine) {
  std::vector<GlobalIndex> end;
  GlobalIndex all = 0;
  for (const auto& bytes : communicator.all_gather(parallel::to_bytes(std::vector<GlobalIndex>{mine})))
    end.push_back(all += parallel::from_bytes<GlobalIndex>(bytes)[0]);
  CoarseNumbering result;
  result.first = end[communicator.rank()] - mine;
  std::vector<GlobalIndex> counts;
  GlobalIndex before = 0;
  for (std::size_t rank = 0; rank < end.size(); ++rank) {
    const GlobalIndex rounded = (end[rank] + row_block / 2) / row_block * row_block;
    const GlobalIndex bound = rank + 1 == end.size() ? all : std::min(rounded, all);
    counts.push_back(bound - before);
    before = bound;
  }
  result.distribution = Distribution(counts);
  return result;
}

}  // namespace taihu::amg
