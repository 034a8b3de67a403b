// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/page_runs.h"

#include <gtest/gtest.h>

#include <map>

#include "taihu/base/random.h"

namespace taihu::memory {
namespace {

/// The node of every page, byte by byte: the slow, obvious twin of runs_of_parts.
std::vector<int> plain_nodes(std::size_t offset, const std::vector<std::size_t>& part_end,
                             const std::vector<int>& part_node, std::size_t page_bytes) {
  std::vector<int> nodes;
  std::vector<int> owners(offset, -1);
  for (std::size_t part = 0, byte = 0; part < part_end.size(); ++part)
    for (; byte < part_end[part]; ++byte) owners.push_back(part_node[part]);
  for (std::size_t begin = 0; begin < owners.size(); begin += page_bytes) {
    std::map<int, int> bytes;
    std::vector<int> order;
    for (std::size_t i = begin; i < std::min(begin + page_bytes, owners.size()); ++i)
      if (owners[i] >= 0 && bytes[owners[i]]++ == 0) order.push_back(owners[i]);
    int best = order.empty() ? -1 : order[0];
    for (int node : order)
      if (bytes[node] > bytes[best]) best = node;
    nodes.push_back(best);
  }
  return nodes;
}

TEST(PageRuns, EmptyBlockHasNone) {
  EXPECT_TRUE(runs_of_parts(0, {}, {}, 4096).empty());
  const std::vector<std::size_t> ends = {0, 0, 0};
  const std::vector<int> nodes = {0, 1, 2};
  EXPECT_TRUE(runs_of_parts(100, ends, nodes, 4096).empty());
}

TEST(PageRuns, BoundaryPageGoesToWhoHasMost) {
  const std::vector<std::size_t> ends = {3 * 4096 + 2049, 6 * 4096};
  const std::vector<int> nodes = {0, 1};
  EXPECT_EQ(runs_of_parts(0, ends, nodes, 4096), (std::vector<NodeRun>{{4, 0}, {6, 1}}));
  const std::vector<std::size_t> less = {3 * 4096 + 2047, 6 * 4096};
  EXPECT_EQ(runs_of_parts(0, less, nodes, 4096), (std::vector<NodeRun>{{3, 0}, {6, 1}}));
}

TEST(PageRuns, NeighboursOnOneNodeAreOneRun) {
  const std::vector<std::size_t> ends = {5000, 9000, 20000, 30000};
  const std::vector<int> nodes = {0, 0, 0, 0};
  EXPECT_EQ(runs_of_parts(17, ends, nodes, 4096), (std::vector<NodeRun>{{8, 0}}));
}

TEST(PageRuns, PartsSmallerThanAPageArePacked) {
  std::vector<std::size_t> ends;
  std::vector<int> nodes;
  for (std::size_t part = 0; part < 64; ++part) {
    ends.push_back((part + 1) * 256);
    nodes.push_back(static_cast<int>(part / 16));
  }
  EXPECT_EQ(runs_of_parts(0, ends, nodes, 4096), (std::vector<NodeRun>{{1, 0}, {2, 1}, {3, 2}, {4, 3}}));
}

TEST(PageRuns, MatchesCountingBytes) {
  Random random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t page_bytes = std::size_t{1} << (2 + random.below(5)), offset = random.below(page_bytes);
    std::vector<std::size_t> ends;
    std::vector<int> nodes;
    std::size_t end = 0;
    for (std::size_t part = 0, parts = random.below(12); part < parts; ++part) {
      end += random.below(3) == 0 ? 0 : random.below(page_bytes * (1 + random.below(4)));
      ends.push_back(end);
      nodes.push_back(static_cast<int>(random.below(4)));
    }
    const std::vector<NodeRun> runs = runs_of_parts(offset, ends, nodes, page_bytes);
    if (end == 0) {
      EXPECT_TRUE(runs.empty());
      continue;
    }
    const std::vector<int> expected = plain_nodes(offset, ends, nodes, page_bytes);
    ASSERT_EQ(runs.back().end_page, expected.size());
    for (std::size_t page = 0; page < expected.size(); ++page)
      ASSERT_EQ(node_of_page(runs, page), expected[page]);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      ASSERT_NE(runs[i].node, runs[i - 1].node);
      ASSERT_GT(runs[i].end_page, runs[i - 1].end_page);
    }
    EXPECT_EQ(node_of_page(runs, expected.size()), -1);
  }
}

TEST(PageRuns, DifferencesAreExactlyThePagesThatDiffer) {
  Random random(11);
  const auto random_runs = [&] {
    std::vector<NodeRun> runs;
    std::size_t end = 0;
    for (std::uint64_t i = 0, count = random.below(6); i < count; ++i)
      runs.push_back({end += 1 + random.below(5), static_cast<int>(random.below(3))});
    return runs;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::vector<NodeRun> present = random_runs(), wanted = random_runs();
    std::vector<int> changed(wanted.empty() ? 0 : wanted.back().end_page, -1);
    for_each_difference(present, wanted, [&](std::size_t first, std::size_t end, int node) {
      for (; first < end; ++first) changed[first] = node;
    });
    for (std::size_t page = 0; page < changed.size(); ++page) {
      const int before = node_of_page(present, page), after = node_of_page(wanted, page);
      EXPECT_EQ(changed[page], before == after ? -1 : after);
    }
  }
}

}  // namespace
}  // namespace taihu::memory
