// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/membership.h"

#include <map>

namespace taihu::collective {

Membership make_membership(const launch::Layout& layout, int this_process, std::span<const int> ranks) {
  Membership membership;
  membership.ranks.assign(ranks.begin(), ranks.end());
  membership.process.reserve(ranks.size());
  membership.local_index.reserve(ranks.size());
  std::map<int, int> index_of_process;
  int previous = -1;
  int previous_process = -1;
  for (int member = 0; member < membership.members(); ++member) {
    const int process = layout.process_of(ranks[static_cast<std::size_t>(member)]);
    int index = previous;
    if (process != previous_process) {
      const auto [entry, is_new] = index_of_process.try_emplace(process, membership.processes());
      index = entry->second;
      if (is_new) membership.members_of.emplace_back();
      if (process == this_process) membership.here = index;
      if (index < previous) membership.consecutive = false;
    }
    previous = index;
    previous_process = process;
    std::vector<int>& neighbours = membership.members_of[static_cast<std::size_t>(index)];
    membership.process.push_back(index);
    membership.local_index.push_back(static_cast<int>(neighbours.size()));
    neighbours.push_back(member);
  }
  if constexpr (contracts_checked) membership.check_invariants();
  return membership;
}

}  // namespace taihu::collective
