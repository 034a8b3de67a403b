// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/fair_share.h"

#include <gtest/gtest.h>

#include <array>

#include "taihu/base/random.h"

namespace taihu::model {
namespace {

FairShare::Flow add(FairShare& shares, std::vector<int> links) {
  return shares.add(links);
}

TEST(FairShare, OneLinkIsSharedEqually) {
  FairShare shares(1, 1, 12);
  const auto a = add(shares, {0});
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 12);
  const auto b = add(shares, {0});
  const auto c = add(shares, {0});
  shares.update();
  EXPECT_EQ(shares.changed().size(), 3u);
  for (const auto flow : {a, b, c}) EXPECT_DOUBLE_EQ(shares.rate(flow), 4);
  shares.remove(b);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 6);
  shares.check();
}

TEST(FairShare, WhoIsHeldElsewhereLeavesTheRestToOthers) {
  // Link 0 carries a and b; link 1 carries b, c and d: b, c, d have a third, a the rest of its link.
  FairShare shares(2, 2, 9);
  const auto a = add(shares, {0}), b = add(shares, {0, 1}), c = add(shares, {1}), d = add(shares, {1});
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 6);
  for (const auto flow : {b, c, d}) EXPECT_DOUBLE_EQ(shares.rate(flow), 3);
  // Without d, b has half of link 1, and a less.
  shares.remove(d);
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(a), 4.5);
  EXPECT_DOUBLE_EQ(shares.rate(b), 4.5);
  shares.check();
}

TEST(FairShare, ChangesGoOnAlongAChainOfLinks) {
  FairShare shares(50, 2, 1);
  std::vector<FairShare::Flow> flows;
  for (int k = 0; k + 1 < 50; ++k) flows.push_back(add(shares, {k, k + 1}));
  shares.update();
  shares.check();
  const auto extra = add(shares, {0});
  shares.update();
  shares.check();
  shares.remove(extra);
  shares.update();
  shares.check();
  for (const auto flow : flows) EXPECT_NEAR(shares.rate(flow), 0.5, 1e-9);
}

TEST(FairShare, RandomChangesGiveWhatSolvingAllAnewGives) {
  Random random(5);
  constexpr int links = 24;
  FairShare shares(links, 4, 1);
  struct Alive {
    FairShare::Flow flow;
    std::vector<int> links;
  };
  std::vector<Alive> alive;
  for (int step = 0; step < 400; ++step) {
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      if (alive.size() > 3 && random.below(5) < 2) {
        const std::size_t k = random.below(alive.size());
        shares.update();  // only flows that have a rate end
        shares.remove(alive[k].flow);
        alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(k));
        shares.update();
      } else {
        std::vector<int> route;
        for (int link = static_cast<int>(random.below(6)); link < links && route.size() < 4;
             link += 1 + static_cast<int>(random.below(8)))
          route.push_back(link);
        alive.push_back({shares.add(route), route});
      }
    }
    shares.update();
    shares.check();
    FairShare anew(links, 4, 1);
    std::vector<FairShare::Flow> flows;
    for (const Alive& one : alive) flows.push_back(anew.add(one.links));
    anew.update();
    for (std::size_t k = 0; k < alive.size(); ++k)
      ASSERT_NEAR(shares.rate(alive[k].flow), anew.rate(flows[k]), 1e-7) << "step " << step;
  }
}

}  // namespace
}  // namespace taihu::model
