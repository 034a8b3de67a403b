// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/network_placement.h"

#include <algorithm>
#include <numeric>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::model {

namespace {

using Nodes = std::vector<int>;

using schedule::index;

void shuffle(Nodes& nodes, Random& random) {
  for (std::size_t k = nodes.size(); k > 1; --k) std::swap(nodes[k - 1], nodes[random.below(k)]);
}

Nodes all_nodes(const topology::Interconnect& network) {
  Nodes nodes(index(network.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// `members` nodes, every `stride`-th from `first` on.
Nodes strided(int members, int first, int stride) {
  Nodes nodes;
  for (int k = 0; k < members; ++k) nodes.push_back(first + k * stride);
  return nodes;
}

/// The first `part` nodes of each group, group after group.
Nodes parts_of_groups(const topology::Interconnect& network, int members, int group_size, int part) {
  Nodes nodes;
  for (int node = 0; node < network.nodes() && nodes.size() < index(members); ++node)
    if (node % group_size < part) nodes.push_back(node);
  return nodes;
}

/// Member k is in group k % groups.
Nodes in_turns(int members, int group_size, int groups) {
  Nodes nodes;
  for (int k = 0; k < members; ++k) nodes.push_back(k % groups * group_size + k / groups);
  return nodes;
}

/// What is free between other jobs: runs of `least` to `most` nodes, the machine three quarters full.
Nodes fragments(const topology::Interconnect& network, int members, int least, int most, Random& random) {
  Nodes nodes;
  int node = 0;
  while (nodes.size() < index(members)) {
    const int run = least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    for (int k = 0; k < run && node < network.nodes() && nodes.size() < index(members); ++k)
      nodes.push_back(node++);
    const int left = network.nodes() - node;
    const int missing = members - static_cast<int>(nodes.size());
    const int gap = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * run * 2 + 1)));
    node += std::max(0, std::min(gap, left - missing));
  }
  return nodes;
}

int size_of_groups(const topology::Interconnect& network) {
  int size = 1;
  while (size < network.nodes() && network.group(size) == network.group(0)) ++size;
  return size;
}

}  // namespace

std::vector<NetworkPlacement> twelve_placements(const topology::Interconnect& network, int members,
                                                std::uint64_t seed) {
  const int group_size = size_of_groups(network);
  const int groups = network.nodes() / group_size;
  check_input(members >= 1 && network.nodes() / 4 >= members,
              "twelve placements of " + std::to_string(members) + " members need a network of " +
                  std::to_string(4L * members) + " nodes, and it has " + std::to_string(network.nodes()));
  Random random(seed);
  Nodes scattered = all_nodes(network);
  shuffle(scattered, random);
  scattered.resize(index(members));
  Nodes scattered_in_order = scattered;
  std::sort(scattered_in_order.begin(), scattered_in_order.end());
  Nodes shuffled = strided(members, 0, 1);
  shuffle(shuffled, random);
  Nodes short_fragments = fragments(network, members, 4, 32, random);
  const int half = std::max(1, group_size / 2);
  const int quarter = std::max(1, group_size / 4);
  const int few = std::max(1, std::min(groups, (members + half - 1) / half));
  return {{"contiguous", strided(members, 0, 1)},
          {"contiguous, from the middle of a group", strided(members, half, 1)},
          {"half of each group", parts_of_groups(network, members, group_size, half)},
          {"a quarter of each group", parts_of_groups(network, members, group_size, quarter)},
          {"every second node", strided(members, 0, 2)},
          {"every third node", strided(members, 0, 3)},
          {"in turns over few groups", in_turns(members, group_size, few)},
          {"in turns over all groups", in_turns(members, group_size, groups)},
          {"long fragments", fragments(network, members, 32, 256, random)},
          {"short fragments", short_fragments},
          {"random nodes, in their order", scattered_in_order},
          {"contiguous, ranks shuffled", shuffled}};
}

}  // namespace taihu::model
