// SPDX-License-Identifier: Apache-2.0
// The tallies of a statepoint read piece by piece.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/file/plain_file.h"
#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

class StatepointTallies {
 public:
  /// Throws Error when the file does not have the tallies of `layout`.
  StatepointTallies(const std::string& path, const TallyLayout& layout);

  /// `count` bins of a tally from its bin `first` on; valid until the next call. Throws Error.
  TallyView read(std::size_t tally, std::int64_t first, std::int64_t count);

 private:
  struct Place {
    std::int64_t in_file = -1;
    int realizations = 0;
  };
  PlainFile file_;
  std::vector<Place> places_;  ///< by tally
  TallyStatistics read_;
};

}  // namespace taihu::neutron
