// SPDX-License-Identifier: Apache-2.0
// The wire between two node processes by itself: order of envelopes, whichever way they are sent, and who may
// use the link when.
#include "taihu/message/wire/wire.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "taihu/message/links/loopback_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

struct Envelope {
  int process;
  Header header;
  std::vector<std::byte> payload;
};

class TwoWires : public testing::Test {
 protected:
  static Header plain(int tag) {
    Header header;
    header.kind = EnvelopeKind::plain_message;
    header.source = 3;
    header.destination = 4;
    header.context = 0x1234567890abcdef;
    header.tag = tag;
    return header;
  }

  bool send_now(int tag, const std::vector<std::byte>& data) {
    return wire_.send_now(1, plain(tag), {data.data(), data.size()}, [] { return true; }, [] {});
  }

  void submit(int tag, const std::vector<std::byte>& data) {
    Outgoing outgoing;
    outgoing.process = 1;
    outgoing.header = plain(tag);
    outgoing.owned = data;
    outgoing.payload_bytes = data.size();
    wire_.submit(std::move(outgoing));
  }

  static std::vector<std::byte> pattern(std::size_t bytes, int seed) {
    std::vector<std::byte> data(bytes);
    fill_pattern(data.data(), bytes, static_cast<std::uint64_t>(seed));
    return data;
  }

  /// Envelopes `first`... have come, in order and whole; the sizes repeat.
  void expect_in_order(const std::vector<std::size_t>& sizes, int count, int first = 0) {
    ASSERT_EQ(arrived_.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const Envelope& envelope = arrived_[static_cast<std::size_t>(i)];
      const std::size_t bytes = sizes[static_cast<std::size_t>(i) % sizes.size()];
      EXPECT_EQ(envelope.process, 0);
      EXPECT_EQ(envelope.header.source, 3);
      EXPECT_EQ(envelope.header.destination, 4);
      EXPECT_EQ(envelope.header.context, 0x1234567890abcdef);
      ASSERT_EQ(envelope.header.tag, first + i);
      ASSERT_EQ(envelope.header.bytes, bytes);
      ASSERT_EQ(envelope.payload, pattern(bytes, first + i)) << bytes;
    }
  }

  LoopbackHub hub_{2};
  LoopbackLink link_{hub_, 0};
  LoopbackLink other_link_{hub_, 1};
  Wire wire_{link_, [](int, const Header&, const std::byte*) {}};
  std::vector<Envelope> arrived_;
  Wire other_{other_link_, [this](int process, const Header& header, const std::byte* payload) {
                arrived_.push_back({process, header, {payload, payload + header.bytes}});
              }};
};

TEST_F(TwoWires, TellsWhetherASecondTryToCountMayHelp) {
  wire_.with_link([&](Link&) { EXPECT_EQ(wire_.tally(1, {}), Counting::busy); });
  EXPECT_EQ(wire_.tally(1, {}), Counting::not_now) << "this link cannot count";
}

const std::vector<std::size_t> envelope_sizes{
    0, 1, 8, 4000, 5000, eager_payload_bytes - 1, eager_payload_bytes, 4096, 4097, 10000, 3};

TEST_F(TwoWires, WhatIsSentAtOnceMayBeOverwrittenAndStaysInOrder) {
  constexpr int count = 300;
  for (int i = 0; i < count; ++i) {
    std::vector<std::byte> data =
        pattern(envelope_sizes[static_cast<std::size_t>(i) % envelope_sizes.size()], i);
    if (i % 3 == 2) {
      submit(i, data);
    } else {
      ASSERT_TRUE(send_now(i, data));
    }
    std::ranges::fill(data, std::byte{0xee});
    if (i % 20 == 19) other_.poll();
    if (i % 50 == 49) wire_.poll();
  }
  while (!wire_.idle()) {
    wire_.poll();
    other_.poll();
  }
  other_.poll();
  expect_in_order(envelope_sizes, count);
}

TEST_F(TwoWires, NothingOvertakesTheBacklogOfAProcessThatDoesNotLook) {
  // The link buffers none of these, so they stay under way until the other side listens.
  const std::vector<std::size_t> long_ones{5000};
  int count = 0;
  while (send_now(count, pattern(5000, count))) {
    ++count;
    ASSERT_LT(count, 2000) << "without limit";
    wire_.poll();
  }
  EXPECT_GT(count, 100);
  for (int i = 0; i < 100; ++i) submit(count + i, pattern(5000, count + i));
  EXPECT_FALSE(send_now(-1, pattern(5000, 1)));
  EXPECT_FALSE(send_now(-1, {}));  // however short
  EXPECT_FALSE(wire_.idle());
  while (!wire_.idle()) {
    other_.poll();
    wire_.poll();
  }
  other_.poll();
  expect_in_order(long_ones, count + 100);
  EXPECT_TRUE(send_now(1, {}));
}

TEST_F(TwoWires, ADriverLooksUntilItIsDoneOrItsTurnsAreOver) {
  int asked = 0;
  EXPECT_TRUE(wire_.drive(10, [&] {
    ++asked;
    return false;
  }));
  EXPECT_EQ(asked, 10);
  asked = 0;
  EXPECT_TRUE(wire_.drive(10, [&] { return ++asked == 4; }));
  EXPECT_EQ(asked, 4);
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(send_now(i, pattern(8, i)));
  EXPECT_TRUE(other_.drive(1000, [&] { return !arrived_.empty(); }));
  EXPECT_EQ(arrived_.size(), 1U) << "a look at this link costs as much as a message";
  EXPECT_TRUE(other_.drive(1, [&] { return arrived_.size() == 60; }));
  EXPECT_GE(arrived_.size(), 3U) << "what is here on the way to what is waited for is read along";
  EXPECT_LT(arrived_.size(), 60U) << "but not without end";
  EXPECT_TRUE(other_.drive(1000, [&] { return arrived_.size() == 60; }));
  expect_in_order({8}, 60);
}

TEST_F(TwoWires, ADriverAlsoSendsWhatOthersSubmitAndEndsTheirTransfers) {
  std::atomic<bool> is_over{false};
  std::thread driver([&] {
    const auto done = [&] { return is_over.load(); };
    while (!wire_.drive(std::numeric_limits<int>::max(), done)) {
    }
  });
  for (int i = 0; i < 400; ++i) submit(i, pattern(6000, i));
  while (arrived_.size() != 400) other_.poll();
  is_over.store(true);
  driver.join();
  expect_in_order({6000}, 400);
}

TEST_F(TwoWires, OnlyOneIsInside) {
  const std::uint64_t looks = wire_.looks();
  wire_.with_link([&](Link&) {
    EXPECT_FALSE(send_now(0, {}));
    EXPECT_FALSE(wire_.poll());
    EXPECT_FALSE(wire_.idle());
    EXPECT_FALSE(wire_.drive(1, [] { return false; }));
    submit(0, pattern(1, 0));  // taken when the link is left
  });
  EXPECT_EQ(wire_.looks(), looks);
  other_.poll();
  expect_in_order({1}, 1);
  EXPECT_TRUE(wire_.drive(1, [] { return true; }));
  wire_.poll();
  EXPECT_EQ(wire_.looks(), looks + 2);
}

TEST_F(TwoWires, ManyThreadsKeepTheirOrderEach) {
  constexpr int threads = 4;
  constexpr int messages = 500;
  std::vector<std::thread> senders;
  for (int thread = 0; thread < threads; ++thread) {
    senders.emplace_back([&, thread] {
      for (int i = 0; i < messages; ++i) {
        const int tag = thread * messages + i;
        const std::vector<std::byte> data =
            pattern(envelope_sizes[static_cast<std::size_t>(i) % envelope_sizes.size()], tag);
        if (!send_now(tag, data)) submit(tag, data);
      }
    });
  }
  while (arrived_.size() != threads * messages) {
    wire_.poll();
    other_.poll();
  }
  for (std::thread& sender : senders) sender.join();
  std::vector<int> next(threads, 0);
  for (const Envelope& envelope : arrived_) {
    const int thread = envelope.header.tag / messages;
    const int i = next[static_cast<std::size_t>(thread)]++;
    ASSERT_EQ(envelope.header.tag % messages, i) << "thread " << thread;
    ASSERT_EQ(envelope.payload, pattern(envelope_sizes[static_cast<std::size_t>(i) % envelope_sizes.size()],
                                        envelope.header.tag));
  }
}

TEST(WhatCanWait, IsSaidOnceWhenAllThatHasComeIsRead) {
  LoopbackHub hub(2);
  LoopbackLink link(hub, 0), other_link(hub, 1);
  Wire wire(link, [](int, const Header&, const std::byte*) {});
  int arrived = 0, said = 0, arrived_when_said = 0;
  Wire* reader = nullptr;
  const auto arrive = [&](int, const Header&, const std::byte*) {
    ++arrived;
    reader->call_before_leaving();
  };
  Wire other(other_link, arrive, [&] {
    EXPECT_TRUE(reader->is_inside());
    ++said;
    arrived_when_said = arrived;
  });
  reader = &other;
  for (int i = 0; i < 5; ++i) {
    Header header;
    header.kind = EnvelopeKind::plain_message;
    ASSERT_TRUE(wire.send_now(1, header, {nullptr, 0}, [] { return true; }, [] {}));
  }
  while (arrived < 5) {
    other.poll();
    EXPECT_EQ(arrived_when_said, arrived);
  }
  EXPECT_LT(said, arrived) << "once for what has come, not for each";
  const int before = said;
  other.poll();
  EXPECT_EQ(said, before) << "there is nothing more";
}

TEST(WhatAnArrivalBegins, EndsOnceBehindTheLastThatHasComeWithItAndBeforeTransfersEnd) {
  constexpr std::size_t followed = 20'000;
  LoopbackHub hub(2);
  LoopbackLink link(hub, 0), other_link(hub, 1);
  Wire wire(link, [](int, const Header&, const std::byte*) {});
  int arrived = 0, ended = 0, arrived_when_ended = 0;
  bool is_open = false, has_landed = false;
  std::vector<std::byte> landing(followed);
  Wire* reader = nullptr;
  const auto arrive = [&](int process, const Header& header, const std::byte*) {
    ++arrived;
    is_open = true;
    reader->call_after_reading();
    if (header.kind != EnvelopeKind::followed_message) return;
    reader->receive_following(process, landing.data(), followed, [&] {
      EXPECT_FALSE(is_open);
      has_landed = true;
    });
    EXPECT_FALSE(has_landed) << "the test wants data that come later";
  };
  Wire other(other_link, arrive, nullptr, nullptr, [&] {
    EXPECT_TRUE(reader->is_inside());
    is_open = false;
    ++ended;
    arrived_when_ended = arrived;
  });
  reader = &other;
  const std::vector<std::byte> data(followed);
  Outgoing outgoing;
  outgoing.process = 1;
  outgoing.header.kind = EnvelopeKind::followed_message;
  outgoing.header.bytes = followed;
  wire.submit(std::move(outgoing));
  for (int i = 0; i < 5; ++i) {
    Header header;
    header.kind = EnvelopeKind::plain_message;
    ASSERT_TRUE(wire.send_now(1, header, {nullptr, 0}, [] { return true; }, [] {}));
  }
  while (arrived < 6) {
    EXPECT_TRUE(other.drive(1, [] { return false; }));
    EXPECT_FALSE(is_open);
    EXPECT_EQ(arrived_when_ended, arrived);
  }
  EXPECT_LT(ended, arrived) << "once for what has come, not for each";
  const int before = ended;
  LinkRequest* const sent = link.send(1, first_free_tag, data.data(), followed);
  while (!has_landed) other.poll();
  EXPECT_TRUE(link.test(sent, nullptr));
  EXPECT_EQ(ended, before) << "no envelope has come";
}

}  // namespace
}  // namespace taihu::message
