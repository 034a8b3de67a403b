// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

int number_in(const std::vector<std::byte>& bytes) {
  int number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

class Services : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Processes, Services, testing::Values(1, 2, 3));

TEST_P(Services, AnswerWithTheHandlersBytesOfAnySize) {
  JobForTests job(GetParam(), 6);
  for (int process = 0; process < GetParam(); ++process) {
    job.node(process).serve(Service::task, [process](std::shared_ptr<ServiceCall> call) {
      std::vector<std::byte> answer = call->arguments();
      for (auto& byte : answer) byte ^= static_cast<std::byte>(process + 1);
      call->answer(answer.data(), answer.size());
    });
  }
  job.run([&](Endpoint& me) {
    for (int process = 0; process < GetParam(); ++process) {
      for (const std::size_t bytes : {0UL, 1UL, 100UL, 16384UL, 16385UL, 200000UL}) {
        std::vector<std::byte> question(bytes);
        fill_pattern(question.data(), bytes, static_cast<unsigned>(me.rank()));
        std::vector<std::byte> answer = me.node().call(process, Service::task, question.data(), bytes);
        for (auto& byte : answer) byte ^= static_cast<std::byte>(process + 1);
        EXPECT_EQ(answer, question);
      }
    }
  });
}

// A lock: calls wait in a queue until the holder calls again, so answers come later and from other threads.
struct LockService {
  std::mutex guard;
  bool held = false;
  std::deque<std::shared_ptr<ServiceCall>> waiting;

  void handle(std::shared_ptr<ServiceCall> call) {
    std::shared_ptr<ServiceCall> granted;
    const bool take = number_in(call->arguments()) == 1;
    {
      std::lock_guard hold(guard);
      if (take && held) {
        waiting.push_back(std::move(call));
        return;
      }
      held = take || !waiting.empty();
      if (!take && held) {
        granted = std::move(waiting.front());
        waiting.pop_front();
      }
    }
    call->answer(nullptr, 0);
    if (granted) granted->answer(nullptr, 0);
  }
};

TEST_P(Services, MayAnswerLater) {
  JobForTests job(GetParam(), 7);
  LockService lock;
  job.node(0).serve(Service::lock, [&](std::shared_ptr<ServiceCall> call) { lock.handle(std::move(call)); });
  int shared = 0;  // guarded by the service
  job.run([&](Endpoint& me) {
    const int take = 1;
    const int release = 0;
    for (int i = 0; i < 50; ++i) {
      me.node().call(0, Service::lock, &take, sizeof take);
      const int before = shared;
      sched_yield();
      shared = before + 1;
      me.node().call(0, Service::lock, &release, sizeof release);
    }
  });
  EXPECT_EQ(shared, 350);
}

// A handler on process 0 that must ask the last process first.
TEST_P(Services, HandlersMayAskOtherProcesses) {
  JobForTests job(GetParam(), 3);
  const int last = GetParam() - 1;
  job.node(last).serve(Service::lock, [](std::shared_ptr<ServiceCall> call) {
    const int answer = number_in(call->arguments()) * 2;
    call->answer(&answer, sizeof answer);
  });
  Node& first = job.node(0);
  first.serve(Service::task, [&first, last](std::shared_ptr<ServiceCall> call) {
    const int question = number_in(call->arguments()) + 1;
    first.begin_call(last, Service::lock, &question, sizeof question,
                     [call](std::vector<std::byte> answer) { call->answer(answer.data(), answer.size()); });
  });
  job.run([&](Endpoint& me) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(number_in(me.node().call(0, Service::task, &i, sizeof i)), 2 * (i + 1));
    }
  });
}

TEST_P(Services, CallsThatComeBeforeTheHandlerWaitForIt) {
  JobForTests job(GetParam(), 3);
  std::thread late([&] {
    usleep(30000);
    job.node(0).serve(Service::task, [](std::shared_ptr<ServiceCall> call) { call->answer("x", 1); });
  });
  job.run([&](Endpoint& me) { EXPECT_EQ(me.node().call(0, Service::task, nullptr, 0).size(), 1U); });
  late.join();
}

// A rank that waits for an answer still receives: the other one's long send must complete first.
TEST_P(Services, ACallerServesItsMessagesMeanwhile) {
  JobForTests job(GetParam(), 3);
  std::shared_ptr<ServiceCall> kept;
  std::mutex guard;
  job.node(0).serve(Service::task, [&](std::shared_ptr<ServiceCall> call) {
    {
      std::lock_guard hold(guard);
      kept = std::move(call);
    }
    job.endpoint(0).doorbell().ring();  // the progress thread may be the one that reads the call
  });
  job.run([&](Endpoint& me) {
    std::vector<std::byte> data(100000);
    if (me.rank() == 0) {
      me.send(1, user_context, 0, data.data(), data.size());
      me.wait_until([&] {
        std::lock_guard hold(guard);
        return kept != nullptr;
      });
      kept->answer(nullptr, 0);
    } else if (me.rank() == 1) {
      Request* receive = me.irecv(0, user_context, 0, data.data(), data.size());
      me.node().call(0, Service::task, nullptr, 0);
      me.wait(receive, nullptr);
    }
  });
}

TEST_P(Services, NodeProcessesExchangeTextsAndMeet) {
  JobForTests job(GetParam(), 3);
  std::vector<std::thread> processes;
  for (int process = 0; process < GetParam(); ++process) {
    processes.emplace_back([&job, process] {
      const auto all = job.node(process).allgather(std::string(static_cast<std::size_t>(process), 'x'));
      ASSERT_EQ(all.size(), static_cast<std::size_t>(GetParam()));
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].size(), i);
      job.node(process).barrier();
    });
  }
  for (auto& process : processes) process.join();
  job.finish();
}

}  // namespace
}  // namespace taihu::message
