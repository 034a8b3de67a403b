// SPDX-License-Identifier: Apache-2.0
// The binomial tree over n members, rooted at any of them. Members are named by their distance behind the
// root ("relative": 0 is the root). Relative v with lowest set bit `span` is the child of v - span and covers
// the relative members [v, v + span), cut at n.
#pragma once

#include <algorithm>

#include "taihu/schedule/step.h"

namespace taihu::schedule {

class BinomialTree {
 public:
  BinomialTree(Place place, int root) : members_(place.members), root_(root) {
    expect(place.has(place.me) && place.has(root), "the member and the root are among the members");
    relative_ = (place.me - root + members_) % members_;
    while (top_ < members_) top_ *= 2, ++levels_;
    span_ = relative_ == 0 ? top_ : relative_ & -relative_;
  }

  int relative() const noexcept { return relative_; }
  int levels() const noexcept { return levels_; }
  bool is_root() const noexcept { return relative_ == 0; }
  /// Bit between me and my parent; for the root the power of two that is not below n.
  int span() const noexcept { return span_; }
  int member(int relative) const noexcept { return (relative + root_) % members_; }
  int parent() const noexcept { return member(relative_ - span_); }
  /// Relative members covered by the subtree of relative `v` with `span`: [v, end).
  int end(int v, int span) const noexcept { return std::min(v + span, members_); }
  bool has_child(int span) const noexcept { return span < span_ && relative_ + span < members_; }
  /// Rounds in which the edge of `span` is used: from the root down, and from the leaves up. On the way down
  /// a member serves all its children in one round, the one behind its own.
  int round_down(int span) const noexcept { return levels_ - 1 - log2(span); }
  int round_to_children() const noexcept { return round_down(span_) + 1; }
  int round_up(int span) const noexcept { return log2(span); }

 private:
  static int log2(int power) noexcept { return __builtin_ctz(static_cast<unsigned>(power)); }

  int members_;
  int root_;
  int relative_ = 0;
  int top_ = 1;
  int levels_ = 0;
  int span_ = 1;
};

}  // namespace taihu::schedule
