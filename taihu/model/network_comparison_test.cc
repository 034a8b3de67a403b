// SPDX-License-Identifier: Apache-2.0
// The choice of a form by estimates, judged by the simulation.
#include "taihu/model/network_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/base/sanitizers.h"

namespace taihu::model {
namespace {

using schedule::Collective;

/// So much slower than another form the chosen one may be: estimates know rounds, the simulation does not.
constexpr double most_loss = 1.1;

TEST(NetworkComparison, TheChosenFormIsNotSlowerThanTheOthers) {
  const auto network = topology::make_interconnect(topology::FatTree{16, 16, 4}, {});
  const std::vector<NetworkPlacement> placements = twelve_placements(*network, 64);
  for (const Collective collective :
       {Collective::bcast, Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
    // An allreduce takes the steps of both.
    const bool is_half = collective == Collective::allgather || collective == Collective::reduce_scatter;
    if (plain_or_sanitized(false, is_half)) continue;
    for (const std::size_t bytes : {std::size_t{256}, std::size_t{16} << 10, std::size_t{1} << 20}) {
      if (TAIHU_THREAD_SANITIZER && bytes != 256) continue;  // the threads do the same with others
      ComparisonOptions options;
      options.collective = collective;
      options.block_bytes = bytes;
      options.stretches = 0;
      options.jobs = 2;
      double gain = 0;
      for (const PlacementTimes& line : compare_collective(*network, placements, options)) {
        SCOPED_TRACE(std::string(name_of(collective)) + " of " + std::to_string(bytes) + " bytes, " +
                     line.placement + ": " + line.choice);
        EXPECT_GT(line.chosen, 0);
        EXPECT_LE(line.chosen, most_loss * std::min({line.plain, line.openmpi, line.mpich}));
        gain = std::max(gain, line.plain / line.chosen - 1);
      }
      if (bytes > 256) {
        EXPECT_GT(gain, 0.05) << name_of(collective) << " of " << bytes << " bytes gains somewhere";
      }
    }
  }
}

TEST(NetworkComparison, ARingOnOneSwitchTakesItsRounds) {
  // Each round: sender's and receiver's processor, latency, bytes; nobody shares a link.
  const auto network = topology::make_interconnect(topology::FatTree{1, 8, 1}, {});
  ComparisonOptions options;
  options.collective = Collective::allgather;
  options.block_bytes = 1 << 20;
  options.stretches = 0;
  const NetworkPlacement all{"all", {0, 1, 2, 3, 4, 5, 6, 7}};
  const PlacementTimes times = compare_collective(*network, {all}, options).front();
  const double round = options.costs.send_seconds + options.costs.receive_seconds + network->latency(2) +
                       static_cast<double>(options.block_bytes) / network->rates().bytes_per_second;
  const double copy = static_cast<double>(options.block_bytes) / options.costs.copy_bytes_per_second;
  EXPECT_NEAR(times.plain, 7 * round + copy, 0.01 * times.plain);
}

}  // namespace
}  // namespace taihu::model
