// SPDX-License-Identifier: Apache-2.0
// Sends that are withdrawn inside a node process, also while their receives come.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/message/job_for_tests.h"

namespace taihu::message {
namespace {

TEST(Cancel, WithdrawsSendsThatNothingHasMatched) {
  JobForTests job(1, 2);
  job.run([&](Endpoint& me) {
    std::vector<std::byte> data(100000);
    if (me.rank() == 1) {
      await_signal(me);
      EXPECT_FALSE(me.iprobe(0, user_context, 1, nullptr));
      EXPECT_TRUE(me.iprobe(0, user_context, 2, nullptr));
      me.receive(0, user_context, 2, data.data(), data.size());
      return;
    }
    Request* kept = me.isend(1, user_context, 2, {data.data(), data.size()}, SendMode::standard);
    for (const std::size_t bytes : {0UL, 8UL, 2000UL, 100000UL}) {
      Request* send = me.isend(1, user_context, 1, {data.data(), bytes}, SendMode::synchronous);
      me.cancel(send);
      Status status;
      me.wait(send, &status);
      EXPECT_TRUE(status.cancelled) << bytes;
    }
    // A short standard send is gone as soon as it was made.
    Request* gone = me.isend(1, user_context, 3, data.data(), 8);
    me.cancel(gone);
    Status status;
    me.wait(gone, &status);
    EXPECT_FALSE(status.cancelled);
    signal(me);
    me.wait(kept, &status);
    EXPECT_FALSE(status.cancelled);
    me.cancel(nullptr);
  });
}

TEST(Cancel, WithdrawsFromAnotherNodeProcess) {
  JobForTests job(2, 2);
  job.run([&](Endpoint& me) {
    std::vector<std::byte> data(100000);
    if (me.rank() == 1) {
      await_signal(me);
      EXPECT_FALSE(me.iprobe(0, user_context, 1, nullptr));
      Status status;
      me.receive(0, user_context, 2, {data.data(), data.size()}, &status);
      EXPECT_EQ(status.bytes, data.size());
      return;
    }
    Request* kept = me.isend(1, user_context, 2, {data.data(), data.size()}, SendMode::standard);
    for (const std::size_t bytes : {0UL, 8UL, 2000UL, 100000UL}) {
      Request* send = me.isend(1, user_context, 1, {data.data(), bytes}, SendMode::synchronous);
      me.cancel(send);
      me.cancel(send);  // once more makes no difference
      Status status;
      me.wait(send, &status);
      EXPECT_TRUE(status.cancelled) << bytes;
    }
    signal(me);
    Status status;
    me.wait(kept, &status);
    EXPECT_FALSE(status.cancelled);
  });
}

TEST(Cancel, WithdrawsFromTheOverflowOfARing) {
  JobForTests job(1, 2);
  job.run([&](Endpoint& me) {
    constexpr int messages = 1000;
    std::vector<std::byte> data(2000);
    if (me.rank() == 1) {
      await_signal(me, 5);
      for (int i = 1; i < messages; i += 2) me.receive(0, user_context, any_tag, data.data(), data.size());
      EXPECT_FALSE(me.iprobe(any_rank, user_context, any_tag, nullptr));
      return;
    }
    std::vector<Request*> sends;
    for (int i = 0; i < messages; ++i) sends.push_back(me.isend(1, user_context, i + 10, data.data(), 2000));
    for (int i = 0; i < messages; i += 2) me.cancel(sends[static_cast<std::size_t>(i)]);
    signal(me, 5);
    for (int i = 0; i < messages; ++i) {
      Status status;
      me.wait(sends[static_cast<std::size_t>(i)], &status);
      EXPECT_EQ(status.cancelled, i % 2 == 0);
    }
  });
}

// Both ranks send, receive and cancel at once: each message is either received or withdrawn, never both.
void race(JobForTests& job) {
  std::atomic<int> withdrawn{0};
  std::atomic<int> received{0};
  constexpr int messages = plain_or_sanitized(3000, 600);
  job.run([&](Endpoint& me) {
    const int other = 1 - me.rank();
    std::thread receiver([&] {
      for (;;) {
        int value = -1;
        Request* receive = me.irecv(other, user_context, any_tag, &value, sizeof value);
        me.wait(receive, nullptr);
        if (value == messages) return;
        ++received;
      }
    });
    std::vector<int> values(messages);
    for (int i = 0; i < messages; ++i) {
      int& value = values[static_cast<std::size_t>(i)];
      value = i;
      Request* send = me.isend(other, user_context, i % 3, {&value, sizeof value}, SendMode::synchronous);
      if (i % 5 == 0) sched_yield();
      me.cancel(send);
      Status status;
      me.wait(send, &status);
      if (status.cancelled) ++withdrawn;
    }
    const int last = messages;
    me.send(other, user_context, 0, &last, sizeof last);
    receiver.join();
  });
  EXPECT_EQ(withdrawn + received, 2 * messages);
}

TEST(Cancel, RacesWithTheReceiver) {
  JobForTests job(1, 2);
  race(job);
}

TEST(Cancel, RacesWithTheReceiverInAnotherNodeProcess) {
  JobForTests job(2, 2);
  race(job);
}

}  // namespace
}  // namespace taihu::message
