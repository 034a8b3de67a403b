// SPDX-License-Identifier: Apache-2.0
// Collectives between two groups of members: what one group has goes to the other one. As in algorithms.h,
// but a program's peers are: 0 .. mine - 1 the members of the caller's own group, mine + k member k of the
// others.
//
// The first members of both groups speak for them. What a group does by itself, before and after, is passed
// as a program of its own members; so the choice among algorithms stays in one place.
#pragma once

#include "taihu/schedule/algorithms.h"

namespace taihu::schedule {

/// The caller is member `me` of `mine`; the other group has `others`.
struct TwoGroups {
  int mine = 1;
  int others = 1;
  int me = 0;

  Place here() const noexcept { return {mine, me}; }
  int other(int member) const {
    expect(member >= 0 && member < others, "0 <= member < members of the other group");
    return mine + member;
  }
};

/// What a member of a rooted collective between groups is: the root in its group, or one of the other group.
enum class Side { root, others };

/// Nobody ends before all of the other group have begun.
Program barrier_between(TwoGroups groups);

/// `result` of the root to `result` of all others. `bcast` is that from member 0 in the caller's group and
/// `root` the root's number in its own; both are used by the others.
Program bcast_between(TwoGroups groups, std::size_t count, Side side, int root, const Program& bcast);

/// The combination of `source` of all others to `result` of the root. `reduce` is that to member 0 in the
/// caller's group.
Program reduce_between(TwoGroups groups, std::size_t count, Side side, int root, const Program& reduce);

/// The combination of `source` of each group to `result` of all members of the other one.
Program allreduce_between(TwoGroups groups, std::size_t count, const Program& reduce, const Program& bcast);

/// The combination of `source` of each group, cut into `blocks` for the members of the other one. `blocks`
/// are those of the caller's group.
Program reduce_scatter_between(TwoGroups groups, const Blocks& blocks, const Program& reduce);

}  // namespace taihu::schedule
