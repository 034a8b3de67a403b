// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/observed_use.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taihu::memory {
namespace {

constexpr std::size_t least_uses_per_change = 8;
/// Share of the accesses that have to come from the node of their part.
constexpr double least_share = 2.0 / 3;

/// The nodes of the owners along the accesses, which makes the least sum of accesses by others and of a price
/// for each change of the owner (dynamic programming). The price grows with the logarithm of the number of
/// accesses, as the longest run of strangers does that chance makes.
class Owners {
 public:
  explicit Owners(std::span<const ObservedUse> uses)
      : uses_(uses), price_(2 + std::log2(static_cast<double>(uses.size())) / 3) {
    for (const ObservedUse& use : uses) nodes_.push_back(use.node);
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    walk();
  }

  /// One node for each access.
  std::vector<int> along() const {
    std::vector<int> owners(uses_.size());
    std::size_t owner = last_;
    for (std::size_t i = uses_.size(); i-- > 0;) {
      owners[i] = nodes_[owner];
      if (changed_[i * nodes_.size() + owner]) owner = before_[i];
    }
    return owners;
  }

 private:
  void walk() {
    std::vector<double> cost(nodes_.size(), 0);
    changed_.assign(uses_.size() * nodes_.size(), false);
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const auto cheapest =
          static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
      const double changed = cost[cheapest] + price_;
      before_.push_back(cheapest);
      for (std::size_t owner = 0; owner < nodes_.size(); ++owner) {
        if (changed < cost[owner]) {
          cost[owner] = changed;
          changed_[i * nodes_.size() + owner] = true;
        }
        cost[owner] += nodes_[owner] != uses_[i].node;
      }
    }
    last_ = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  }

  std::span<const ObservedUse> uses_;
  double price_;
  std::vector<int> nodes_;           ///< that occur
  std::vector<bool> changed_;        ///< [access][owner]: the access before has another owner, before_
  std::vector<std::size_t> before_;  ///< the cheapest owner of the accesses before this one
  std::size_t last_ = 0;             ///< owner of the last access
};

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
  const std::vector<int> nodes = Owners(uses).along();
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) agreeing += nodes[i] == uses[i].node;
  if (static_cast<double>(agreeing) < least_share * static_cast<double>(uses.size())) return parts;
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
