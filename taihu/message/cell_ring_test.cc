// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/cell_ring.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>
#include <thread>

#include "taihu/base/random.h"
#include "taihu/message/channel.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

std::byte* payload(Cell* cell) {
  return reinterpret_cast<std::byte*>(cell) + offsetof(Cell, payload);
}

TEST(CellRing, CountsCells) {
  EXPECT_EQ(CellRing::cells_for(0), 1U);
  EXPECT_EQ(CellRing::cells_for(40), 1U);
  EXPECT_EQ(CellRing::cells_for(41), 2U);
  EXPECT_EQ(CellRing::cells_for(104), 2U);
  EXPECT_EQ(CellRing::cells_for(105), 4U);
  EXPECT_EQ(CellRing::cells_for(40 + 7 * 64), 8U);
  EXPECT_EQ(CellRing::cells_for(40 + 7 * 64 + 1), 16U);
}

TEST(CellRing, TakesTheLongestMessageAtEveryPosition) {
  for (const std::uint32_t cells : {32U, 64U, 128U}) {
    const std::size_t longest = (cells / 2 - 1) * cell_bytes + inline_bytes;
    for (std::uint32_t position = 0; position < cells; ++position) {
      CellRing ring(cells);
      for (std::uint32_t i = 0; i < position; ++i) {
        Cell* one = ring.reserve_one();
        ASSERT_NE(one, nullptr);
        one->kind = CellKind::eager;
        ring.publish_one();
        ASSERT_EQ(ring.front(), one);
        ring.pop(1);
      }
      Cell* cell = ring.reserve(longest);
      ASSERT_NE(cell, nullptr) << cells << " cells, position " << position;
      cell->kind = CellKind::eager;
      ring.publish(CellRing::cells_for(longest));
      EXPECT_EQ(ring.front(), cell);
    }
  }
}

TEST(CoreDistance, IsFarUntilSeveralLooksInSequenceWereShort) {
  CoreDistance distance;
  EXPECT_FALSE(distance.is_near());
  for (int i = 0; i < 3; ++i) distance.learn(50);
  EXPECT_FALSE(distance.is_near());
  distance.learn(50);
  EXPECT_TRUE(distance.is_near());
  distance.learn(150);
  EXPECT_FALSE(distance.is_near());
  for (int i = 0; i < 100; ++i) distance.learn(i % 4 == 0 ? 150 : 20);
  EXPECT_FALSE(distance.is_near());
}

TEST(CellRing, IsFullAfterAllCellsButOneAndEmptyAfterAllPops) {
  CellRing ring(8);
  EXPECT_EQ(ring.front(), nullptr);
  for (int lap = 0; lap < 3; ++lap) {
    for (int i = 0; i < 7; ++i) {
      Cell* cell = ring.reserve(8);
      ASSERT_NE(cell, nullptr);
      cell->kind = CellKind::eager;
      cell->tag = i;
      ring.publish(1);
    }
    EXPECT_EQ(ring.reserve(0), nullptr);
    for (int i = 0; i < 7; ++i) {
      ASSERT_NE(ring.front(), nullptr);
      EXPECT_EQ(ring.front()->tag, i);
      ring.pop(1);
    }
    EXPECT_EQ(ring.front(), nullptr);
  }
}

// Payload full of the mark that its cell would carry in the next lap must not be taken for a header there.
TEST(CellRing, NeverTakesPayloadForAHeader) {
  CellRing ring(8);
  Random random(4);
  std::uint32_t position = 0;
  for (int message = 0; message < 5000; ++message) {
    const std::size_t bytes = random.below(41 + 64 * 3);
    const std::uint32_t cells = CellRing::cells_for(bytes);
    if (cells > 8 - position % 8) position += 8 - position % 8;
    const std::uint32_t next_mark = (position / 8 + 1) | 0x80000000U;
    position += cells;
    Cell* cell = ring.reserve(bytes);
    ASSERT_NE(cell, nullptr);
    cell->kind = CellKind::eager;
    cell->bytes = static_cast<std::uint32_t>(bytes);
    cell->tag = message;
    for (std::size_t i = 0; i + 4 <= bytes; i += 4) std::memcpy(payload(cell) + i, &next_mark, 4);
    ring.publish(cells);
    Cell* read = ring.front();
    ASSERT_NE(read, nullptr);
    ASSERT_EQ(read->tag, message);
    ASSERT_EQ(read->bytes, bytes);
    ring.pop(cells);
    ASSERT_EQ(ring.front(), nullptr) << message;
  }
}

template <class Deliver>
int drain(Channel& channel, Deliver&& deliver) {
  return channel.drain([&](const Cell& cell) { deliver(channel.arrival_in(cell)); }, deliver);
}

// What is sent while older messages overflow must not take the room that the receiver makes in the ring.
TEST(Channel, NothingOvertakesTheOverflow) {
  threads::Doorbell bell;
  Request first(bell);
  Request second(bell);
  Channel channel(0, 32);
  int value = 0;
  int pushed = 0;
  while (channel.push_eager(0, pushed, {&value, sizeof value})) ++pushed;
  EXPECT_EQ(pushed, 31);
  channel.announce(0, pushed, {{&value, sizeof value}, &first});
  int next = 0;
  drain(channel, [&](const Arrival& arrival) {
    EXPECT_EQ(arrival.tag, next);
    if (next++ == 5) {
      EXPECT_FALSE(channel.push_eager(0, pushed + 1, {&value, sizeof value}));
      channel.announce(0, pushed + 1, {{&value, sizeof value}, &second});
    }
  });
  EXPECT_EQ(next, pushed + 2);
  EXPECT_TRUE(channel.push_eager(0, 0, {&value, sizeof value}));
}

// The smallest ring and a sender that never waits: most messages overflow, none is lost or overtaken.
TEST(Channel, KeepsOrderThroughOverflow) {
  threads::Doorbell bell;
  constexpr int messages = 20000;
  std::vector<std::uint64_t> numbers(messages);
  std::vector<std::unique_ptr<Request>> requests(messages);
  Channel channel(5, 32);
  std::thread sender([&] {
    Random random(9);
    for (int i = 0; i < messages; ++i) {
      auto number = static_cast<std::uint64_t>(i);
      if (random.below(5) != 0 && channel.push_eager(3, i, {&number, sizeof number})) continue;
      numbers[static_cast<std::size_t>(i)] = number;
      requests[static_cast<std::size_t>(i)] = std::make_unique<Request>(bell);
      channel.announce(3, i,
                       {{&numbers[static_cast<std::size_t>(i)], sizeof number},
                        requests[static_cast<std::size_t>(i)].get()});
      if (random.below(100) == 0) sched_yield();
    }
  });
  std::uint64_t next = 0;
  while (next < messages) {
    if (drain(channel, [&](const Arrival& arrival) {
          std::uint64_t number = 0;
          std::memcpy(&number, arrival.data, sizeof number);
          ASSERT_EQ(number, next++);
          ASSERT_EQ(arrival.tag, static_cast<int>(number));
          ASSERT_EQ(arrival.source, 5);
          if (arrival.sender != nullptr) arrival.sender->complete();
        }) == 0) {
      sched_yield();
    }
    if (HasFatalFailure()) break;
  }
  sender.join();
  EXPECT_FALSE(channel.has_messages());
  for (const auto& request : requests) EXPECT_TRUE(request == nullptr || request->done.load());
}

}  // namespace
}  // namespace taihu::message
