// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/observed_use.h"

#include <algorithm>
#include <map>

namespace taihu::memory {
namespace {

constexpr std::size_t reach = 2;  ///< neighbours on each side that have a vote
constexpr std::size_t least_uses_per_change = 8;

/// The node that most of the accesses around number `i` come from; its own when nobody has more.
int node_around(std::span<const ObservedUse> uses, std::size_t i) {
  const std::size_t first = i < reach ? 0 : i - reach, end = std::min(uses.size(), i + reach + 1);
  std::map<int, int> votes;
  for (std::size_t k = first; k < end; ++k) ++votes[uses[k].node];
  int best = uses[i].node;
  for (const auto& [node, count] : votes)
    if (count > votes[best]) best = node;
  return best;
}

int main_thread(std::span<const ObservedUse> uses, int node) {
  std::map<int, int> votes;
  for (const ObservedUse& use : uses)
    if (use.node == node) ++votes[use.thread];
  const auto most = std::max_element(votes.begin(), votes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? -1 : most->first;
}

}  // namespace

UsedParts parts_of_use(const std::byte* begin, std::size_t bytes, std::span<const ObservedUse> uses) {
  UsedParts parts;
  if (uses.size() < least_uses) return parts;
  std::vector<int> nodes;
  for (std::size_t i = 0; i < uses.size(); ++i) nodes.push_back(node_around(uses, i));
  std::size_t first = 0;
  for (std::size_t i = 1; i <= uses.size(); ++i) {
    if (i < uses.size() && nodes[i] == nodes[i - 1]) continue;
    const auto offset = [&](std::size_t k) { return static_cast<std::size_t>(uses[k].place - begin); };
    parts.part_end.push_back(i == uses.size() ? bytes : offset(i - 1) + (offset(i) - offset(i - 1)) / 2);
    parts.node.push_back(nodes[i - 1]);
    parts.thread.push_back(main_thread(uses.subspan(first, i - first), nodes[i - 1]));
    first = i;
  }
  return parts.node.size() - 1 > uses.size() / least_uses_per_change ? UsedParts{} : parts;
}

}  // namespace taihu::memory
