// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/rings/cell_ring.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "taihu/base/random.h"
#include "taihu/message/node/channel.h"
#include "taihu/message/rings/rings_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Sends what is no more than its length and context and tag; false when the ring is full.
bool send(CellRing& ring, std::size_t bytes, int tag, std::uint64_t context = 0) {
  const CellRing::Place place = ring.reserve(CellKind::eager, context, tag, bytes);
  if (place.payload == nullptr) return false;
  ring.publish(place, CellKind::eager, context, tag, bytes);
  return true;
}

TEST(CellRing, CountsCells) {
  EXPECT_EQ(CellRing::cells_for(1), 1U);
  EXPECT_EQ(CellRing::cells_for(16), 1U);
  EXPECT_EQ(CellRing::cells_for(17), 2U);
  EXPECT_EQ(CellRing::cells_for(33), 4U);
  EXPECT_EQ(CellRing::cells_for(64), 4U);
  EXPECT_EQ(CellRing::cells_for(65), 8U);
  EXPECT_EQ(CellRing::cells_for(129), 16U);
  EXPECT_EQ(CellRing::cells_for(512), 32U);
  EXPECT_EQ(CellRing::cells_for(513), 64U);
}

TEST(RingMemory, GivesZerosThatAreApart) {
  constexpr std::size_t most_bytes = 4 * line_bytes;
  for (const std::size_t expected : {0U, 1U, 5U, 1000U}) {
    RingMemory memory(expected);
    std::vector<std::byte*> rings;
    for (int i = 0; i < 100; ++i) {
      // They become smaller when there are more ranks.
      const std::size_t bytes = i < 50 ? most_bytes : most_bytes / 2;
      std::byte* const ring = memory.take(bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring) % line_bytes, 0U);
      EXPECT_TRUE(std::all_of(ring, ring + bytes, [](std::byte byte) { return byte == std::byte{0}; })) << i;
      std::memset(ring, 1, bytes);
      rings.push_back(ring);
    }
    std::ranges::sort(rings);
    for (std::size_t i = 1; i < rings.size(); ++i)
      EXPECT_GE(rings[i] - rings[i - 1], std::ptrdiff_t{most_bytes / 2});
  }
}

TEST(CellRing, TakesTheLongestMessageAtEveryPosition) {
  for (const std::uint32_t lines : {32U, 64U, 128U}) {
    const std::size_t longest = CellRing::longest_payload(lines);
    for (std::uint32_t position = 0; position < lines * line_cells; ++position) {
      OwnCellRing ring(lines);
      InRing message;
      // The first takes two cells, since it tells its context and tag.
      for (std::uint32_t i = 0; i < position; i += i == 0 ? 2 : 1) {
        ASSERT_TRUE(send(ring, 8, 1));
        ASSERT_TRUE(ring.front(message));
        ring.pop(message.cells);
      }
      ASSERT_TRUE(send(ring, longest, 2)) << lines << " lines, position " << position;
      ASSERT_TRUE(ring.front(message));
      EXPECT_EQ(message.bytes, longest);
      EXPECT_EQ(message.tag, 2);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.payload) % line_bytes, line_bytes - inline_bytes);
    }
  }
}

// Four of them are one cache line on its way between the cores.
TEST(CellRing, FourShortMessagesInSequenceFillALine) {
  OwnCellRing ring(4);
  const std::byte* first = nullptr;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(send(ring, 8, 7, 5));
    InRing message;
    ASSERT_TRUE(ring.front(message));
    EXPECT_EQ(message.context, 5U);
    EXPECT_EQ(message.tag, 7);
    EXPECT_EQ(message.bytes, 8U);
    ring.pop(message.cells);
    if (i == 0) continue;
    EXPECT_EQ(message.cells, 1U);
    if (i == 1) first = message.payload;
    EXPECT_EQ(message.payload, first + (i - 1) * static_cast<std::ptrdiff_t>(cell_bytes));
  }
}

// Whichever of them the message before had; one that the receiver takes late, too.
TEST(CellRing, EveryMessageHasItsContextAndTag) {
  struct Sent {
    std::uint64_t context;
    int tag;
    std::size_t bytes;
  };
  OwnCellRing ring(32);
  Random random(11);
  std::deque<Sent> under_way;
  for (int i = 0; i < 20000; ++i) {
    const Sent next{random.below(2), static_cast<int>(random.below(2)), random.below(70)};
    if (random.below(2) == 0 && send(ring, next.bytes, next.tag, next.context)) under_way.push_back(next);
    InRing message;
    if (random.below(2) == 0) {
      ASSERT_EQ(ring.front(message), !under_way.empty());
    }
    if (random.below(2) == 0 && ring.front(message)) {
      ASSERT_FALSE(under_way.empty());
      ASSERT_EQ(message.context, under_way.front().context);
      ASSERT_EQ(message.tag, under_way.front().tag);
      ASSERT_EQ(message.bytes, under_way.front().bytes);
      ring.pop(message.cells);
      under_way.pop_front();
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
  OwnCellRing ring(2);
  InRing message;
  EXPECT_FALSE(ring.front(message));
  ASSERT_TRUE(send(ring, 8, 1));
  ASSERT_TRUE(ring.front(message));
  ring.pop(message.cells);
  for (int lap = 0; lap < 3; ++lap) {
    for (std::size_t i = 0; i < 7; ++i) ASSERT_TRUE(send(ring, i, 1));
    EXPECT_FALSE(send(ring, 0, 1));
    for (std::size_t i = 0; i < 7; ++i) {
      ASSERT_TRUE(ring.front(message));
      EXPECT_EQ(message.bytes, i);
      ring.pop(message.cells);
    }
    EXPECT_FALSE(ring.front(message));
  }
}

// Payload full of the mark that its cell would carry in the next lap must not be taken for a header there.
TEST(CellRing, NeverTakesPayloadForAHeader) {
  OwnCellRing ring(8);
  Random random(4);
  std::uint32_t lap = 0;
  const std::byte* newest = nullptr;
  for (int number = 0; number < 20000; ++number) {
    const std::size_t bytes = random.below(3) == 0 ? random.below(41 + 64 * 3) : random.below(9);
    const int tag = random.below(4) == 0 ? number : 0;
    const CellRing::Place place = ring.reserve(CellKind::eager, 0, tag, bytes);
    ASSERT_NE(place.payload, nullptr);
    if (place.payload < newest) ++lap;
    newest = place.payload;
    const std::uint32_t mark = (lap + 1) | 0x80000000U;
    for (std::size_t i = 0; i + 4 <= bytes; i += 4) std::memcpy(place.payload + i, &mark, 4);
    ring.publish(place, CellKind::eager, 0, tag, bytes);
    InRing message;
    ASSERT_TRUE(ring.front(message));
    ASSERT_EQ(message.tag, tag);
    ASSERT_EQ(message.bytes, bytes);
    ring.pop(message.cells);
    ASSERT_FALSE(ring.front(message)) << number;
  }
}

template <class Deliver>
int drain(Channel& channel, Deliver&& deliver) {
  return channel.drain([&](const InRing& message) { deliver(channel.arrival_in(message)); }, deliver);
}

// What is sent while older messages overflow must not take the room that the receiver makes in the ring.
TEST(Channel, NothingOvertakesTheOverflow) {
  threads::Doorbell bell;
  Request first(bell);
  Request second(bell);
  OwnRingMemory memory(32);
  Channel channel(0, 32, memory.zeros);
  int value = 0;
  int pushed = 0;
  while (channel.push_eager(0, pushed, {&value, sizeof value})) ++pushed;
  EXPECT_GE(pushed, 31);
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
  OwnRingMemory memory(32);
  Channel channel(5, 32, memory.zeros);
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
