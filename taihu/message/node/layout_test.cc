// SPDX-License-Identifier: Apache-2.0
// Messages that are laid out with gaps at the sender, the receiver or both; and messages beyond 2 GiB.
#include <gtest/gtest.h>

#include "taihu/message/data/layouts_for_tests.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Two ranks; the parameter is the number of node processes.
class LaidOut : public testing::TestWithParam<int> {
 protected:
  JobForTests job_{GetParam(), 2};
};
INSTANTIATE_TEST_SUITE_P(Processes, LaidOut, testing::Values(1, 2));

const std::vector<std::size_t> layout_sizes{0, 1, 8, 41, 1000, 1025, 16384, 16385, 300000, 1100000};

/// A message of `bytes` bytes, with or without gaps, in memory of its own.
class Spread {
 public:
  Spread(std::size_t bytes, const StridedLayout* layout)
      : layout_(layout),
        bytes_(bytes),
        memory_((layout ? layout->extent(bytes) : bytes) + 1, std::byte{0xee}) {}

  void fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes_; ++i) memory_[place(i)] = pattern_byte(seed, i);
  }
  /// The first `bytes` bytes are the pattern's and nothing else was written.
  bool holds(std::uint64_t seed, std::size_t bytes) const {
    std::vector<std::byte> expected(memory_.size(), std::byte{0xee});
    for (std::size_t i = 0; i < bytes; ++i) expected[place(i)] = pattern_byte(seed, i);
    return expected == memory_;
  }
  Data data() const { return {memory_.data(), bytes_, layout_}; }
  Space space() { return {memory_.data(), bytes_, layout_}; }

 private:
  std::size_t place(std::size_t i) const { return layout_ ? layout_->place(i) : i; }

  const StridedLayout* layout_;
  std::size_t bytes_;
  std::vector<std::byte> memory_;
};

TEST_P(LaidOut, AtEitherOrBothEnds) {
  const StridedLayout threes(3, 5);
  const StridedLayout sevens(7, 11);
  const std::vector<std::pair<const StridedLayout*, const StridedLayout*>> ends{
      {&threes, nullptr}, {nullptr, &threes}, {&threes, &sevens}};
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : layout_sizes) {
      for (const auto& [from, to] : ends) {
        if (me.rank() == 0) {
          Spread out(bytes, from);
          out.fill(bytes);
          me.send(1, user_context, 0, out.data());
          Request* send = me.isend(1, user_context, 1, out.data(), SendMode::synchronous);
          me.wait(send, nullptr);
        } else {
          Spread in(bytes, to);
          Status status;
          me.receive(0, user_context, 0, in.space(), &status);
          EXPECT_EQ(status.bytes, bytes);
          EXPECT_TRUE(in.holds(bytes, bytes)) << bytes;
          Spread again(bytes, to);
          Message* message = nullptr;
          me.wait_until([&] { return (message = me.improbe(0, user_context, 1, nullptr)) != nullptr; });
          me.wait(me.imrecv(message, again.space()), nullptr);
          EXPECT_TRUE(again.holds(bytes, bytes)) << bytes;
        }
      }
    }
  });
}

TEST_P(LaidOut, TruncationStopsWhereTheSpaceEnds) {
  const StridedLayout threes(3, 5);
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : {50UL, 5000UL, 700000UL}) {
      const std::size_t room = bytes - 1;
      if (me.rank() == 0) {
        Spread out(bytes, &threes);
        out.fill(bytes);
        for (int i = 0; i < 3; ++i) me.send(1, user_context, i, out.data());
      } else {
        for (const auto& [tag, layout, capacity] : {std::tuple{0, &threes, room},
                                                    {1, static_cast<const StridedLayout*>(nullptr), room},
                                                    {2, &threes, std::size_t{0}}}) {
          Spread in(capacity, layout);
          Status status;
          me.receive(0, user_context, tag, in.space(), &status);
          EXPECT_EQ(status.error, Error::truncated);
          EXPECT_EQ(status.bytes, bytes);
          EXPECT_TRUE(in.holds(bytes, capacity));
        }
      }
    }
  });
}

TEST_P(LaidOut, UnexpectedMessagesAreBuffered) {
  const StridedLayout threes(3, 5);
  job_.run([&](Endpoint& me) {
    constexpr int messages = 300;  // more than a ring holds
    std::vector<Spread> spreads(messages, Spread(100, &threes));
    std::vector<Request*> requests;
    for (int i = 0; i < messages && me.rank() == 0; ++i) {
      Spread& spread = spreads[static_cast<std::size_t>(i)];
      spread.fill(static_cast<unsigned>(i));
      requests.push_back(me.isend(1, user_context, i, spread.data(), SendMode::standard));
    }
    for (Request* request : requests) me.wait(request, nullptr);
    for (int i = messages - 1; i >= 0 && me.rank() == 1; --i) {
      Spread& spread = spreads[static_cast<std::size_t>(i)];
      me.receive(0, user_context, i, spread.space(), nullptr);
      EXPECT_TRUE(spread.holds(static_cast<unsigned>(i), 100));
    }
  });
}

/// Sends one message of `bytes` bytes from rank 0 to 1 of `processes` node processes. The layouts count.
void send_huge(int processes, std::size_t bytes, CountingLayout& out, CountingLayout& in) {
  JobForTests job(processes, 2);
  job.run([&](Endpoint& me) {
    if (me.rank() == 0) return me.send(1, user_context, 0, Data{nullptr, bytes, &out});
    Status status;
    me.receive(0, user_context, 0, Space{nullptr, bytes, &in}, &status);
    EXPECT_EQ(status.bytes, bytes);
  });
  EXPECT_EQ(in.bytes(), bytes);
}

TEST(Huge, MessagesBeyondFourGibibytesInsideANodeProcess) {
  CountingLayout out, in;
  send_huge(1, (std::size_t{5} << 30) + 3, out, in);
}

TEST(Huge, MessagesBeyondTwoGibibytesBetweenNodeProcesses) {
  constexpr std::size_t bytes = (std::size_t{2} << 30) + 3;
  CountingLayout out, in;
  send_huge(2, bytes, out, in);
  EXPECT_EQ(out.bytes(), bytes);
  EXPECT_EQ(out.end(), bytes);
  EXPECT_EQ(in.end(), bytes);
}

}  // namespace
}  // namespace taihu::message
