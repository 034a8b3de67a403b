// SPDX-License-Identifier: Apache-2.0
// In which order the members of an alltoall exchange blocks: in every round each has at most one member to
// send to and one to receive from, and over all rounds each pair meets once. A member "exchanges" with
// itself, too.
#pragma once

#include <vector>

#include "taihu/base/contract.h"

namespace taihu::schedule {

/// Invariants: order is a permutation of the members, positions its inverse; groups cut the positions into
/// runs that are not empty.
class ExchangeOrder {
 public:
  /// Ring: in round r position p sends to position p + r. `order`: position -> member.
  static ExchangeOrder ring(std::vector<int> order);
  /// The ring in member order.
  static ExchangeOrder ring(int members);
  /// Pairwise: in round r positions p and p ^ r exchange. Where their number is no power of two, some rounds
  /// leave members without a partner.
  static ExchangeOrder pairwise(std::vector<int> order);
  /// Two-level ring: round (a, b), a the faster: group g, member p of it, sends to group g + a, member p + b;
  /// members of smaller groups pause. `group_starts`: first position of each group, and the member count.
  static ExchangeOrder two_level_ring(std::vector<int> order, std::vector<int> group_starts);

  int members() const noexcept { return static_cast<int>(order_.size()); }
  int rounds() const noexcept { return rounds_; }
  /// Whom `member` sends to in `round`, and whom it receives from; -1: nobody.
  int to(int member, int round) const { return partner(member, round, +1); }
  int from(int member, int round) const { return partner(member, round, -1); }

 private:
  enum class Kind { ring, pairwise, two_level };
  ExchangeOrder(Kind kind, std::vector<int> order, std::vector<int> group_starts);
  int partner(int member, int round, int direction) const;
  int two_level_partner(int position, int round, int direction) const;

  Kind kind_;
  int rounds_ = 0;
  std::vector<int> order_;
  std::vector<int> positions_;
  std::vector<int> group_starts_;
  std::vector<int> group_of_;  ///< position -> group; two levels only
  int longest_group_ = 1;
};

}  // namespace taihu::schedule
