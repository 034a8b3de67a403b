// SPDX-License-Identifier: Apache-2.0
// Windows of many messages in flight: whatever way each of them takes (taken at once, announced, through the
// overflow of a full ring, kept unexpected), all arrive in order with their own bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "taihu/message/job_for_tests.h"
#include "taihu/message/matching/request.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

const std::vector<std::size_t> stream_sizes{0, 1, 8, 40, 41, 255, 256, 257, 512, 1000, 1024, 1025, 3000};
constexpr int window = 300;  // more than a ring has cells
constexpr int signal_tag = window;

std::uint64_t seed_of(std::size_t bytes, int number) {
  return bytes * 1000 + static_cast<unsigned>(number);
}

/// The sending side of a window; its messages have the tags 0, 1, ...
class Sending {
 public:
  Sending(Endpoint& me, int to, std::size_t bytes) : me_(me), to_(to), bytes_(bytes) {}
  void start() {
    for (int i = 0; i < window; ++i) {
      std::vector<std::byte>& data = data_.emplace_back(bytes_);
      fill_pattern(data.data(), bytes_, seed_of(bytes_, i));
      if (me_.send_at_once(to_, user_context, i, {data.data(), bytes_})) {
        std::fill(data.begin(), data.end(), std::byte{});  // it is ours again
      } else {
        requests_.push_back(me_.isend(to_, user_context, i, data.data(), bytes_));
      }
    }
  }
  void finish() {
    for (Request* request : requests_) me_.wait(request, nullptr);
  }

 private:
  Endpoint& me_;
  const int to_;
  const std::size_t bytes_;
  std::vector<Request*> requests_;
  std::deque<std::vector<std::byte>> data_;
};

/// The receiving side, with requests of its own.
class Receiving {
 public:
  Receiving(Endpoint& me, int from, int tag, std::size_t bytes)
      : me_(me), from_(from), tag_(tag), bytes_(bytes), data_(window, std::vector<std::byte>(bytes)) {}
  void start() {
    for (int i = 0; i < window; ++i) {
      me_.irecv_into(requests_.emplace_back(), from_, user_context, tag_ == any_tag ? any_tag : i,
                     {data_[static_cast<std::size_t>(i)].data(), bytes_});
    }
  }
  void finish() {
    for (int i = 0; i < window; ++i) {
      Request& request = requests_[static_cast<std::size_t>(i)];
      if (i % 3 == 0) {
        while (!me_.is_complete(&request)) me_.progress();
      }
      me_.await(request);
      ASSERT_TRUE(request.done.load());
      ASSERT_EQ(request.status.tag, i);
      ASSERT_EQ(request.status.bytes, bytes_);
      ASSERT_EQ(request.status.error, Error::none);
      ASSERT_TRUE(has_pattern(data_[static_cast<std::size_t>(i)].data(), bytes_, seed_of(bytes_, i)))
          << "message " << i << " of " << bytes_ << " bytes";
    }
  }

 private:
  Endpoint& me_;
  const int from_;
  const int tag_;
  const std::size_t bytes_;
  std::deque<Request> requests_;
  std::vector<std::vector<std::byte>> data_;
};

/// What the receives name, and how many node processes the two ranks are in.
struct StreamShape {
  int source, tag, processes;
};

class Streams : public testing::TestWithParam<StreamShape> {
 protected:
  int source_of(Endpoint& me) const { return GetParam().source == any_rank ? any_rank : 1 - me.rank(); }
  int tag() const { return GetParam().tag; }
  JobForTests job_{GetParam().processes, 2};
};
INSTANTIATE_TEST_SUITE_P(Filters, Streams,
                         testing::Values(StreamShape{0, 0, 1}, StreamShape{0, any_tag, 1},
                                         StreamShape{any_rank, any_tag, 1}, StreamShape{0, 0, 2},
                                         StreamShape{any_rank, any_tag, 2}));

TEST_P(Streams, OneWayWithReceivesPostedBefore) {
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : stream_sizes) {
      if (me.rank() == 0) {
        await_signal(me, signal_tag);
        Sending sending(me, 1, bytes);
        sending.start();
        sending.finish();
      } else {
        Receiving receiving(me, source_of(me), tag(), bytes);
        // The signal must not be what a wildcard waits for: it goes the other way.
        receiving.start();
        signal(me, signal_tag);
        receiving.finish();
      }
    }
  });
}

TEST_P(Streams, OneWayWithReceivesPostedLate) {
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : stream_sizes) {
      if (me.rank() == 0) {
        Sending sending(me, 1, bytes);
        sending.start();
        signal(me, signal_tag);
        sending.finish();
      } else {
        await_signal(me, signal_tag);  // everything stands in the queues
        Receiving receiving(me, source_of(me), tag(), bytes);
        receiving.start();
        receiving.finish();
      }
    }
  });
}

TEST_P(Streams, BothWaysAtOnce) {
  job_.run([&](Endpoint& me) {
    for (int round = 0; round < 3; ++round) {
      for (const std::size_t bytes : stream_sizes) {
        Receiving receiving(me, source_of(me), tag(), bytes);
        Sending sending(me, 1 - me.rank(), bytes);
        receiving.start();
        sending.start();
        receiving.finish();
        sending.finish();
      }
    }
  });
}

TEST(Stream, ToOneself) {
  JobForTests job(1, 1);
  job.run([](Endpoint& me) {
    for (const std::size_t bytes : stream_sizes) {
      Sending sending(me, 0, bytes);
      Receiving receiving(me, 0, 0, bytes);
      sending.start();
      receiving.start();
      sending.finish();
      receiving.finish();
    }
  });
}

// Sends that the receiver does not look at for long are complete all the same, as blocking ones are.
TEST(Stream, ShortSendsDoNotWaitForABusyReceiver) {
  JobForTests job(1, 2);
  std::atomic<bool> sent{false};
  job.run([&](Endpoint& me) {
    for (const std::size_t bytes : {8UL, 300UL, 1024UL}) {
      if (me.rank() == 0) {
        Sending sending(me, 1, bytes);
        sending.start();
        sending.finish();
        sent.store(true);
      } else {
        while (!sent.load()) std::this_thread::yield();
        sent.store(false);
        Receiving receiving(me, 0, 0, bytes);
        receiving.start();
        receiving.finish();
      }
      me.rank() == 0 ? await_signal(me, signal_tag) : signal(me, signal_tag);
    }
  });
}

TEST(Stream, SendAtOnceLeavesNothingBehindWhenItCannot) {
  JobForTests job(1, 2);
  std::atomic<int> taken{-1};
  job.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      int count = 0;
      while (me.send_at_once(1, user_context, 0, {&count, sizeof count})) ++count;
      EXPECT_GT(count, 0);
      const std::vector<std::byte> too_long(std::size_t{1} << 20);
      EXPECT_FALSE(me.send_at_once(1, user_context, 0, {too_long.data(), too_long.size()}));
      taken.store(count);
      return;
    }
    while (taken.load() < 0) std::this_thread::yield();
    for (int i = 0; i < taken.load(); ++i) {
      int value = -1;
      me.receive(0, user_context, 0, &value, sizeof value);
      EXPECT_EQ(value, i);
    }
    EXPECT_FALSE(me.iprobe(any_rank, user_context, any_tag, nullptr));
  });
}

TEST(Stream, ReceivesWithRequestsOfTheCallerAreTruncatedAndCancelled) {
  JobForTests job(1, 2);
  job.run([](Endpoint& me) {
    const std::vector<std::byte> data(2000, std::byte{7});
    if (me.rank() == 0) {
      await_signal(me, signal_tag);
      for (const std::size_t bytes : {20UL, 2000UL}) me.send(1, user_context, 1, data.data(), bytes);
      return;
    }
    std::vector<std::byte> room(11);
    Request withdrawn;
    me.irecv_into(withdrawn, 0, user_context, 1, {room.data(), 10});
    EXPECT_FALSE(me.is_idle(user_context));
    me.cancel(&withdrawn);
    EXPECT_TRUE(me.is_complete(&withdrawn));
    EXPECT_TRUE(withdrawn.status.cancelled);
    EXPECT_TRUE(me.is_idle(user_context));
    signal(me, signal_tag);
    for (const std::size_t bytes : {20UL, 2000UL}) {
      Request receive;
      me.irecv_into(receive, any_rank, user_context, any_tag, {room.data(), 10});
      me.await(receive);
      EXPECT_EQ(receive.status.error, Error::truncated);
      EXPECT_EQ(receive.status.bytes, bytes);
      EXPECT_EQ(room[9], std::byte{7});
      EXPECT_EQ(room[10], std::byte{0});
    }
  });
}

/// Long ones have their message before they have the data; the rank is not idle then.
void expect_from_another_process(Endpoint& me, std::size_t bytes, bool is_posted_before) {
  std::vector<std::byte> data(bytes);
  if (me.rank() == 0) {
    fill_pattern(data.data(), bytes, bytes);
    if (is_posted_before) await_signal(me, signal_tag);
    Request* const send = me.isend(1, user_context, 1, data.data(), bytes);
    if (!is_posted_before) signal(me, signal_tag);
    me.wait(send, nullptr);
    return;
  }
  if (!is_posted_before) await_signal(me, signal_tag);
  Request receive;
  me.irecv_into(receive, 0, user_context, 1, {data.data(), bytes});
  if (is_posted_before) {
    EXPECT_FALSE(me.is_idle(user_context));
    signal(me, signal_tag);
  }
  while (!receive.done.load()) {
    const bool is_idle = me.is_idle(user_context);
    EXPECT_TRUE(!is_idle || receive.done.load());
    me.progress();
  }
  me.await(receive);
  EXPECT_EQ(receive.status.bytes, bytes);
  EXPECT_TRUE(has_pattern(data.data(), bytes, bytes)) << bytes;
  me.wait_until([&] { return me.is_idle(user_context); });
}

TEST(Stream, ReceivesWithRequestsOfTheCallerWaitForDataOfAnotherNodeProcess) {
  JobForTests job(2, 2);
  job.run([](Endpoint& me) {
    for (const std::size_t bytes : {0UL, 8UL, 4072UL, 4073UL, 16385UL, 70000UL, 300000UL})
      for (const bool is_posted_before : {true, false})
        expect_from_another_process(me, bytes, is_posted_before);
  });
}

// Threads of a rank share its lock, which is biased towards one of them.
TEST(Stream, ThreadsOfARankStreamAtOnce) {
  JobForTests job(1, 2);
  job.run([](Endpoint& me) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&me, thread] {
        const int other = 1 - me.rank();
        for (int round = 0; round < 40; ++round) {
          const std::size_t bytes = round % 4 == 0 ? 700 : 8;
          std::vector<std::byte> out(bytes);
          fill_pattern(out.data(), bytes, seed_of(bytes, thread));
          std::deque<Request> requests;
          std::vector<std::vector<std::byte>> in(20, std::vector<std::byte>(bytes));
          for (auto& buffer : in)
            me.irecv_into(requests.emplace_back(), other, user_context, thread, {buffer.data(), bytes});
          std::vector<Request*> sends;
          for (std::size_t i = 0; i < in.size(); ++i)
            sends.push_back(me.isend(other, user_context, thread, out.data(), bytes));
          for (Request& request : requests) me.await(request);
          for (Request* request : sends) me.wait(request, nullptr);
          for (const auto& buffer : in)
            EXPECT_TRUE(has_pattern(buffer.data(), bytes, seed_of(bytes, thread)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

}  // namespace
}  // namespace taihu::message
