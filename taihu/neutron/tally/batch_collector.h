// SPDX-License-Identifier: Apache-2.0
// The end of a batch: the sums of its bins go to the ranks that own them and into their statistics.
//
// All that is done here is done for bins that were scored in (bin_marks.h). A rank sends a bin's sum only if
// it is not zero, in messages of about a megabyte, and adds what comes to its own window. So no second array
// of bins exists, and a rank never has more than its window and the statistics that it owns. Sums are exact:
// the order in which they come does not matter.
#pragma once

#include <span>
#include <vector>

#include "taihu/neutron/tally/bin_marks.h"
#include "taihu/neutron/tally/shares.h"
#include "taihu/parallel/communicator.h"
#include "taihu/parallel/team.h"

namespace taihu::neutron {

class BatchCollector {
 public:
  /// All arguments must outlive the object.
  BatchCollector(const BinShares& shares, parallel::Communicator& ranks, const parallel::Team& team);

  /// Adds the batch's sums of all ranks, times `factor`, to the statistics of the bins that this rank owns.
  /// `sums` are of this rank's window; they are cleared. Bins without a mark are zero. Collective.
  void collect(std::span<ExactSum> sums, BinMarks& marks, double factor, TallyStatistics& statistics);

 private:
  void exchange(std::span<ExactSum> sums, BinMarks& marks) const;
  void add(std::span<ExactSum> sums, const BinMarks& marks, std::int64_t begin, std::int64_t end,
           double factor, TallyStatistics& statistics) const;

  parallel::Communicator* ranks_;
  const parallel::Team* team_;
  int rank_;
  std::vector<std::vector<BinTransfer>> transfers_;  ///< by owner
  std::int64_t owned_ = 0;                           ///< bins
};

}  // namespace taihu::neutron
