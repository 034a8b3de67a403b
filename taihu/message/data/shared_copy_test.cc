// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/data/shared_copy.h"

#include <gtest/gtest.h>

#include <thread>

#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

TEST(SharedCopy, CopiesEverythingFromEitherEndAlone) {
  for (const std::size_t bytes : {1UL, 8192UL, 8193UL, 100001UL, 5000000UL}) {
    std::vector<std::byte> source(bytes);
    fill_pattern(source.data(), bytes, bytes);
    for (const bool from_front : {true, false}) {
      std::vector<std::byte> target(bytes + 1);
      SharedCopy copy(target.data(), source.data(), bytes);
      from_front ? copy.copy_from_front() : copy.copy_from_back();
      EXPECT_TRUE(has_pattern(target.data(), bytes, bytes));
      EXPECT_EQ(target[bytes], std::byte{0});
    }
  }
}

// Two ranks offer copies to a third, which helps all the time; an offer that meets another is copied alone.
TEST(SharedCopy, OffersOfSeveralThreadsAreAllComplete) {
  constexpr std::size_t bytes = 200000;
  HelpWanted wanted;
  std::atomic<int> offering{2};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<std::byte> source(bytes);
      for (unsigned round = 0; round < 50; ++round) {
        fill_pattern(source.data(), bytes, thread * 1000 + round);
        std::vector<std::byte> target(bytes);
        SharedCopy copy(target.data(), source.data(), bytes);
        wanted.copy(copy);
        ASSERT_TRUE(has_pattern(target.data(), bytes, thread * 1000 + round));
      }
      --offering;
    });
  }
  threads.emplace_back([&] {
    while (offering != 0) wanted.help();
  });
  for (auto& thread : threads) thread.join();
}

// Both send at once, so that each receives while it waits for its own send.
TEST(SharedCopy, RanksThatExchangeLongMessagesHelpEachOther) {
  JobForTests job(1, 2);
  job.run([](Endpoint& me) {
    const int other = 1 - me.rank();
    for (const std::size_t bytes : {65536UL, 65537UL, 1000003UL, 4UL << 20}) {
      for (int round = 0; round < 5; ++round) {
        std::vector<std::byte> out(bytes + 3);
        std::vector<std::byte> in(bytes + 3);
        const auto seed = [&](int rank) { return bytes + static_cast<unsigned>(rank * 100 + round); };
        fill_pattern(out.data() + 3, bytes, seed(me.rank()));
        Request* receive = me.irecv(other, user_context, 0, in.data() + 1, bytes);
        me.send(other, user_context, 0, out.data() + 3, bytes);
        me.wait(receive, nullptr);
        EXPECT_TRUE(has_pattern(in.data() + 1, bytes, seed(other)));
        // One way, the sender waits.
        if (me.rank() == 0) {
          me.send(1, user_context, 1, out.data() + 3, bytes);
        } else {
          me.receive(0, user_context, 1, in.data(), bytes);
          EXPECT_TRUE(has_pattern(in.data(), bytes, seed(0)));
        }
      }
    }
  });
}

}  // namespace
}  // namespace taihu::message
