// SPDX-License-Identifier: Apache-2.0
// Times against closed forms.
#include "taihu/scratchpad_model/core.h"

#include <gtest/gtest.h>

namespace taihu::scratchpad_model {
namespace {

// One cycle is one ns; a transfer starts after 100 cycles and moves a byte in a cycle.
Machine core_machine() {
  return parse_machine(
      R"({"clock_ghz": 1, "cores": 2, "scratchpad_cycles": 1, "scratchpad_bytes_per_cycle": 32, "load_cycles": 10,
          "store_cycles": 10, "discrete_gb_s": 100, "transfer_start_ns": 100, "transfer_gb_s": 2, "transfer_block_bytes": 0, "operation_cycles": 1,
          "division_cycles": 20, "square_root_cycles": 30, "kernel_start_cycles": 0, "barrier_cycles": 0})",
      "test");
}

constexpr Ticks cycles(std::uint64_t number) {
  return number * ticks_per_cycle;
}

class ScratchpadCore : public ::testing::Test {
 protected:
  void work(std::uint64_t operations) { core_.record().operations[TAIHU_OPERATION_SIMPLE] += operations; }

  const Costs costs_{core_machine(), 2};
  Core core_{costs_};
  int reply_ = 0;
};

TEST_F(ScratchpadCore, CountsAreTime) {
  EXPECT_EQ(core_.now(), 0U);
  work(5);
  core_.record().operations[TAIHU_OPERATION_DIVISION] = 2;
  core_.record().accesses[TAIHU_ACCESS_LOAD][0][TAIHU_PLACE_MEMORY] = 3;
  core_.record().accesses[TAIHU_ACCESS_STORE][1][TAIHU_PLACE_MEMORY] = 1;
  core_.record().accesses[TAIHU_ACCESS_LOAD][0][TAIHU_PLACE_SCRATCHPAD] = 7;
  EXPECT_EQ(core_.now(), cycles(5 + 40 + 30 + 20 + 7));
  const CoreTotals totals = core_.totals();
  EXPECT_EQ(totals.loads, 3U);
  EXPECT_EQ(totals.stores, 2U);  // 16 bytes
  EXPECT_EQ(totals.scratchpad_accesses, 7U);
}

TEST_F(ScratchpadCore, BlockingTransfersFollowEachOther) {
  for (int k = 0; k < 3; ++k) core_.transfer(50);
  EXPECT_EQ(core_.now(), cycles(3 * 150));
  EXPECT_EQ(core_.totals().transfer_bytes, 150U);
  core_.transfer(0);
  EXPECT_EQ(core_.now(), cycles(3 * 150 + 100));
}

TEST_F(ScratchpadCore, ABroadcastHasAllOfTheBandwidthAndIsReadOnce) {
  core_.broadcast(50, true);
  // Half of what a transfer takes, of which two cores have half of the bandwidth each.
  EXPECT_EQ(core_.now(), cycles(100 + 25));
  Core other(costs_);
  other.broadcast(50, false);
  EXPECT_EQ(other.now(), core_.now());
  EXPECT_EQ(core_.totals().transfer_bytes + other.totals().transfer_bytes, 50U);
  EXPECT_EQ(core_.totals().transfers + other.totals().transfers, 1U);
}

TEST_F(ScratchpadCore, DoubleBufferingTakesTheLongerOfWorkAndTransfer) {
  constexpr std::uint64_t tiles = 10;
  for (const std::uint64_t operations : {20, 5000}) {
    Core core(costs_);
    core.start_transfer(400, &reply_, 0);
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
      core.wait_for_transfers(&reply_, static_cast<int>(tile + 1));
      if (tile + 1 < tiles) core.start_transfer(400, &reply_, static_cast<int>(tile + 1));
      core.record().operations[TAIHU_OPERATION_SIMPLE] += operations;
    }
    const std::uint64_t step = std::max<std::uint64_t>(operations, 500);
    EXPECT_EQ(core.now(), cycles(500 + (tiles - 1) * step + operations));
  }
}

TEST_F(ScratchpadCore, StartsOverlapButTheChannelIsOne) {
  core_.start_transfer(400, &reply_, 0);
  core_.start_transfer(400, &reply_, 0);  // the word may still be 0
  core_.wait_for_transfers(&reply_, 1);
  EXPECT_EQ(core_.now(), cycles(500));
  core_.wait_for_transfers(&reply_, 2);
  EXPECT_EQ(core_.now(), cycles(900));
  core_.wait_for_transfers(&reply_, 2);
  EXPECT_EQ(core_.now(), cycles(900));
}

TEST_F(ScratchpadCore, ReplyWordsMayStartAnywhere) {
  core_.start_transfer(10, &reply_, 7);
  core_.wait_for_transfers(&reply_, 7);  // it was there before
  EXPECT_EQ(core_.now(), 0U);
  core_.wait_for_transfers(&reply_, 8);
  EXPECT_EQ(core_.now(), cycles(110));
  int other = 0;
  core_.wait_for_transfers(&other, 1);  // transfers of another thread
  EXPECT_EQ(core_.now(), cycles(110));
}

TEST_F(ScratchpadCore, MeetingsTakeTheLatest) {
  EXPECT_EQ(meeting_time({{cycles(5), {}}, {cycles(9), {}}, {cycles(1), {}}}, 0), cycles(9));
  EXPECT_EQ(meeting_time({{cycles(5), {}}}, cycles(7)), cycles(7));
}

TEST_F(ScratchpadCore, ALockIsHeldByOneAfterTheOther) {
  // Three threads hold lock 1 for 40 cycles each, whoever is first: not done before 120.
  std::vector<Arrival> arrivals;
  for (int thread = 0; thread < 3; ++thread) {
    Core core(costs_);
    core.lock_taken(1);
    core.record().operations[TAIHU_OPERATION_SIMPLE] = 40;
    core.lock_given_back(1);
    core.lock_given_back(2);  // of another thread
    arrivals.push_back(core.arrive());
  }
  EXPECT_EQ(meeting_time(arrivals, 0), cycles(120));
  EXPECT_EQ(meeting_time(arrivals, cycles(1000)), cycles(1120));
}

TEST_F(ScratchpadCore, ALockHeldOverAMeetingIsCountedOnce) {
  core_.lock_taken(3);
  work(10);
  EXPECT_EQ(core_.arrive().held[3], cycles(10));
  core_.leave(cycles(50));
  work(5);
  core_.lock_given_back(3);
  EXPECT_EQ(core_.arrive().held[3], cycles(5));
  EXPECT_EQ(core_.epoch(), cycles(50));
}

}  // namespace
}  // namespace taihu::scratchpad_model
