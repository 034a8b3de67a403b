// SPDX-License-Identifier: Apache-2.0
// Numbers of members that tests of schedules go through.
#pragma once

#include <vector>

#include "taihu/base/sanitized_for_tests.h"

namespace taihu::schedule {

/// 1 to `most`; under sanitizers those up to 9, and beyond them those at and beside powers of two, where the
/// forms change.
inline std::vector<int> member_counts(int most) {
  const auto is_chosen = [](int members) {
    if (members <= plain_or_sanitized(1 << 20, 9)) return true;
    for (const int near : {members - 1, members, members + 1})
      if ((near & (near - 1)) == 0) return true;
    return false;
  };
  std::vector<int> chosen;
  for (int members = 1; members <= most; ++members)
    if (is_chosen(members)) chosen.push_back(members);
  return chosen;
}

}  // namespace taihu::schedule
