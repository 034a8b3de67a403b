// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/rank_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/sanitizers.h"

namespace taihu::launch {
namespace {

/// The thread sanitizer of GCC 12 drops a signal that it hands to a thread which has not started yet.
#if TAIHU_THREAD_SANITIZER
constexpr bool signals_can_get_lost = true;
#else
constexpr bool signals_can_get_lost = false;
#endif

using Body = std::function<int(memory::RankIdentity&)>;

int run(int ranks, const Body& body, std::size_t stack_bytes = 1 << 20,
        std::span<const RankBinding> binding = {}) {
  std::vector<memory::RankIdentity> identities(ranks);
  for (int i = 0; i < ranks; ++i) identities[i] = {100 + i, i, nullptr};
  RankThreadSettings settings;
  settings.host = "here";
  settings.stack_bytes = stack_bytes;
  settings.binding = binding;
  settings.abort_job = [](int code) { _exit(code); };
  return run_ranks(settings, identities, body);
}

[[noreturn]] void wait_forever() {
  while (true) pause();
}

/// Rank 101 does `deed`. The others wait without end: only the end of the job ends them.
Body one_of(const std::function<int()>& deed) {
  return [deed](memory::RankIdentity& self) -> int {
    if (self.local_index != 1) wait_forever();
    return deed();
  };
}

TEST(RunRanks, all_ranks_run_and_know_who_they_are) {
  for (int ranks : {1, 2, 7, 256}) {
    std::atomic<int> sum{0};
    EXPECT_EQ(run(ranks,
                  [&](memory::RankIdentity& self) {
                    EXPECT_EQ(memory::current_rank(), &self);
                    sum += self.rank;
                    return 0;
                  }),
              0);
    EXPECT_EQ(sum, 100 * ranks + ranks * (ranks - 1) / 2);
    EXPECT_EQ(memory::current_rank(), nullptr);
  }
}

TEST(RunRanks, stack_has_the_size_asked_for) {
  run(
      2,
      [](memory::RankIdentity&) {
        pthread_attr_t attributes;
        pthread_getattr_np(pthread_self(), &attributes);
        std::size_t bytes = 0;
        pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
        EXPECT_GE(bytes, std::size_t{32} << 20);
        return 0;
      },
      32 << 20);
}

TEST(RunRanks, ranks_are_bound) {
  const topology::CpuSet all = topology::allowed_cpus();
  std::vector<RankBinding> binding(3);
  binding[0].cpus = topology::CpuSet({all.cpus().front()});
  binding[1].cpus = topology::CpuSet({all.cpus().back()});
  run(
      3,
      [&](memory::RankIdentity& self) {
        const auto& wanted = binding[self.local_index].cpus;
        EXPECT_EQ(topology::allowed_cpus(), wanted.empty() ? all : wanted);
        return 0;
      },
      1 << 20, binding);
}

TEST(RunRanks, an_impossible_stack_is_a_clean_error) {
  std::atomic<int> started{0};
  EXPECT_THROW(run(3, [&](memory::RankIdentity&) { return ++started, 0; }, std::size_t{1} << 60), Error);
  EXPECT_EQ(started, 0);
}

/// What a thread inherits from the one that makes it.
struct Inherited {
  topology::CpuSet cpus = topology::allowed_cpus();
  bool blocks_usr1 = [] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, SIGUSR1) == 1;
  }();
};

TEST(RunRanks, late_ranks_start_while_others_run) {
  const topology::CpuSet all = topology::allowed_cpus();
  std::vector<RankBinding> binding(1);
  binding[0].cpus = topology::CpuSet({all.cpus().front()});
  std::vector<memory::RankIdentity> identities(4);
  for (int i = 0; i < 4; ++i) identities[i] = {100 + i, i, nullptr};
  RankThreadSettings settings;
  settings.stack_bytes = 1 << 20;
  settings.binding = binding;
  LateRanks late;
  std::atomic<int> sum{0}, refused{0};
  const auto refuse = [&](const std::string&) { ++refused; };
  const Body body = [&](memory::RankIdentity& self) {
    EXPECT_EQ(memory::current_rank(), &self);
    if (self.local_index == 0) {
      sigset_t signals;
      sigemptyset(&signals);
      sigaddset(&signals, SIGUSR1);
      pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    } else {
      const Inherited mine;
      EXPECT_EQ(mine.cpus, all);
      EXPECT_FALSE(mine.blocks_usr1);
    }
    sum += self.rank;
    // Each starts the next one and ends; the last but one says that there will be no more.
    if (self.local_index < 3) late.start(identities[self.local_index + 1], refuse, {});
    if (self.local_index == 2) late.close();
    return 0;
  };
  EXPECT_EQ(run_ranks(settings, std::span(identities).first(1), body, &late), 0);
  EXPECT_EQ(sum, 100 + 101 + 102 + 103);
  EXPECT_EQ(refused, 0);
}

TEST(RunRanks, a_late_rank_that_has_ended_leaves_its_identity_to_another) {
  constexpr int turns = 50;
  std::vector<memory::RankIdentity> identities(2);
  for (int i = 0; i < 2; ++i) identities[i] = {100 + i, i, nullptr};
  RankThreadSettings settings;
  settings.stack_bytes = 1 << 20;
  LateRanks late;
  std::atomic<int> started{0}, ended{0};
  const Body body = [&](memory::RankIdentity& self) {
    if (self.local_index == 1) return ++started, 0;
    for (int turn = 0; turn < turns; ++turn) {
      late.start(identities[1], [](const std::string&) {}, [&] { ++ended; });
      while (ended == turn) std::this_thread::yield();
      EXPECT_EQ(started, turn + 1);
      EXPECT_EQ(memory::current_rank(), &self);
    }
    late.close();
    return 0;
  };
  EXPECT_EQ(run_ranks(settings, std::span(identities).first(1), body, &late), 0);
  EXPECT_EQ(started, turns);
}

TEST(RunRanksDeathTest, early_end_with_zero_lets_the_others_go_on) {
  EXPECT_EXIT(
      {
        std::atomic<int> ended{0};
        const int code = run(4, [&](memory::RankIdentity& self) {
          if (self.local_index == 3)
            while (ended < 3) std::this_thread::yield();
          return ++ended, 0;
        });
        _exit(code == 0 && ended == 4 ? 50 : 51);
      },
      testing::ExitedWithCode(50), "");
}

TEST(RunRanksDeathTest, exit_code_of_a_rank_ends_the_job) {
  EXPECT_EXIT(run(3, one_of([] { return 7; })), testing::ExitedWithCode(7),
              "taihu: rank 101 ended with exit code 7; ending the job");
  EXPECT_EXIT(run(3, one_of([] { return 256; })), testing::ExitedWithCode(1), "exit code 256");
  EXPECT_EXIT(run(3, one_of([] { return -1; })), testing::ExitedWithCode(255), "exit code -1");
}

TEST(RunRanksDeathTest, crash_is_reported_with_rank_and_signal) {
  const auto crash = [](int signal) {
    run(3, one_of([signal] {
          std::raise(signal);
          return 0;
        }));
  };
  EXPECT_EXIT(crash(SIGABRT), testing::ExitedWithCode(128 + SIGABRT),
              "taihu: rank 101 on here: abort .SIGABRT.");
  EXPECT_EXIT(crash(SIGFPE), testing::ExitedWithCode(128 + SIGFPE),
              "rank 101 on here: arithmetic error .SIGFPE. sent by");
  EXPECT_EXIT(crash(SIGILL), testing::ExitedWithCode(128 + SIGILL), "SIGILL");
  EXPECT_EXIT(crash(SIGBUS), testing::ExitedWithCode(128 + SIGBUS), "SIGBUS");
  EXPECT_EXIT(crash(SIGTRAP), testing::ExitedWithCode(128 + SIGTRAP), "SIGTRAP");
}

TEST(RunRanksDeathTest, fault_address_and_call_stack) {
  EXPECT_EXIT(run(2, one_of([] {
                    *reinterpret_cast<volatile int*>(0x1230) = 1;
                    return 0;
                  })),
              testing::ExitedWithCode(128 + SIGSEGV),
              "segmentation fault .SIGSEGV. at address 0x1230\n  #0 .*taihu_launch_test");
}

int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : recurse(depth - 1) + frame[0];
}

TEST(RunRanksDeathTest, stack_overflow_is_named) {
  if (TAIHU_ADDRESS_SANITIZER || TAIHU_THREAD_SANITIZER)
    GTEST_SKIP() << "the sanitizer's runtime moves stacks";
  EXPECT_EXIT(run(2, one_of([] { return recurse(1 << 24); })), testing::ExitedWithCode(128 + SIGSEGV),
              "stack overflow .its stack has 1024 KiB; set TAIHU_STACK_SIZE");
}

TEST(RunRanksDeathTest, exception_that_leaves_a_rank) {
  EXPECT_EXIT(run(2, one_of([]() -> int { throw std::runtime_error("from the rank"); })),
              testing::ExitedWithCode(128 + SIGABRT), "from the rank(.|\n)*rank 101 on here: abort");
}

TEST(RunRanksDeathTest, crash_of_a_thread_that_a_rank_started) {
  EXPECT_EXIT(run(2, one_of([] {
                    std::thread([rank = memory::current_rank()] {
                      memory::set_current_rank(rank);
                      std::abort();
                    }).join();
                    return 0;
                  })),
              testing::ExitedWithCode(128 + SIGABRT), "rank 101 on here: abort");
}

TEST(RunRanksDeathTest, only_the_first_of_many_crashes_reports) {
  EXPECT_EXIT(
      {
        std::vector<memory::RankIdentity> identities(8);
        RankThreadSettings settings;
        settings.stack_bytes = 1 << 20;
        settings.abort_job = [](int code) {
          usleep(50'000);
          _exit(code);
        };
        run_ranks(settings, identities, [](memory::RankIdentity&) -> int { std::abort(); });
      },
      testing::ExitedWithCode(134), "^[^\n]*abort .SIGABRT.\n(  [^\n]*\n)*$");
}

TEST(RunRanksDeathTest, terminate_ends_quickly) {
  const auto start = now_ns();
  EXPECT_EXIT(run(3, one_of([]() -> int {
                    kill(getpid(), SIGTERM);
                    if (!signals_can_get_lost) wait_forever();
                    while (true) {
                      usleep(100'000);
                      kill(getpid(), SIGTERM);
                    }
                  })),
              testing::ExitedWithCode(143), "");
  EXPECT_LT(now_ns() - start, 2'500'000'000);
}

TEST(RunRanksDeathTest, a_hanging_abort_does_not_keep_the_job) {
  EXPECT_EXIT(
      {
        std::vector<memory::RankIdentity> identities(1);
        RankThreadSettings settings;
        settings.stack_bytes = 1 << 20;
        settings.abort_job = [](int) { wait_forever(); };
        run_ranks(settings, identities, [](memory::RankIdentity&) { return 9; });
      },
      testing::ExitedWithCode(9), "");
}

}  // namespace
}  // namespace taihu::launch
