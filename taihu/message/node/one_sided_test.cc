// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <future>

#include "taihu/message/job_for_tests.h"
#include "taihu/message/node/node_process.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

constexpr std::size_t segment_bytes = 8 << 20;
constexpr std::uint64_t data_offset = 64;  // the reply word is at 0
constexpr memory::SymmetricAddress reply_word{0, 0};

std::atomic_ref<int> reply_of(JobForTests& job, int rank) {
  return std::atomic_ref(*reinterpret_cast<int*>(job.segment(rank)));
}

class OneSided : public testing::TestWithParam<int> {
 protected:
  JobForTests job_{GetParam(), 3, segment_bytes};
};
INSTANTIATE_TEST_SUITE_P(Processes, OneSided, testing::Values(1, 2, 3));

TEST_P(OneSided, DataAreVisibleBeforeTheReply) {
  const std::vector<std::size_t> sizes{0, 1, 8, 65, 1024, 16384, 16385, 70001, 3 << 20};
  job_.run([&](Endpoint& me) {
    const int to = (me.rank() + 1) % 3;
    const int from = (me.rank() + 2) % 3;
    int replies = 0;
    for (const std::size_t bytes : sizes) {
      std::vector<std::byte> data(bytes);
      fill_pattern(data.data(), bytes, bytes + static_cast<unsigned>(me.rank()));
      me.wait(me.put(to, data.data(), {0, data_offset + 3}, bytes, &reply_word), nullptr);
      ++replies;
      me.wait_until([&] { return reply_of(job_, me.rank()).load(std::memory_order_acquire) >= replies; });
      EXPECT_TRUE(
          has_pattern(job_.segment(me.rank()) + data_offset + 3, bytes, bytes + static_cast<unsigned>(from)))
          << bytes;
      // All have looked before anyone overwrites.
      int told = 0;
      const int token = 0;
      Request* ready = me.irecv(to, collective_context, 0, &told, sizeof told);
      me.send(from, collective_context, 0, &token, sizeof token);
      me.wait(ready, nullptr);
    }
    EXPECT_EQ(reply_of(job_, me.rank()).load(), static_cast<int>(sizes.size()));
  });
}

TEST_P(OneSided, APutIsCompleteOnlyWhenTheDataHaveArrived) {
  job_.run([&](Endpoint& me) {
    if (me.rank() != 0) return;
    for (const std::size_t bytes : {8UL, 50000UL}) {
      std::vector<std::byte> data(bytes, std::byte{0x5a});
      me.wait(me.put(2, data.data(), {0, data_offset}, bytes, nullptr), nullptr);
      std::vector<std::byte> back(bytes);
      me.wait(me.get(2, {0, data_offset}, back.data(), bytes), nullptr);
      EXPECT_EQ(back, data);
    }
  });
  EXPECT_EQ(reply_of(job_, 2).load(), 0);
}

TEST_P(OneSided, GetReadsEverySize) {
  for (int rank = 0; rank < 3; ++rank)
    fill_pattern(job_.segment(rank), segment_bytes, static_cast<unsigned>(rank));
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : {0UL, 1UL, 1025UL, 16385UL, 3UL << 20}) {
      for (int from = 0; from < 3; ++from) {
        std::vector<std::byte> data(bytes);
        me.wait(me.get(from, {0, 0}, data.data(), bytes), nullptr);
        EXPECT_TRUE(has_pattern(data.data(), bytes, static_cast<unsigned>(from)));
      }
    }
  });
}

// The target makes no call at all until the reply word says that everything is there.
TEST_P(OneSided, TheTargetMayComputeMeanwhile) {
  constexpr int puts = 200;
  job_.run([&](Endpoint& me) {
    if (me.rank() == 2) {
      while (reply_of(job_, 2).load(std::memory_order_acquire) < 2 * puts) usleep(100);
      return;
    }
    std::vector<Request*> requests;
    std::vector<std::byte> data(20000, std::byte{1});
    for (unsigned i = 0; i < puts; ++i) {
      // Each has its place: puts to one place are in no order.
      const std::uint64_t place = data_offset + 20000 * (puts * static_cast<unsigned>(me.rank()) + i);
      const std::size_t bytes = i % 10 == 0 ? data.size() : 16;
      requests.push_back(me.put(2, data.data(), {0, place}, bytes, &reply_word));
    }
    for (Request* request : requests) me.wait(request, nullptr);
  });
  EXPECT_EQ(reply_of(job_, 2).load(), 2 * puts);
}

TEST_P(OneSided, ASleepingTargetIsWoken) {
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      usleep(50000);
      const int value = 4711;
      me.wait(me.put(2, &value, {0, data_offset}, sizeof value, &reply_word), nullptr);
    } else if (me.rank() == 2) {
      me.wait_until([&] { return reply_of(job_, 2).load(std::memory_order_acquire) != 0; });
      int value = 0;
      std::memcpy(&value, job_.segment(2) + data_offset, sizeof value);
      EXPECT_EQ(value, 4711) << "woken before the data were there";
    }
  });
  EXPECT_EQ(reply_of(job_, 2).load(), 1);
}

// More bulk transfers at once than there are tags: some wait, and tags are taken again.
TEST(Tags, AreUsedAgain) {
  JobForTests job(2, 2, 4 << 20, 10);
  job.run([&](Endpoint& me) {
    if (me.rank() != 0) return;
    std::vector<std::byte> data(20000);
    for (int round = 0; round < 20; ++round) {
      std::vector<Request*> puts;
      for (unsigned i = 0; i < 16; ++i) {
        puts.push_back(me.put(1, data.data(), {0, data_offset + 20000 * i}, data.size(), &reply_word));
      }
      for (Request* put : puts) me.wait(put, nullptr);
    }
  });
  EXPECT_EQ(reply_of(job, 1).load(), 320);
}

/// Runs `act` while node process `process` answers nobody.
void while_silent(JobForTests& job, int process, const std::function<void()>& act) {
  static_cast<NodeProcess&>(job.node(process)).remote()->wire().with_link([&](Link&) { act(); });
}

// Whoever has mapped the memory of another node process waits for what it would overtake, and for nothing
// else.
TEST(ReachingThere, IsRefusedWhileDataAreUnderWay) {
  JobForTests job(3, 3, segment_bytes);
  Endpoint& me = job.endpoint(0);
  std::vector<std::byte> data(1000, std::byte{1});
  const StridedShape shape{500, 10, 20, 15};
  constexpr memory::SymmetricAddress there{0, data_offset};
  const std::array<std::function<Request*()>, 4> calls{
      [&] { return me.put(1, data.data(), there, data.size(), &reply_word); },
      [&] { return me.get(1, there, data.data(), data.size()); },
      [&] { return me.put_blocks(1, data.data(), there, shape, nullptr); },
      [&] { return me.get_blocks(1, there, data.data(), shape); },
  };
  for (const auto& call : calls) {
    EXPECT_TRUE(me.may_reach_there(1));
    Request* under_way = nullptr;
    while_silent(job, 1, [&] {
      under_way = call();
      for (int i = 0; i < 200; ++i) EXPECT_FALSE(me.may_reach_there(1));
      EXPECT_TRUE(me.may_reach_there(2)) << "nothing is under way there";
    });
    me.wait(under_way, nullptr);
  }
  EXPECT_TRUE(me.may_reach_there(1));
  job.finish();
}

TEST(ReachingThere, LooksForAnswersItself) {
  JobForTests job(2, 2, segment_bytes);
  Endpoint& me = job.endpoint(0);
  const long value = 5;
  for (int i = 0; i < 20; ++i) {
    Request* const put = me.put(1, &value, {0, data_offset}, sizeof value, nullptr);
    while (!me.may_reach_there(1)) {
    }
    EXPECT_TRUE(me.is_complete(put));
    me.wait(put, nullptr);
  }
  job.finish();
}

TEST(ReachingThere, IsNotRefusedForPutsWithoutDataAndForCalls) {
  JobForTests job(2, 2, segment_bytes);
  Endpoint& me = job.endpoint(0);
  std::promise<std::shared_ptr<ServiceCall>> called;
  job.node(1).serve(Service::lock,
                    [&](std::shared_ptr<ServiceCall> call) { called.set_value(std::move(call)); });
  job.node(0).begin_call(1, Service::lock, nullptr, 0, [](const std::vector<std::byte>&) {});
  const std::shared_ptr<ServiceCall> call = called.get_future().get();
  EXPECT_TRUE(me.may_reach_there(1));
  Request* put = nullptr;
  while_silent(job, 1, [&] {
    put = me.put(1, nullptr, {}, 0, &reply_word);
    EXPECT_TRUE(me.may_reach_there(1));
  });
  me.wait(put, nullptr);
  call->answer(nullptr, 0);
  job.finish();
}

TEST(ReachingThere, ASleepingRankIsRungAboutItsMemory) {
  JobForTests job(2, 2, segment_bytes, 32767, true);
  job.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      usleep(50000);
      reply_of(job, 1).store(3, std::memory_order_release);
      while (!me.ring_there(1)) {  // the link refuses now and then
      }
    } else {
      me.wait_until([&] { return reply_of(job, 1).load(std::memory_order_acquire) == 3; });
    }
  });
  JobForTests apart(2, 2, segment_bytes);
  EXPECT_FALSE(apart.endpoint(0).ring_there(1)) << "only an envelope gets there";
  apart.finish();
}

TEST(OneSidedDeath, AnAddressOutsideSymmetricMemoryEndsTheJobAndSaysWhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        JobForTests job(1, 2, 128);
        int value = 0;
        job.endpoint(0).put(1, &value, {0, 126}, sizeof value, nullptr);
      },
      testing::ExitedWithCode(1),
      "rank 0: rank 1 has no symmetric memory of 4 bytes at segment 0 offset 126");
}

}  // namespace
}  // namespace taihu::message
