// SPDX-License-Identifier: Apache-2.0
// What a single call promises, inside a node process and between two.
#include "taihu/message/endpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <thread>

#include "taihu/base/error.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Two ranks; the parameter is the number of node processes.
class TwoRanks : public testing::TestWithParam<int> {
 protected:
  JobForTests job_{GetParam(), 2};
};
INSTANTIATE_TEST_SUITE_P(Processes, TwoRanks, testing::Values(1, 2));

TEST_P(TwoRanks, EverySizeArrivesWholeFromAndToUnalignedBuffers) {
  const std::vector<std::size_t> sizes{0,    1,    7,    8,    40,    41,    63,    64,     65,
                                       1023, 1024, 1025, 4097, 16384, 16385, 65537, 3 << 20};
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : sizes) {
      for (const std::size_t offset : {0, 1, 9}) {
        std::vector<std::byte> data(bytes + 16);
        if (me.rank() == 0) {
          fill_pattern(data.data() + offset, bytes, bytes + offset);
          me.send(1, user_context, 4, data.data() + offset, bytes);
        } else {
          const Status status = me.receive(0, user_context, 4, data.data() + 15 - offset, bytes);
          EXPECT_EQ(status.bytes, bytes);
          EXPECT_TRUE(has_pattern(data.data() + 15 - offset, bytes, bytes + offset)) << bytes;
        }
      }
    }
  });
}

TEST_P(TwoRanks, TruncationFillsTheBufferAndSaysSo) {
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : {9UL, 2000UL, 100000UL}) {
      std::vector<std::byte> data(bytes, std::byte{0xee});
      if (me.rank() == 0) {
        fill_pattern(data.data(), bytes, bytes);
        me.send(1, user_context, 0, data.data(), bytes);
        me.send(1, user_context, 1, data.data(), bytes);
      } else {
        for (const std::size_t capacity : {bytes - 1, std::size_t{0}}) {
          const Status status = me.receive(0, user_context, any_tag, data.data(), capacity);
          EXPECT_EQ(status.error, Error::truncated);
          EXPECT_EQ(status.bytes, bytes);
          EXPECT_TRUE(has_pattern(data.data(), bytes - 1, bytes));
          EXPECT_EQ(data[bytes - 1], std::byte{0xee});
        }
      }
    }
  });
}

TEST_P(TwoRanks, ProbeSeesTheOldestAdmittedMessageAndLeavesIt) {
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      int value = 1;
      me.send(1, user_context, 5, &value, sizeof value);
      std::vector<std::byte> longer(50000);
      me.send(1, user_context, 6, longer.data(), longer.size());
    } else {
      Status status;
      me.wait_until([&] { return me.iprobe(any_rank, user_context, 6, &status); });
      EXPECT_EQ(status.bytes, 50000U);
      EXPECT_EQ(status.source, 0);
      EXPECT_TRUE(me.iprobe(0, user_context, any_tag, &status));
      EXPECT_EQ(status.tag, 5);
      EXPECT_EQ(status.bytes, sizeof(int));
      EXPECT_FALSE(me.iprobe(0, collective_context, any_tag, nullptr));
      EXPECT_FALSE(me.iprobe(1, user_context, any_tag, nullptr));
      std::vector<std::byte> buffer(50000);
      me.receive(0, user_context, 6, buffer.data(), buffer.size());
      me.receive(0, user_context, 5, buffer.data(), buffer.size());
      EXPECT_FALSE(me.iprobe(any_rank, user_context, any_tag, nullptr));
    }
  });
}

TEST_P(TwoRanks, FloodsInBothDirectionsNeverBlock) {
  constexpr int messages = 20000;
  job_.run([&](Endpoint& me) {
    const int other = 1 - me.rank();
    std::vector<int> data(messages);
    std::vector<Request*> sends;
    for (int i = 0; i < messages; ++i) {
      data[static_cast<std::size_t>(i)] = i;
      sends.push_back(me.isend(other, user_context, i % 5, &data[static_cast<std::size_t>(i)], sizeof(int)));
    }
    for (int i = 0; i < messages; ++i) {
      int value = -1;
      me.receive(other, user_context, i % 5, &value, sizeof value);
      EXPECT_EQ(value, i);
    }
    for (Request* send : sends) me.wait(send, nullptr);
  });
}

// 20 MB are on their way to a rank that takes none of them: at most the window of 4 MB and an envelope for
// each of the others may have left the sender.
TEST_P(TwoRanks, AFloodToARankThatComputesStaysBoundedAndCompletesLater) {
  constexpr int messages = 2000;
  constexpr std::size_t bytes = 10000;
  job_.run([&](Endpoint& me) {
    std::vector<std::byte> data(bytes);
    if (me.rank() == 0) {
      fill_pattern(data.data(), bytes, 1);
      std::vector<Request*> sends;
      for (int i = 0; i < messages; ++i) sends.push_back(me.isend(1, user_context, 0, data.data(), bytes));
      for (Request* send : sends) me.wait(send, nullptr);
    } else {
      usleep(100000);
      EXPECT_LT(job_.hub().carried_bytes(), 5U << 20);
      for (int i = 0; i < messages; ++i) {
        std::fill(data.begin(), data.end(), std::byte{0});
        me.receive(0, user_context, 0, data.data(), bytes);
        ASSERT_TRUE(has_pattern(data.data(), bytes, 1));
      }
    }
  });
}

TEST_P(TwoRanks, ASleepingReceiverIsWoken) {
  job_.run([&](Endpoint& me) {
    for (int i = 0; i < 5; ++i) {
      int value = i;
      if (me.rank() == 0) {
        usleep(20000);
        me.send(1, user_context, 0, &value, sizeof value);
      } else {
        me.receive(0, user_context, 0, &value, sizeof value);
        EXPECT_EQ(value, i);
      }
    }
  });
}

TEST_P(TwoRanks, ASleepingSenderIsWoken) {
  std::atomic<bool> received{false};
  job_.run([&](Endpoint& me) {
    std::vector<std::byte> data(200000);
    if (me.rank() == 0) {
      fill_pattern(data.data(), data.size(), 7);
      me.send(1, user_context, 0, {data.data(), data.size()}, SendMode::synchronous);
      EXPECT_TRUE(received) << "the send did not wait for its receiver";
    } else {
      usleep(50000);
      received = true;
      me.receive(0, user_context, 0, data.data(), data.size());
      EXPECT_TRUE(has_pattern(data.data(), data.size(), 7));
    }
  });
}

TEST_P(TwoRanks, SeveralThreadsOfARankMayCall) {
  constexpr int threads = 4;
  constexpr int rounds = 300;
  job_.run([&](Endpoint& me) {
    const int other = 1 - me.rank();
    std::vector<std::thread> helpers;
    for (int thread = 0; thread < threads; ++thread) {
      helpers.emplace_back([&me, other, thread] {
        for (int i = 0; i < rounds; ++i) {
          Bytes data(i % 7 == 0 ? 5000 : 20);
          Bytes got(data.size());
          fill_pattern(data.data(), data.size(), static_cast<unsigned>(thread * rounds + i));
          Request* receive = me.irecv(other, user_context, thread, got.data(), got.size());
          me.send(other, user_context, thread, data.data(), data.size());
          me.wait(receive, nullptr);
          EXPECT_EQ(data, got);
        }
      });
    }
    for (auto& helper : helpers) helper.join();
  });
}

TEST_P(TwoRanks, TestTurnsTrueOnlyWhenTheMessageIsThere) {
  job_.run([&](Endpoint& me) {
    int value = 7;
    if (me.rank() == 0) {
      int go = 0;
      me.receive(1, user_context, 1, &go, sizeof go);
      me.send(1, user_context, 2, &value, sizeof value);
    } else {
      int got = 0;
      Request* receive = me.irecv(0, user_context, 2, &got, sizeof got);
      EXPECT_FALSE(me.test(receive, nullptr));
      me.send(0, user_context, 1, &value, sizeof value);
      Status status;
      while (!me.test(receive, &status)) {
      }
      EXPECT_EQ(got, 7);
      EXPECT_EQ(status.source, 0);
    }
  });
}

TEST(OneRank, SendsToItself) {
  JobForTests job(1, 1);
  job.run([](Endpoint& me) {
    for (const std::size_t bytes : {0UL, 4UL, 1000UL, 100000UL}) {
      Bytes data(bytes);
      Bytes got(bytes);
      fill_pattern(data.data(), bytes, 3);
      Request* send = me.isend(0, user_context, 1, data.data(), bytes);
      EXPECT_EQ(me.receive(any_rank, user_context, any_tag, got.data(), bytes).source, 0);
      me.wait(send, nullptr);
      EXPECT_EQ(data, got);
      Request* receive = me.irecv(0, user_context, 1, got.data(), bytes);
      me.send(0, user_context, 1, data.data(), bytes);
      me.wait(receive, nullptr);
    }
  });
}

// Messages that find their receive go past the ring, others wait in it: in any mixture they keep to the
// rules.
TEST(OneRank, MatchesItsMessagesByTheRules) {
  JobForTests job(1, 1);
  job.run([](Endpoint& me) {
    struct Sent {
      int tag;
      Bytes data;
      Request* request;
    };
    struct Posted {
      int tag;
      Bytes got;
      Request* request;
      std::optional<std::size_t> message;
    };
    std::mt19937 random(5);
    const auto pick = [&](unsigned below) { return static_cast<int>(random() % below); };
    std::deque<Sent> sent;
    std::deque<Posted> posted;
    std::vector<bool> is_taken;
    const auto admits = [](int wanted, int tag) { return wanted == any_tag || wanted == tag; };
    const auto send = [&] {
      const std::size_t bytes[] = {0, 5, 700, 5000, 70000};
      sent.push_back({pick(3), Bytes(bytes[pick(5)]), nullptr});
      is_taken.push_back(false);
      Sent& message = sent.back();
      fill_pattern(message.data.data(), message.data.size(), static_cast<unsigned>(sent.size()));
      for (Posted& receive : posted) {
        if (receive.message || !admits(receive.tag, message.tag)) continue;
        receive.message = sent.size() - 1;
        is_taken.back() = true;
        break;
      }
      const auto mode = pick(2) == 0 ? SendMode::standard : SendMode::synchronous;
      if (is_taken.back() && pick(2) == 0)
        me.send(0, user_context, message.tag, {message.data.data(), message.data.size()}, mode);
      else
        message.request =
            me.isend(0, user_context, message.tag, {message.data.data(), message.data.size()}, mode);
    };
    const auto receive = [&](int tag) {
      posted.push_back({tag, Bytes(70000), nullptr, std::nullopt});
      Posted& one = posted.back();
      for (std::size_t k = 0; k < sent.size() && !one.message; ++k) {
        if (is_taken[k] || !admits(tag, sent[k].tag)) continue;
        one.message = k;
        is_taken[k] = true;
      }
      one.request = me.irecv(pick(2) == 0 ? 0 : any_rank, user_context, tag, one.got.data(), one.got.size());
    };
    for (int call = 0; call < 600; ++call) {
      pick(2) == 0 ? send() : receive(pick(4) == 0 ? any_tag : pick(3));
      if (pick(10) == 0) me.progress();
    }
    while (std::ranges::count(is_taken, false) != 0) receive(any_tag);
    for (Sent& message : sent)
      if (message.request != nullptr) me.wait(message.request, nullptr);
    for (Posted& one : posted) {
      if (!one.message) {
        me.cancel(one.request);
        me.wait(one.request, nullptr);
        continue;
      }
      Status status;
      me.wait(one.request, &status);
      const Sent& message = sent[*one.message];
      EXPECT_EQ(status.source, 0);
      EXPECT_EQ(status.tag, message.tag);
      ASSERT_EQ(status.bytes, message.data.size());
      EXPECT_TRUE(std::equal(message.data.begin(), message.data.end(), one.got.begin()));
    }
  });
}

TEST(OneRank, ReceivesItsFloodInOrder) {
  JobForTests job(1, 1);
  job.run([](Endpoint& me) {
    std::vector<int> values(5000);
    std::vector<Request*> sends;
    for (int i = 0; i < 5000; ++i) {
      values[static_cast<std::size_t>(i)] = i;
      sends.push_back(me.isend(0, user_context, 0, &values[static_cast<std::size_t>(i)], sizeof(int)));
    }
    for (int i = 0; i < 5000; ++i) {
      int got = -1;
      me.receive(0, user_context, 0, &got, sizeof got);
      ASSERT_EQ(got, i);
    }
    for (Request* send : sends) me.wait(send, nullptr);
  });
}

// All ranks to one, so many that their channels go silent and are taken up again.
TEST(ManyRanks, SilentChannelsAreTakenUpAgain) {
  constexpr int ranks = 20;
  JobForTests job(1, ranks);
  job.run([](Endpoint& me) {
    for (int round = 0; round < 3; ++round) {
      int token = 100 * round + me.rank();
      if (me.rank() != 0) {
        me.send(0, user_context, round, &token, sizeof token);
        me.receive(0, user_context, round, &token, sizeof token);
        EXPECT_EQ(token, -100 * round - me.rank());
        continue;
      }
      std::vector<int> came, expected;
      for (int i = 1; i < ranks; ++i) {
        me.receive(any_rank, user_context, round, &token, sizeof token);
        came.push_back(token);
        expected.push_back(100 * round + i);
      }
      std::sort(came.begin(), came.end());
      EXPECT_EQ(came, expected);
      for (int i = 0; i < 5000; ++i) me.progress();
      for (int i = 1; i < ranks; ++i) {
        token = -100 * round - i;
        me.send(i, user_context, round, &token, sizeof token);
      }
    }
  });
}

TEST(JobForTestsDeathTest, ARankThatFailsEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail_in_one_rank = [] {
    JobForTests(1, 2).run([](Endpoint& me) {
      if (me.rank() == 1) FAIL();
      int value = 0;
      me.receive(1, user_context, 0, &value, sizeof value);
    });
  };
  EXPECT_EXIT(fail_in_one_rank(), testing::ExitedWithCode(1), "a member has failed");
}

TEST(NodeCreate, RefusesALayoutOfAnotherJob) {
  EXPECT_THROW(Node::create(layout_for_tests(4, 2), nullptr, nullptr), taihu::Error);
}

}  // namespace
}  // namespace taihu::message
