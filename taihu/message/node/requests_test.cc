// SPDX-License-Identifier: Apache-2.0
// Synchronous sends, matched probes, cancelled transfers, 64-bit contexts, several waiting threads, and work
// in the background of waits; inside a node process and between two.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Two ranks; the parameter is the number of node processes.
class Requests : public testing::TestWithParam<int> {
 protected:
  JobForTests job_{GetParam(), 2};
};
INSTANTIATE_TEST_SUITE_P(Processes, Requests, testing::Values(1, 2));

const std::vector<std::size_t> request_sizes{0, 8, 2000, 100000};

TEST_P(Requests, ASynchronousSendWaitsForItsReceive) {
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : request_sizes) {
      std::vector<std::byte> data(bytes);
      if (me.rank() == 0) {
        fill_pattern(data.data(), bytes, bytes);
        Request* send = me.isend(1, user_context, 1, {data.data(), bytes}, SendMode::synchronous);
        signal(me);
        await_signal(me);  // it is known there, and not received
        for (int i = 0; i < 1000; ++i) EXPECT_FALSE(me.is_complete(send));
        signal(me);
        me.wait(send, nullptr);
      } else {
        await_signal(me);
        Status status;
        me.wait_until([&] { return me.iprobe(0, user_context, 1, &status); });
        EXPECT_EQ(status.bytes, bytes);
        signal(me);
        await_signal(me);
        me.receive(0, user_context, 1, data.data(), bytes);
        EXPECT_TRUE(has_pattern(data.data(), bytes, bytes));
      }
    }
  });
}

TEST_P(Requests, ASynchronousSendTakenByAMatchedProbeWaitsForItsReceive) {
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : request_sizes) {
      std::vector<std::byte> data(bytes);
      if (me.rank() == 0) {
        Request* send = me.isend(1, user_context, 1, {data.data(), bytes}, SendMode::synchronous);
        await_signal(me);
        for (int i = 0; i < 1000; ++i) EXPECT_FALSE(me.is_complete(send));
        signal(me);
        me.wait(send, nullptr);
      } else {
        Message* message = nullptr;
        me.wait_until([&] { return (message = me.improbe(any_rank, user_context, 1, nullptr)) != nullptr; });
        signal(me);
        await_signal(me);
        me.wait(me.imrecv(message, {data.data(), bytes}), nullptr);
      }
    }
  });
}

TEST_P(Requests, BlockingSynchronousSends) {
  std::atomic<int> receives_begun{0};
  int sent = 0;  // by rank 0
  job_.run([&](Endpoint& me) {
    for (const std::size_t bytes : request_sizes) {
      std::vector<std::byte> data(bytes);
      if (me.rank() == 0) {
        fill_pattern(data.data(), bytes, bytes);
        me.send(1, user_context, 1, {data.data(), bytes}, SendMode::synchronous);
        EXPECT_GE(receives_begun.load(), ++sent)
            << "the send of " << bytes << " bytes did not wait for its receive";
        me.receive(1, user_context, 2, nullptr, 0);
      } else {
        usleep(1000);
        ++receives_begun;
        me.receive(0, user_context, 1, data.data(), bytes);
        EXPECT_TRUE(has_pattern(data.data(), bytes, bytes));
        me.send(0, user_context, 2, nullptr, 0);
      }
    }
  });
}

TEST_P(Requests, AMatchedProbeTakesTheMessageFromAllOthers) {
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      for (int value : {1, 2, 3}) me.send(1, user_context, value, &value, sizeof value);
      return;
    }
    Status status;
    Message* first = nullptr;
    me.wait_until([&] { return (first = me.improbe(any_rank, user_context, any_tag, &status)) != nullptr; });
    EXPECT_EQ(status.tag, 1);
    EXPECT_EQ(status.source, 0);
    EXPECT_EQ(status.bytes, sizeof(int));
    int value = 0;
    EXPECT_EQ(me.receive(0, user_context, any_tag, &value, sizeof value).tag, 2);
    EXPECT_EQ(value, 2);
    me.wait_until([&] { return me.iprobe(0, user_context, 3, nullptr); });
    EXPECT_EQ(me.improbe(0, user_context, 1, nullptr), nullptr);
    Request* receive = me.imrecv(first, {&value, sizeof value});
    me.wait(receive, &status);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(status.tag, 1);
    me.receive(0, user_context, 3, &value, sizeof value);
  });
}

TEST_P(Requests, ACancelledReceiveTakesNoMessage) {
  job_.run([&](Endpoint& me) {
    int value = 5;
    if (me.rank() == 0) {
      await_signal(me);
      me.send(1, user_context, 1, &value, sizeof value);
      return;
    }
    int wrong = 0;
    for (const int source : {0, any_rank}) {
      Request* first = me.irecv(source, user_context, 1, &wrong, sizeof wrong);
      Request* second = me.irecv(source, user_context, any_tag, &wrong, sizeof wrong);
      Status status;
      for (Request* receive : {first, second}) {
        EXPECT_FALSE(me.test(receive, nullptr));
        me.cancel(receive);
        EXPECT_TRUE(me.is_complete(receive));
        EXPECT_TRUE(me.status_of(receive).cancelled);
        me.wait(receive, &status);
        EXPECT_TRUE(status.cancelled);
      }
    }
    signal(me);
    Request* received = me.irecv(0, user_context, 1, &value, sizeof value);
    while (!me.is_complete(received)) {
    }
    me.cancel(received);
    EXPECT_FALSE(me.status_of(received).cancelled);
    Status status;
    me.wait(received, &status);
    EXPECT_FALSE(status.cancelled);
    EXPECT_EQ(status.bytes, sizeof value);
    EXPECT_EQ(value, 5);
    EXPECT_EQ(wrong, 0);
  });
}

// A receive is cancelled while its message is on the way: it gets the message or leaves it for the next one.
TEST_P(Requests, CancelledReceivesRaceWithTheirMessages) {
  constexpr int messages = 1000;
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      for (int i = 0; i < messages; ++i) me.send(1, user_context, 0, &i, sizeof i);
      return;
    }
    for (int next = 0; next < messages;) {
      int value = -1;
      Request* receive = me.irecv(0, user_context, 0, &value, sizeof value);
      if (next % 3 == 0) me.test(nullptr, nullptr);
      me.cancel(receive);
      Status status;
      me.wait(receive, &status);
      if (status.cancelled) {
        EXPECT_EQ(value, -1);
        me.progress();
      } else {
        ASSERT_EQ(value, next++);
      }
    }
  });
}

TEST_P(Requests, ContextsDifferInAllTheirBits) {
  const std::vector<Context> contexts{
      0, 1, Context{1} << 32, Context{1} << 63, (Context{1} << 32) + 1, ~Context{0}};
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      for (const Context context : contexts) {
        std::vector<Context> data(500, context);  // announced
        me.send(1, context, 7, &context, sizeof context);
        me.send(1, context, 8, data.data(), data.size() * sizeof context);
      }
    } else {
      for (std::size_t i = contexts.size(); i-- > 0;) {
        Context got = 3;
        me.receive(any_rank, contexts[i], 7, &got, sizeof got);
        EXPECT_EQ(got, contexts[i]);
        std::vector<Context> data(500);
        me.receive(0, contexts[i], 8, data.data(), data.size() * sizeof got);
        EXPECT_EQ(data, std::vector<Context>(500, contexts[i]));
      }
    }
  });
}

TEST_P(Requests, BlockingCallsOfSeveralThreads) {
  constexpr int threads = 3;
  constexpr int rounds = 200;
  job_.run([&](Endpoint& me) {
    const int other = 1 - me.rank();
    std::vector<std::thread> helpers;
    for (int thread = 0; thread < threads; ++thread) {
      helpers.emplace_back([&me, other, thread] {
        for (int i = 0; i < rounds; ++i) {
          const std::size_t bytes = i % 10 == 0 ? 100000 : i % 3 == 0 ? 3000 : 20;
          const auto mode = i % 4 == 0 ? SendMode::synchronous : SendMode::standard;
          std::vector<std::byte> data(bytes);
          if ((me.rank() + thread) % 2 == 0) {
            fill_pattern(data.data(), bytes, static_cast<unsigned>(thread * rounds + i));
            me.send(other, user_context, thread, Data{data.data(), bytes}, mode);
          } else {
            Status status;
            me.receive(i % 2 == 0 ? any_rank : other, user_context, thread, Space{data.data(), bytes},
                       &status);
            EXPECT_EQ(status.bytes, bytes);
            EXPECT_TRUE(has_pattern(data.data(), bytes, static_cast<unsigned>(thread * rounds + i)));
          }
        }
      });
    }
    for (auto& helper : helpers) helper.join();
  });
}

// One thread sits in a receive that is answered last; the other one's traffic goes on meanwhile.
TEST_P(Requests, AThreadThatWaitsForLongDoesNotHoldUpAnother) {
  job_.run([&](Endpoint& me) {
    std::thread waiting([&] { await_signal(me, 50); });
    for (int i = 0; i < 300; ++i) {
      if (i % 100 == 99) usleep(3000);
      if (me.rank() == 0) {
        me.send(1, user_context, 0, &i, sizeof i);
        await_signal(me);
      } else {
        int value = -1;
        me.receive(0, user_context, 0, &value, sizeof value);
        EXPECT_EQ(value, i);
        signal(me);
      }
    }
    signal(me, 50);
    waiting.join();
  });
}

/// Passes a token on that a receive of its own has got, `laps` times in all.
class TokenPasser final : public Background {
 public:
  TokenPasser(Endpoint& me, int laps) : me_(me), laps_(laps) {
    if (me.rank() == 0) send();
    receive();
  }
  void progress() override {
    EXPECT_FALSE(inside_.exchange(true));
    me_.progress();  // must not come here again
    if (receive_ != nullptr && me_.test(receive_, nullptr)) {
      receive_ = nullptr;
      if (++received_ <= laps_) send();
      if (received_ < laps_) receive();
    }
    inside_ = false;
  }
  bool is_done() const { return received_ >= laps_; }

 private:
  void send() { me_.test(me_.isend(1 - me_.rank(), collective_context, 0, nullptr, 0), nullptr); }
  void receive() { receive_ = me_.irecv(1 - me_.rank(), collective_context, 0, nullptr, 0); }

  Endpoint& me_;
  const int laps_;
  Request* receive_ = nullptr;
  std::atomic<int> received_{0};
  std::atomic<bool> inside_{false};
};

TEST_P(Requests, BackgroundWorkGoesOnInEveryKindOfWait) {
  job_.run([&](Endpoint& me) {
    for (int kind = 0; kind < 4; ++kind) {
      TokenPasser passer(me, 20);
      me.set_background(&passer);
      // Rank 1 sits in a wait that ends only when rank 0 has seen all tokens.
      std::vector<std::byte> data(100000);
      if (me.rank() == 0) {
        me.wait_until([&] { return passer.is_done(); });
        if (kind == 1) {
          me.receive(1, user_context, 1, data.data(), data.size());
        } else {
          signal(me);
        }
      } else if (kind == 0) {
        await_signal(me);
      } else if (kind == 1) {
        me.send(0, user_context, 1, data.data(), data.size());
      } else if (kind == 2) {
        me.wait(me.irecv(0, user_context, 99, nullptr, 0), nullptr);
      } else {
        Request* request = me.irecv(0, user_context, 99, nullptr, 0);
        while (!me.is_complete(request)) me.progress();
        me.wait(request, nullptr);
      }
      me.wait_until([&] { return passer.is_done(); });
      me.set_background(nullptr);
    }
  });
}

// Middle sizes do not wait for their receives for ever, as in other MPI libraries.
TEST(Unsafe, ProgramsThatSendBeforeTheyReceiveComplete) {
  JobForTests job(1, 2);
  job.run([&](Endpoint& me) {
    for (const std::size_t bytes : {1000UL, 4096UL, 60000UL}) {
      std::vector<std::byte> out(bytes);
      std::vector<std::byte> in(bytes);
      fill_pattern(out.data(), bytes, bytes);
      me.send(1 - me.rank(), user_context, 0, out.data(), bytes);
      me.receive(1 - me.rank(), user_context, 0, in.data(), bytes);
      EXPECT_EQ(out, in);
    }
  });
}

}  // namespace
}  // namespace taihu::message
