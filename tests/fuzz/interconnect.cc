// SPDX-License-Identifier: Apache-2.0
// A network between nodes; of those that are accepted routes are asked for.
#include "taihu/topology/interconnect.h"

#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  const taihu::topology::NamedInterconnect named = taihu::topology::parse_interconnect(text, "network.json");
  const taihu::topology::Interconnect& network = *named.network;
  std::vector<int> links(static_cast<std::size_t>(network.longest_route()));
  for (const int to : {0, network.nodes() / 2, network.nodes() - 1}) {
    const int count = network.route(network.nodes() / 3, to, links.data());
    for (int i = 0; i < count; ++i)
      if (links[static_cast<std::size_t>(i)] < 0 || links[static_cast<std::size_t>(i)] >= network.links())
        std::abort();
  }
  network.describe();
  named.node_of("n1.cluster");
}
