// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/exchange_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule {

ExchangeOrder::ExchangeOrder(Kind kind, std::vector<int> order, std::vector<int> group_starts)
    : kind_(kind),
      order_(std::move(order)),
      positions_(order_.size(), -1),
      group_starts_(std::move(group_starts)) {
  const int n = members();
  expect(n >= 1, "somebody takes part");
  for (int position = 0; position < n; ++position) {
    const int member = order_[index(position)];
    expect(0 <= member && member < n && positions_[index(member)] < 0, "the order is a permutation");
    positions_[index(member)] = position;
  }
  rounds_ = n;
  if (kind_ == Kind::pairwise) rounds_ = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
  if (kind_ != Kind::two_level) return;
  expect(group_starts_.size() >= 2 && group_starts_.front() == 0 && group_starts_.back() == n,
         "groups hold all members");
  group_of_.resize(order_.size());
  for (std::size_t group = 0; group + 1 < group_starts_.size(); ++group) {
    expect(group_starts_[group] < group_starts_[group + 1], "no group is empty");
    longest_group_ = std::max(longest_group_, group_starts_[group + 1] - group_starts_[group]);
    for (int position = group_starts_[group]; position < group_starts_[group + 1]; ++position)
      group_of_[index(position)] = static_cast<int>(group);
  }
  rounds_ = (static_cast<int>(group_starts_.size()) - 1) * longest_group_;
}

ExchangeOrder ExchangeOrder::ring(std::vector<int> order) {
  return {Kind::ring, std::move(order), {}};
}

ExchangeOrder ExchangeOrder::ring(int members) {
  std::vector<int> order(index(members));
  std::iota(order.begin(), order.end(), 0);
  return ring(std::move(order));
}

ExchangeOrder ExchangeOrder::pairwise(std::vector<int> order) {
  return {Kind::pairwise, std::move(order), {}};
}

ExchangeOrder ExchangeOrder::two_level_ring(std::vector<int> order, std::vector<int> group_starts) {
  return {Kind::two_level, std::move(order), std::move(group_starts)};
}

int ExchangeOrder::partner(int member, int round, int direction) const {
  expect(0 <= round && round < rounds_, "the round is one of the order");
  const int n = members();
  const int position = positions_[index(member)];
  int other = -1;
  switch (kind_) {
    case Kind::ring:
      other = (position + direction * round + n) % n;
      break;
    case Kind::pairwise:
      other = (position ^ round) < n ? position ^ round : -1;
      break;
    case Kind::two_level:
      other = two_level_partner(position, round, direction);
      break;
  }
  return other < 0 ? -1 : order_[index(other)];
}

int ExchangeOrder::two_level_partner(int position, int round, int direction) const {
  const int groups = static_cast<int>(group_starts_.size()) - 1;
  const int mine = group_of_[index(position)];
  const int group = (mine + direction * (round % groups) + groups) % groups;
  const int place = position - group_starts_[index(mine)];
  const int other = (place + direction * (round / groups) + longest_group_) % longest_group_;
  const int first = group_starts_[index(group)];
  return other < group_starts_[index(group) + 1] - first ? first + other : -1;
}

}  // namespace taihu::schedule
