// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/stationarity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

/// An entropy that nears 5 with the given number of generations, with noise.
std::vector<double> nearing(double generations, std::size_t count, double noise) {
  Stream random(2, StreamUse::source, 0, 0);
  std::vector<double> entropy;
  for (std::size_t i = 0; i < count; ++i)
    entropy.push_back(5 - 2 * std::exp(-static_cast<double>(i) / generations) +
                      noise * (random.uniform() - 0.5));
  return entropy;
}

TEST(Stationarity, IsSeenWhenTheSourceHasSettled) {
  const std::size_t slow = first_stationary(nearing(30, 600, 0.02)),
                    fast = first_stationary(nearing(5, 600, 0.02));
  EXPECT_GT(slow, 100u);  // exp(-100 / 30) * 2 is still 0.07
  EXPECT_LT(slow, 250u);
  EXPECT_GT(fast, 15u);
  EXPECT_LT(fast, 45u);
}

TEST(Stationarity, OfFewGenerationsIsNotKnown) {
  for (std::size_t count = 0; count < 4; ++count) {
    EXPECT_EQ(first_stationary(std::vector<double>(count, 1)), 0u);
    EXPECT_EQ(stationarity_text(std::vector<double>(count, 1), 0), "");
  }
  EXPECT_EQ(first_stationary(std::vector<double>(4, 1)), 1u);  // all alike
  EXPECT_EQ(first_stationary(std::vector<double>(5, 0)), 1u);
}

TEST(Stationarity, TellsOfTooFewInactiveGenerations) {
  const std::vector<double> entropy = nearing(30, 600, 0.02);
  EXPECT_NE(stationarity_text(entropy, 20).find("too few"), std::string::npos);
  EXPECT_EQ(stationarity_text(entropy, 300).find("too few"), std::string::npos);
}

}  // namespace
}  // namespace taihu::neutron
