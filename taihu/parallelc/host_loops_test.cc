// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/host_loops.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::parallelc {
namespace {

/// Pairs whose first addresses are `step` apart and whose second ones lie `distance` further.
std::vector<const char*> pairs(std::uintptr_t step, std::uintptr_t distance) {
  std::vector<const char*> addresses;
  for (std::uintptr_t k = 0; k < TAIHU_LOOK_UP_SAMPLES; ++k) {
    addresses.push_back(reinterpret_cast<const char*>(4096 + k * step));
    addresses.push_back(reinterpret_cast<const char*>(4096 + k * step + distance));
  }
  return addresses;
}

TEST(HostLoops, LookUpsFarFromEachOtherOverManyBytesAreScattered) {
  EXPECT_TRUE(is_scattered(pairs(1 << 20, 70000), 16 << 20));
}

TEST(HostLoops, LookUpsOneAfterTheOtherAreNotScattered) {
  EXPECT_FALSE(is_scattered(pairs(1 << 20, 8), 16 << 20));
}

TEST(HostLoops, LookUpsOfATableThatIsSmallerAreNotScattered) {
  EXPECT_FALSE(is_scattered(pairs(10000, 70000), 16 << 20));
}

TEST(HostLoops, DownwardsIsAsFarAsUpwards) {
  std::vector<const char*> addresses = pairs(1 << 20, 70000);
  for (std::size_t k = 0; k < addresses.size(); k += 2) std::swap(addresses[k], addresses[k + 1]);
  EXPECT_TRUE(is_scattered(addresses, 16 << 20));
}

TEST(HostLoops, AFewFarOnesAreNotEnough) {
  std::vector<const char*> addresses = pairs(1 << 20, 8);
  for (std::size_t k = 1; k < addresses.size() / 16; k += 2) addresses[k] += 1 << 20;
  EXPECT_FALSE(is_scattered(addresses, 16 << 20));
}

TEST(HostLoops, OfNoBytesAllAreScattered) {
  EXPECT_TRUE(is_scattered(pairs(0, 0), 0));
}

/// Goes through the timed turns of a loop, of which one takes `plain_ns` or `ahead_ns`. Returns what comes
/// next.
taihu_look_up_turns after_timed_turns(std::int64_t plain_ns, std::int64_t ahead_ns,
                                      std::int64_t disturbed_by_ns) {
  taihu_look_up_turns turns = {};
  std::int64_t now = 1000;
  choose_turn(turns, 32, 100, now);
  for (std::uint64_t begin = 0; turns.last == begin + 99; begin += 100) {
    now += turns.ahead != 0 ? ahead_ns : plain_ns;
    if (turns.turn > 2) now += disturbed_by_ns;
    choose_turn(turns, 32, 100, now);
  }
  return turns;
}

TEST(HostLoops, WhatTakesLessTimeInTurnsGoesOn) {
  EXPECT_EQ(after_timed_turns(900, 500, 0).ahead, 32U);
  EXPECT_EQ(after_timed_turns(500, 900, 0).ahead, 0U);
}

TEST(HostLoops, FetchingAheadThatGainsNextToNothingDoesNotGoOn) {
  EXPECT_EQ(after_timed_turns(1000, 990, 0).ahead, 0U);
}

TEST(HostLoops, WhatIsFastWithoutFetchingAheadIsNotTriedWithIt) {
  taihu_look_up_turns turns = {};
  choose_turn(turns, 32, 100, 0);
  EXPECT_EQ(turns.ahead, 0U);
  choose_turn(turns, 32, 100, 150);
  EXPECT_EQ(turns.ahead, 0U);
  EXPECT_EQ(turns.last, UINT64_MAX);
}

TEST(HostLoops, OfTurnsTheUndisturbedOnesCount) {
  EXPECT_EQ(after_timed_turns(900, 500, 5000).ahead, 32U);
}

TEST(HostLoops, WhatHasPaidIsTriedAgainAfterLongerAndLongerTurns) {
  taihu_look_up_turns turns = after_timed_turns(900, 500, 0);
  const std::uint64_t rest = turns.rest;
  EXPECT_GE(rest, 1000U);
  std::uint64_t end = turns.last;
  std::int64_t now = turns.begin_ns;
  unsigned with = 0, without = 0;
  choose_turn(turns, 32, 100, now += 10000);
  for (; turns.last == end + 100; choose_turn(turns, 32, 100, now)) {
    (turns.ahead != 0 ? with : without) += 1;
    now += turns.ahead != 0 ? 500 : 900;
    end = turns.last;
  }
  EXPECT_GE(with, 1U);
  EXPECT_EQ(with, without);
  EXPECT_EQ(turns.ahead, 32U);
  EXPECT_GT(turns.last - end, rest);
}

TEST(HostLoops, BothKindsHaveTheirTurns) {
  taihu_look_up_turns turns = {};
  std::uint64_t with = 0, all = 0;
  std::int64_t now = 0;
  for (choose_turn(turns, 32, 100, now); turns.last != UINT64_MAX; choose_turn(turns, 32, 100, now += 1000)) {
    all += 1;
    with += turns.ahead == 32 ? 1 : 0;
  }
  EXPECT_EQ(all, 2 * with);
  EXPECT_GE(with, 2U);
}

TEST(HostLoops, LimitsComeFromTheEnvironment) {
  const HostLimits limits = host_limits([](const char* name) -> const char* {
    return std::strcmp(name, "TAIHU_LOOKED_UP_BYTES") == 0 ? "8M" : nullptr;
  });
  EXPECT_EQ(limits.looked_up_bytes, std::size_t{8} << 20);
  EXPECT_EQ(limits.stored_bytes, HostLimits().stored_bytes);
}

TEST(HostLoops, ALimitThatIsNoSizeIsRefused) {
  EXPECT_THROW(host_limits([](const char* name) -> const char* {
                 return std::strcmp(name, "TAIHU_STORED_BYTES") == 0 ? "many" : nullptr;
               }),
               Error);
}

}  // namespace
}  // namespace taihu::parallelc
