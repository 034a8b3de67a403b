// SPDX-License-Identifier: Apache-2.0
// Who belongs to a group, and who of them shares a node process.
#pragma once

#include <span>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/launch/layout.h"

namespace taihu::collective {

/// Who is where. "Member" is a rank in the group, "process" an index among the node processes that host
/// members, in the order of their first members.
///
/// Invariants: members_of[process[m]][local_index[m]] == m; each members_of[p] grows; `consecutive` tells
/// that members_of[0], members_of[1], ... one behind the other are 0, 1, 2, ... (`check_invariants`).
struct Membership {
  std::vector<int> ranks;                    ///< member -> rank of the job
  std::vector<int> process;                  ///< member -> process
  std::vector<int> local_index;              ///< member -> index among the members of its process
  std::vector<std::vector<int>> members_of;  ///< process -> its members
  int here = -1;                             ///< this node process, -1 when it hosts no member
  bool consecutive = true;

  int members() const noexcept { return static_cast<int>(ranks.size()); }
  int processes() const noexcept { return static_cast<int>(members_of.size()); }
  const std::vector<int>& local() const noexcept {
    expect(here >= 0, "this node process has members");
    return members_of[static_cast<std::size_t>(here)];
  }
  void check_invariants() const;
};

Membership make_membership(const launch::Layout& layout, int this_process, std::span<const int> ranks);

}  // namespace taihu::collective
