// SPDX-License-Identifier: Apache-2.0
// Messages between node processes that leave before the send returns and are delivered without a stop: when
// buffers are free, order among many senders, and progress while no rank waits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/node/remote.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Around the limits of what the test's link sends unasked (4096 with the header of 24), what fits an
/// envelope, and what follows one.
const std::vector<std::size_t> message_sizes{
    0, 1, 2, 7, 8, 63, 64, 1000, 4071, 4072, 4073, 16383, 16384, 16385, 70000, most_bytes_following};

std::size_t size_of(int message) {
  return message_sizes[static_cast<std::size_t>(message) % message_sizes.size()];
}

/// Until `holds`, for at most ten seconds.
template <class Holds>
bool comes_true(Holds&& holds) {
  for (int i = 0; i < 10000 && !holds(); ++i) usleep(1000);
  return holds();
}

// Every second message waits for its receive there, the others find it posted.
TEST(AtOnce, BuffersMayBeOverwrittenOnceASendIsComplete) {
  JobForTests job(2, 2);
  constexpr int messages = 240;
  job.run([&](Endpoint& me) {
    std::vector<std::byte> data(most_bytes_following);
    for (int i = 0; i < messages; ++i) {
      const std::size_t bytes = size_of(i);
      const auto seed = static_cast<std::uint64_t>(i);
      if (me.rank() == 0) {
        if (i % 2 == 0) me.receive(1, user_context, 9, nullptr, 0);
        fill_pattern(data.data(), bytes, seed);
        if (i % 3 == 0) {
          me.send(1, user_context, i, data.data(), bytes);
        } else {
          me.wait(me.isend(1, user_context, i, data.data(), bytes), nullptr);
        }
        std::fill(data.begin(), data.end(), std::byte{0xee});
        if (i % 2 == 1) me.receive(1, user_context, 9, nullptr, 0);
      } else {
        Request* receive = nullptr;
        if (i % 2 == 0) {
          receive = me.irecv(0, user_context, i, data.data(), data.size());
        } else {
          me.wait_until([&] { return me.iprobe(0, user_context, i, nullptr); });
          receive = me.irecv(0, user_context, i, data.data(), data.size());
        }
        me.send(0, user_context, 9, nullptr, 0);
        Status status;
        me.wait(receive, &status);
        EXPECT_EQ(status.bytes, bytes);
        EXPECT_TRUE(has_pattern(data.data(), bytes, seed)) << bytes;
      }
    }
  });
}

TEST(AtOnce, OneByteMoreThanTheLimitWaitsForItsReceive) {
  JobForTests job(2, 2);
  job.run([&](Endpoint& me) {
    std::vector<std::byte> data(most_bytes_following + 1);
    if (me.rank() == 0) {
      fill_pattern(data.data(), data.size(), 5);
      Request* fits = me.isend(1, user_context, 1, data.data(), data.size() - 1);
      me.wait(fits, nullptr);
      Request* waits = me.isend(1, user_context, 2, data.data(), data.size());
      me.send(1, user_context, 3, nullptr, 0);
      me.receive(1, user_context, 3, nullptr, 0);  // all of them are known there, and none received
      EXPECT_FALSE(me.is_complete(waits));
      me.send(1, user_context, 4, nullptr, 0);
      me.wait(waits, nullptr);
    } else {
      me.receive(0, user_context, 3, nullptr, 0);
      me.send(0, user_context, 3, nullptr, 0);
      me.receive(0, user_context, 4, nullptr, 0);
      me.receive(0, user_context, 2, data.data(), data.size());
      EXPECT_TRUE(has_pattern(data.data(), data.size(), 5));
      me.receive(0, user_context, 1, data.data(), data.size());
      EXPECT_TRUE(has_pattern(data.data(), data.size() - 1, 5));
    }
  });
}

/// All other ranks send to the last one, which receives in one of three ways; some run in its process.
void expect_order_of_many(int processes, int ranks) {
  constexpr int messages = 200;
  JobForTests job(processes, ranks);
  job.run([&](Endpoint& me) {
    const int last = ranks - 1;
    std::vector<std::byte> data(most_bytes_following);
    if (me.rank() != last) {
      for (int i = 0; i < messages; ++i) {
        fill_pattern(data.data(), size_of(i), static_cast<unsigned>(me.rank() * messages + i));
        me.send(last, user_context, i, data.data(), size_of(i));
      }
      return;
    }
    std::vector<int> next(static_cast<std::size_t>(ranks), 0);
    for (int i = 0; i < messages * last; ++i) {
      Status status;
      if (i % 3 == 0) me.wait_until([&] { return me.iprobe(any_rank, user_context, any_tag, nullptr); });
      if (i % 3 == 1) {
        me.wait(me.irecv(any_rank, user_context, any_tag, data.data(), data.size()), &status);
      } else {
        me.receive(any_rank, user_context, any_tag, {data.data(), data.size()}, &status);
      }
      const int message = next[static_cast<std::size_t>(status.source)]++;
      ASSERT_EQ(status.tag, message) << "from rank " << status.source;
      ASSERT_EQ(status.bytes, size_of(message));
      ASSERT_TRUE(
          has_pattern(data.data(), status.bytes, static_cast<unsigned>(status.source * messages + message)));
    }
  });
}

TEST(AtOnce, EachOfManySendersKeepsItsOrder) {
  expect_order_of_many(2, 2);
  expect_order_of_many(2, 5);
  expect_order_of_many(4, 9);
}

// What a receiver that takes nothing has to keep: the window of 4 MB, and an envelope of each message.
TEST(AtOnce, ThousandsOfMessagesThatNobodyReceivesStayBounded) {
  JobForTests job(2, 2);
  constexpr int messages = plain_or_sanitized(3000, 1000);
  constexpr std::size_t window = std::size_t{4} << 20;
  constexpr std::size_t longest_header = 200;
  std::size_t total = 0;
  for (int i = 0; i < messages; ++i) total += size_of(i);
  ASSERT_GT(total, 4 * window);
  job.run([&](Endpoint& me) {
    std::vector<std::byte> data(most_bytes_following);
    if (me.rank() == 0) {
      fill_pattern(data.data(), data.size(), 3);
      std::vector<Request*> sends;
      for (int i = 0; i < messages; ++i)
        sends.push_back(me.isend(1, user_context, i, data.data(), size_of(i)));
      me.send(1, user_context, messages, nullptr, 0);
      for (Request* send : sends) me.wait(send, nullptr);
      return;
    }
    me.receive(0, user_context, messages, nullptr, 0);
    EXPECT_LT(job.hub().carried_bytes(), window + messages * longest_header);
    for (int i = messages - 1; i >= 0; --i) {
      std::fill_n(data.begin(), size_of(i), std::byte{0});
      Status status;
      me.receive(0, user_context, i, {data.data(), data.size()}, &status);
      ASSERT_EQ(status.bytes, size_of(i));
      ASSERT_TRUE(has_pattern(data.data(), status.bytes, 3));
    }
    EXPECT_GT(job.hub().carried_bytes(), total);
  });
}

// Receives of any kind that take a message while its data are still on their way, or have come before.
TEST(AtOnce, DataFollowIntoShortSpacesAndSpacesWithGaps) {
  JobForTests job(2, 2);
  const StridedLayout gaps{5, 7};
  job.run([&](Endpoint& me) {
    const std::vector<std::size_t> longer{4073, 16385, 70000, most_bytes_following};
    int tag = 0;
    for (const std::size_t bytes : longer) {
      for (const bool is_posted : {true, false}) {
        for (const bool has_gaps : {true, false}) {
          for (const std::size_t lacking : {std::size_t{0}, std::size_t{1}, bytes - 1, bytes}) {
            ++tag;
            if (me.rank() == 0) {
              std::vector<std::byte> data(bytes);
              fill_pattern(data.data(), bytes, bytes);
              if (is_posted) me.receive(1, user_context, 0, nullptr, 0);
              me.send(1, user_context, tag, data.data(), bytes);
              continue;
            }
            const std::size_t room = bytes - lacking;
            std::vector<std::byte> space(gaps.extent(bytes), std::byte{0xee});
            const auto place = [&](std::size_t i) { return has_gaps ? gaps.place(i) : i; };
            if (!is_posted) me.wait_until([&] { return me.iprobe(0, user_context, tag, nullptr); });
            Request* receive =
                me.irecv(0, user_context, tag, {space.data(), room, has_gaps ? &gaps : nullptr});
            if (is_posted) me.send(0, user_context, 0, nullptr, 0);
            Status status;
            me.wait(receive, &status);
            EXPECT_EQ(status.bytes, bytes);
            EXPECT_EQ(status.error, lacking == 0 ? Error::none : Error::truncated);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < bytes; ++i)
              wrong += space[place(i)] != (i < room ? pattern_byte(bytes, i) : std::byte{0xee});
            EXPECT_EQ(wrong, 0U) << bytes << " bytes into " << room;
          }
        }
      }
    }
  });
}

// Rank 1 is in no call while the messages come, and both have kept the link for themselves before.
TEST(AtOnce, MessagesCompleteWhileTheirReceiverComputes) {
  JobForTests job(2, 2);
  std::atomic<bool> sent{false};
  job.run([&](Endpoint& me) {
    const int other = 1 - me.rank();
    for (int i = 0; i < 100; ++i) {
      Request* receive = me.irecv(other, user_context, 0, nullptr, 0);
      me.send(other, user_context, 0, nullptr, 0);
      me.wait(receive, nullptr);
    }
    std::vector<std::vector<std::byte>> data(message_sizes.size());
    std::vector<Request*> requests;
    for (std::size_t i = 0; i < message_sizes.size(); ++i) {
      data[i].resize(message_sizes[i]);
      if (me.rank() == 1)
        requests.push_back(me.irecv(0, user_context, static_cast<int>(i), data[i].data(), message_sizes[i]));
    }
    if (me.rank() == 1) {
      me.send(0, user_context, 100, nullptr, 0);
      EXPECT_TRUE(comes_true([&] { return sent.load(); }));
      for (Request* request : requests) me.wait(request, nullptr);
      for (std::size_t i = 0; i < message_sizes.size(); ++i)
        EXPECT_TRUE(has_pattern(data[i].data(), message_sizes[i], i));
      return;
    }
    me.receive(1, user_context, 100, nullptr, 0);
    for (std::size_t i = 0; i < message_sizes.size(); ++i) {
      fill_pattern(data[i].data(), message_sizes[i], i);
      const auto mode = i % 2 == 0 ? SendMode::synchronous : SendMode::standard;
      me.wait(me.isend(1, user_context, static_cast<int>(i), {data[i].data(), message_sizes[i]}, mode),
              nullptr);
    }
    sent.store(true);
  });
}

// One thread of a rank keeps the link while it waits; the others' messages pass all the same.
TEST(AtOnce, ThreadsOfARankPassOneThatWaits) {
  JobForTests job(2, 2);
  job.run([&](Endpoint& me) {
    const int other = 1 - me.rank();
    std::thread waits([&] { me.receive(other, user_context, 77, nullptr, 0); });
    for (int i = 0; i < 300; ++i) {
      int value = i;
      int got = -1;
      Request* receive = me.irecv(other, user_context, 1, &got, sizeof got);
      me.send(other, user_context, 1, &value, sizeof value);
      me.wait(receive, nullptr);
      ASSERT_EQ(got, i);
    }
    me.send(other, user_context, 77, nullptr, 0);
    waits.join();
  });
}

}  // namespace
}  // namespace taihu::message
