// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/interconnect.h"

#include <gtest/gtest.h>

#include <set>

#include "taihu/base/error.h"

namespace taihu::topology {
namespace {

std::vector<int> route(const Interconnect& network, int from, int to) {
  std::vector<int> links(static_cast<std::size_t>(network.longest_route()));
  links.resize(static_cast<std::size_t>(network.route(from, to, links.data())));
  return links;
}

std::vector<std::unique_ptr<Interconnect>> networks() {
  std::vector<std::unique_ptr<Interconnect>> all;
  all.push_back(make_interconnect(FatTree{3, 8, 2}, {}));
  all.push_back(make_interconnect(Dragonfly{5, 2, 3}, {}));
  all.push_back(make_interconnect(Dragonfly{1, 1, 1}, {}));
  all.push_back(make_interconnect(Torus{{4, 3, 2}}, {}));
  all.push_back(make_interconnect(Torus{{1}}, {}));
  return all;
}

TEST(Interconnect, RoutesBeginAndEndAtTheirNodesAndUseEachLinkOnce) {
  for (const auto& network : networks()) {
    for (int from = 0; from < network->nodes(); ++from) {
      for (int to = 0; to < network->nodes(); ++to) {
        const std::vector<int> links = route(*network, from, to);
        if (from == to) {
          EXPECT_TRUE(links.empty());
          continue;
        }
        EXPECT_EQ(links.front(), network->link_in(from)) << network->describe();
        EXPECT_EQ(links.back(), network->link_out(to));
        EXPECT_EQ(std::set<int>(links.begin(), links.end()).size(), links.size());
        for (const int link : links) EXPECT_TRUE(0 <= link && link < network->links()) << network->describe();
        if (network->group(from) != network->group(to) && network->entry(to) >= 0) {
          EXPECT_EQ(links[links.size() - 2], network->entry(to));
        }
      }
    }
  }
}

TEST(Interconnect, FatTreeGoesUpByTheDestinationsSwitch) {
  const auto network = make_interconnect(FatTree{3, 8, 2}, {});
  EXPECT_EQ(route(*network, 0, 7).size(), 2u);
  const auto even = route(*network, 0, 8), other_even = route(*network, 1, 10), odd = route(*network, 1, 9);
  EXPECT_EQ(even.size(), 4u);
  EXPECT_EQ(even[1], other_even[1]);
  EXPECT_NE(even[1], odd[1]);
  EXPECT_EQ(even[2], other_even[2]);
}

TEST(Interconnect, LengthsOfRoutesOnATorusAreDistances) {
  const auto network = make_interconnect(Torus{{4, 3}}, {});
  EXPECT_EQ(route(*network, 0, 1).size(), 3u);
  EXPECT_EQ(route(*network, 0, 3).size(), 3u);
  EXPECT_EQ(route(*network, 0, 2).size(), 4u);
  EXPECT_EQ(route(*network, 0, 2 + 4).size(), 5u);
  EXPECT_EQ(route(*network, 0, 3 + 8).size(), 4u);
  EXPECT_EQ(network->longest_route(), 5);
}

TEST(Interconnect, DragonflyTakesAtMostTwoLocalLinks) {
  const auto network = make_interconnect(Dragonfly{5, 2, 3}, {});
  EXPECT_EQ(route(*network, 0, 1).size(), 2u);
  EXPECT_EQ(route(*network, 0, 3).size(), 3u);
  std::size_t longest = 0;
  for (int to = 1; to < network->nodes(); ++to) longest = std::max(longest, route(*network, 0, to).size());
  EXPECT_EQ(longest, 5u);
}

TEST(Interconnect, ReadsNetworksAndTheirHosts) {
  const auto tree = parse_interconnect(
      R"({"kind": "fat-tree", "supernodes": 2, "nodes_per_supernode": 4, "uplinks": 1, "bytes_per_second": 1e9,
          "hosts": "n[1-8]"})",
      "net.json");
  EXPECT_EQ(tree.network->nodes(), 8);
  EXPECT_EQ(tree.network->rates().bytes_per_second, 1e9);
  EXPECT_EQ(tree.node_of("n8"), 7);
  EXPECT_EQ(tree.node_of("n8.example.org"), 7);
  EXPECT_EQ(tree.node_of("n9"), -1);
  EXPECT_EQ(parse_interconnect(R"({"kind": "torus", "sizes": [2, 3]})", "n").network->nodes(), 6);
  EXPECT_EQ(parse_interconnect(R"({"kind": "dragonfly", "groups": 3})", "n").network->nodes(), 96);
}

TEST(Interconnect, TellsWhatIsWrongWithAFile) {
  const auto problem = [](const char* text) -> std::string {
    try {
      parse_interconnect(text, "net.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("["), "net.json: not a JSON object");
  EXPECT_EQ(problem("{}"), "net.json: 'kind' has to be fat-tree, dragonfly or torus");
  EXPECT_EQ(problem(R"({"kind": "fat-tree", "uplink": 3})"),
            "net.json: unknown member 'uplink' (did you mean uplinks?)");
  EXPECT_EQ(problem(R"({"kind": "fat-tree", "uplinks": 0})"),
            "net.json: a network has a size of 0; sizes are from 1 on");
  EXPECT_EQ(problem(R"({"kind": "fat-tree", "uplinks": 1.5})"),
            "net.json: 'uplinks' has to be a whole number below 1e9");
  EXPECT_EQ(problem(R"({"kind": "torus"})"), "net.json: 'sizes' has to be a list of numbers");
  EXPECT_EQ(problem(R"({"kind": "torus", "sizes": [1000, 1000, 1000]})"),
            "net.json: a network has more than 2^30 links");
  EXPECT_EQ(problem(R"({"kind": "torus", "sizes": [2], "hosts": "a,b,c"})"),
            "net.json: there are more hosts than nodes (2)");
  EXPECT_EQ(problem(R"({"kind": "torus", "sizes": [3], "hosts": "a,b,a"})"),
            "net.json: a host is named twice");
  EXPECT_EQ(problem(R"({"kind": "torus", "sizes": [3], "bytes_per_second": 0})"),
            "net.json: 'bytes_per_second' has to be above 0");
  EXPECT_THROW(read_interconnect("/does/not/exist"), Error);
}

}  // namespace
}  // namespace taihu::topology
