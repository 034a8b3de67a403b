// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/sum_rules.h"

#include <algorithm>

namespace taihu::neutron {
namespace {

struct SumRule {
  int sum, first, last;  ///< parts: all from `first` to `last`
};
constexpr SumRule sum_rules[] = {{4, 50, 91},     {16, 875, 891},  {18, 19, 21},
                                 {18, 38, 38},    {103, 600, 649}, {104, 650, 699},
                                 {105, 700, 749}, {106, 750, 799}, {107, 800, 849}};

}  // namespace

std::vector<int> parts_of_sum(int mt) {
  std::vector<int> parts;
  for (const SumRule& rule : sum_rules)
    for (int part = rule.first; rule.sum == mt && part <= rule.last; ++part) parts.push_back(part);
  return parts;
}

int sum_of_part(int mt) noexcept {
  for (const SumRule& rule : sum_rules)
    if (rule.first <= mt && mt <= rule.last) return rule.sum;
  return 0;
}

ReactionValues sum_of_reactions(std::span<const ReactionValues> parts) {
  const std::size_t end = parts[0].first + parts[0].values.size();
  ReactionValues sum{.first = end, .values = {}};
  for (const ReactionValues& part : parts) sum.first = std::min(sum.first, part.first);
  sum.values.assign(end - sum.first, 0);
  for (const ReactionValues& part : parts)
    for (std::size_t i = 0; i < part.values.size(); ++i)
      sum.values[part.first - sum.first + i] += part.values[i];
  return sum;
}

}  // namespace taihu::neutron
