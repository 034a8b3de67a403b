// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/links/joint_copy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace taihu::message {
namespace {

using joint_copy::block_bytes;
using joint_copy::Blocks;

struct JointCopy : testing::Test {
  JointCopyLines lines{};
  JointCopyReceiver receiver{lines};
  JointCopySender sender{lines};
  std::byte buffer[1]{};

  Blocks taken_by_sender(std::uint64_t most = 1000) { return sender.take(sender.left(), most); }
};

TEST_F(JointCopy, IsTheReceiversAloneUntilTheSenderWaits) {
  receiver.open(sender.next_number(), buffer, 100 * block_bytes);
  const Blocks first = receiver.take(20);
  EXPECT_EQ(first.first, 0u);
  EXPECT_EQ(first.end, 20u);
  EXPECT_EQ(receiver.take(1000).count(), 80u);
  EXPECT_TRUE(receiver.take(1000).empty());
  EXPECT_TRUE(taken_by_sender().empty());
}

TEST_F(JointCopy, IsDividedOnceTheSenderWaits) {
  receiver.open(sender.next_number(), buffer, 100 * block_bytes - 1);
  sender.wait();
  EXPECT_EQ(receiver.take(10).count(), 10u) << "one look may have come long after the data were taken";
  sender.wait();
  const Blocks front = receiver.take(1000);
  EXPECT_EQ(front.first, 10u);
  EXPECT_EQ(front.end, 10 + (90 + joint_copy::blocks_ahead) / 2);
  const Blocks back = taken_by_sender(7);
  EXPECT_EQ(back.end, 100u);
  EXPECT_EQ(back.count(), 7u);
  EXPECT_EQ(back.bytes(100 * block_bytes - 1), 7 * block_bytes - 1);
  EXPECT_EQ(sender.target(), reinterpret_cast<std::uintptr_t>(buffer));
  const Blocks rest = taken_by_sender();
  EXPECT_EQ(rest.first, front.end);
  EXPECT_TRUE(receiver.take(1000).empty());
  sender.add_written(back.bytes(100 * block_bytes - 1) + rest.bytes(100 * block_bytes - 1));
  EXPECT_EQ(receiver.written() + front.bytes(100 * block_bytes - 1) + 10 * block_bytes,
            100 * block_bytes - 1);
}

TEST_F(JointCopy, OfTheNextOfferIsDividedAtOnceWhenTheSenderHasWaited) {
  for (int round = 0; round < 5; ++round) {
    receiver.open(sender.next_number(), buffer, 64 * block_bytes);
    EXPECT_EQ(receiver.take(1000).count(), round == 0 ? 64u : (64 + joint_copy::blocks_ahead) / 2);
    while (!taken_by_sender().empty()) {
    }
    sender.wait();
    sender.wait();
  }
  // It computes after this one, so the next one is not expected to be waited for.
  receiver.open(sender.next_number(), buffer, 64 * block_bytes);
  EXPECT_LT(receiver.take(1000).count(), 64u);
  EXPECT_FALSE(receiver.take(1000).empty());
  while (!receiver.take(1000).empty()) {
  }
  receiver.open(sender.next_number(), buffer, 64 * block_bytes);
  EXPECT_EQ(receiver.take(1000).count(), 64u);
}

TEST_F(JointCopy, OfFewBlocksIsNotDivided) {
  sender.wait();
  receiver.open(sender.next_number(), buffer, (joint_copy::least_divided_blocks - 1) * block_bytes);
  sender.wait();
  sender.wait();
  EXPECT_EQ(receiver.take(1000).count(), joint_copy::least_divided_blocks - 1);
}

TEST_F(JointCopy, TakesNothingOfAnotherOffer) {
  const std::uint64_t first = sender.next_number(), second = sender.next_number();
  receiver.open(first, buffer, 64 * block_bytes);
  const Blocks seen = sender.left();
  EXPECT_EQ(receiver.take(1000).count(), 64u);
  receiver.open(second, buffer, 64 * block_bytes);
  EXPECT_TRUE(sender.take(seen, 1000).empty());
  EXPECT_EQ(sender.left().number, static_cast<std::uint16_t>(second));
  EXPECT_EQ(taken_by_sender().count(), 64u);
}

TEST_F(JointCopy, OfWhatTheSenderGivesBackIsTheReceivers) {
  receiver.open(sender.next_number(), buffer, 64 * block_bytes);
  const Blocks blocks = taken_by_sender(10);
  EXPECT_EQ(receiver.take(1000).count(), 54u);
  sender.give_back(blocks);
  const Blocks again = receiver.take(1000);
  EXPECT_EQ(again.first, blocks.first);
  EXPECT_EQ(again.end, blocks.end);
  EXPECT_TRUE(receiver.take(1000).empty());
}

TEST_F(JointCopy, HoldsTheLongestOffer) {
  receiver.open(sender.next_number(), buffer, joint_copy::most_bytes);
  std::size_t bytes = 0;
  for (Blocks blocks; !(blocks = receiver.take(1 << 20)).empty();)
    bytes += blocks.bytes(joint_copy::most_bytes);
  EXPECT_EQ(bytes, joint_copy::most_bytes);
}

TEST_F(JointCopy, GivesEachBlockToOne) {
  constexpr int rounds = 3000;
  constexpr std::uint64_t blocks = 97;
  std::vector<int> copies(blocks);
  std::atomic<bool> ends{false};
  std::atomic<std::uint64_t> offered{0};
  std::thread sending([&] {
    while (!ends) {
      if (offered.load() != 0) sender.wait();
      const Blocks taken = taken_by_sender(5);
      for (std::uint64_t block = taken.first; block < taken.end; ++block) ++copies[block];
      if (!taken.empty()) sender.add_written(taken.count() * block_bytes);
    }
  });
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    receiver.open(round, buffer, blocks * block_bytes);
    offered = round;
    std::uint64_t own = 0;
    while (own * block_bytes + receiver.written() < blocks * block_bytes) {
      const Blocks taken = receiver.take(1 + round % 40);
      for (std::uint64_t block = taken.first; block < taken.end; ++block) ++copies[block];
      own += taken.count();
    }
    for (const int times : copies) ASSERT_EQ(times, static_cast<int>(round));
  }
  ends = true;
  sending.join();
}

}  // namespace
}  // namespace taihu::message
