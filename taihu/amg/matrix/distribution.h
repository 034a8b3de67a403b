// SPDX-License-Identifier: Apache-2.0
// Which rank owns which rows: rank r has the rows first[r] .. first[r + 1] of the whole matrix.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "taihu/amg/parallel/partition.h"

namespace taihu::amg {

/// One rank has at most so many rows: with blocks that are filled up, LocalIndex numbers them.
inline constexpr GlobalIndex most_local_rows = std::numeric_limits<LocalIndex>::max() - 2 * row_block;
inline constexpr const char* too_many_rows = "one rank takes fewer than 2^31 rows; use more ranks";

class Distribution {
 public:
  Distribution() = default;
  /// From the number of rows of each rank.
  explicit Distribution(const std::vector<GlobalIndex>& rows_of_rank) : first_{0} {
    for (const GlobalIndex rows : rows_of_rank) first_.push_back(first_.back() + rows);
  }

  /// `rows` rows over `ranks` ranks, bounds on multiples of row_block: then sums over blocks, and with them
  /// all results, are the same bits for any number of ranks.
  static Distribution even(GlobalIndex rows, int ranks) {
    std::vector<GlobalIndex> counts;
    GlobalIndex before = 0;
    for (int rank = 1; rank <= ranks; ++rank) {
      const GlobalIndex ideal = rows / ranks * rank + rows % ranks * rank / ranks;
      const GlobalIndex end =
          rank == ranks ? rows : std::min(rows, (ideal + row_block / 2) / row_block * row_block);
      counts.push_back(end - before);
      before = end;
    }
    return Distribution(counts);
  }

  GlobalIndex rows() const { return first_.back(); }
  GlobalIndex begin(int rank) const { return first_[rank]; }
  GlobalIndex end(int rank) const { return first_[rank + 1]; }
  /// Of the rank with the most.
  GlobalIndex most_rows() const {
    GlobalIndex most = 0;
    for (std::size_t rank = 0; rank + 1 < first_.size(); ++rank)
      most = std::max(most, first_[rank + 1] - first_[rank]);
    return most;
  }
  int owner(GlobalIndex row) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
  }
  bool operator==(const Distribution&) const = default;

 private:
  std::vector<GlobalIndex> first_{0, 0};
};

}  // namespace taihu::amg
