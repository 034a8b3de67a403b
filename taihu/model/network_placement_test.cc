// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/network_placement.h"

#include <gtest/gtest.h>

#include <set>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

TEST(NetworkPlacement, TwelveDifferentPlacementsOfDifferentNodes) {
  for (const int members : {1, 3, 64, 160}) {
    const auto network = topology::make_interconnect(topology::FatTree{40, 16, 4}, {});
    const auto placements = twelve_placements(*network, members);
    ASSERT_EQ(placements.size(), 12u);
    std::set<std::string> names;
    for (const NetworkPlacement& placement : placements) {
      names.insert(placement.name);
      ASSERT_EQ(placement.nodes.size(), static_cast<std::size_t>(members)) << placement.name;
      const std::set<int> different(placement.nodes.begin(), placement.nodes.end());
      EXPECT_EQ(different.size(), placement.nodes.size()) << placement.name;
      EXPECT_GE(*different.begin(), 0);
      EXPECT_LT(*different.rbegin(), network->nodes()) << placement.name;
    }
    EXPECT_EQ(names.size(), 12u);
  }
}

TEST(NetworkPlacement, SameSeedSamePlacements) {
  const auto network = topology::make_interconnect(topology::Torus{{8, 8, 8}}, {});
  EXPECT_EQ(twelve_placements(*network, 128, 3)[10].nodes, twelve_placements(*network, 128, 3)[10].nodes);
  EXPECT_NE(twelve_placements(*network, 128, 3)[10].nodes, twelve_placements(*network, 128, 4)[10].nodes);
  EXPECT_THROW(twelve_placements(*network, 129), Error);
}

}  // namespace
}  // namespace taihu::model
