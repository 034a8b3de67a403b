// SPDX-License-Identifier: Apache-2.0
// Accelerator threads as contexts: each keeps what is a thread's own, and none is stopped by another one that
// computes, blocks in the system or waits in a loop.
#include "taihu/threads/crew.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <set>
#include <stdexcept>
#include <vector>

#include "taihu/base/random.h"
#include "taihu/threads/context_switch.h"
#include "taihu/threads/lock_table.h"
#include "taihu/threads/on_threads_for_tests.h"
#include "taihu/threads/thread_array.h"

namespace taihu::threads {
namespace {

constexpr int cores = 2;

ArrayOptions contexts(int size, int on_cores = cores) {
  ArrayOptions options;
  options.size = size;
  options.cores = on_cores;
  options.shares_cpus = true;
  return options;
}

thread_local int own_number = -1;

ArrayBarrier& barrier() {
  return current_member()->array->barrier();
}

class Contexts : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    set_wait_policy({0, 20});
    if (!can_switch_contexts()) GTEST_SKIP() << "threads of the system are used here";
  }
};

TEST_P(Contexts, RunOnAsManyThreadsOfTheSystemAsThereAreCores) {
  const int members = GetParam();
  ThreadArray array(contexts(members));
  struct Seen {
    std::vector<long> carriers;
    std::vector<int> calls;
  } seen;
  seen.carriers.resize(static_cast<std::size_t>(members));
  seen.calls.resize(static_cast<std::size_t>(members));
  for (int round = 0; round < 200; ++round) {
    array.run(
        [](void* argument) {
          auto& here = *static_cast<Seen*>(argument);
          const auto me = static_cast<std::size_t>(current_member()->index);
          here.carriers[me] = syscall(SYS_gettid);
          ++here.calls[me];
        },
        &seen);
  }
  for (const int calls : seen.calls) EXPECT_EQ(calls, 200);
  // Under load some may have had a thread of their own; one for each of many would be no contexts.
  const std::set<long> distinct(seen.carriers.begin(), seen.carriers.end());
  if (members == 64) {
    EXPECT_LT(distinct.size(), 64U);
  }
}

TEST_P(Contexts, KeepWhatIsAThreadsOwnOverBarriers) {
  ThreadArray array(contexts(GetParam()));
  std::atomic<int> wrong{0};
  array.run(
      [](void* argument) {
        auto& bad = *static_cast<std::atomic<int>*>(argument);
        const int me = current_member()->index;
        const pthread_t self = pthread_self();
        own_number = me;
        errno = 1000 + me;
        const double mine = 1.0 / (me + 3);
        for (int round = 0; round < 100; ++round) {
          try {
            barrier().wait();
            throw std::runtime_error(std::to_string(me));
          } catch (const std::runtime_error& error) {
            barrier().wait();  // with an exception in flight
            bad += std::stoi(error.what()) != me;
            errno = 1000 + me;
          }
          barrier().wait();
          bad += own_number != me || errno != 1000 + me || current_member()->index != me;
          bad += pthread_equal(pthread_self(), self) == 0 || mine != 1.0 / (me + 3);
        }
      },
      &wrong);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Contexts, SeparatePhasesByBarriers) {
  const int members = GetParam();
  ThreadArray array(contexts(members));
  struct Phases {
    std::vector<int> written;
    std::atomic<int> wrong{0};
  } phases;
  phases.written.resize(static_cast<std::size_t>(members), -1);
  array.run(
      [](void* argument) {
        auto& here = *static_cast<Phases*>(argument);
        for (int phase = 0; phase < 300; ++phase) {
          here.written[static_cast<std::size_t>(current_member()->index)] = phase;
          barrier().wait();
          for (const int value : here.written) here.wrong += value != phase;
          barrier().wait();
        }
      },
      &phases);
  EXPECT_EQ(phases.wrong, 0);
}

TEST_P(Contexts, WaitForALoopThatNeverGivesWay) {
  ThreadArray array(contexts(GetParam()));
  std::atomic<int> arrived{0};
  // The first four wait in a plain loop for all others, which can only come when these give their carriers
  // up.
  for (int round = 1; round <= 2; ++round) {
    array.run(
        [](void* argument) {
          auto& count = *static_cast<std::atomic<int>*>(argument);
          const int before = count.fetch_add(1);
          const int members = current_member()->size;
          while (current_member()->index < 4 && count.load() < (before / members + 1) * members) {
          }
          barrier().wait();
        },
        &arrived);
    EXPECT_EQ(arrived, round * GetParam());
  }
}

TEST_P(Contexts, GoOnWhileOneIsBlockedInTheSystem) {
  ThreadArray array(contexts(GetParam()));
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  // The first reads what the last one writes; a mutex that the first holds meanwhile blocks a third one.
  struct Job {
    int* ends;
    std::atomic<int> read{0};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    std::atomic<int> locked{0};
  } job{pipe_ends};
  array.run(
      [](void* argument) {
        auto& here = *static_cast<Job*>(argument);
        const int me = current_member()->index;
        char byte = 0;
        if (me == 0) {
          pthread_mutex_lock(&here.mutex);
          if (read(here.ends[0], &byte, 1) == 1) ++here.read;
          pthread_mutex_unlock(&here.mutex);
        } else if (me == current_member()->size - 1) {
          if (write(here.ends[1], "x", 1) != 1) abort();
        } else {
          pthread_mutex_lock(&here.mutex);
          ++here.locked;
          pthread_mutex_unlock(&here.mutex);
        }
      },
      &job);
  EXPECT_EQ(job.read, 1);
  EXPECT_EQ(job.locked, GetParam() - 2);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_P(Contexts, MixContextsThatSleepOnDifferentThings) {
  ThreadArray array(contexts(GetParam()));
  struct Job {
    Doorbell bells[3];
    std::atomic<int> turn{0};
    std::atomic<int> held{0};
    std::atomic<int> wrong{0};
  } job;
  array.run(
      [](void* argument) {
        auto& here = *static_cast<Job*>(argument);
        const int me = current_member()->index;
        for (int round = 0; round < 3; ++round) {
          const int mine = round * current_member()->size + me;
          // One after the other, each woken by the one before, on one of three bells.
          here.bells[mine % 3].wait([&] { return here.turn.load(std::memory_order_acquire) == mine; });
          if (here.held.fetch_add(1) != 0) ++here.wrong;
          if (me == 1) usleep(3000);
          here.held.fetch_sub(1);
          here.turn.store(mine + 1, std::memory_order_release);
          here.bells[(mine + 1) % 3].ring();
        }
      },
      &job);
  EXPECT_EQ(job.turn, 3 * GetParam());
  EXPECT_EQ(job.wrong, 0);
}

TEST_P(Contexts, SleepBetweenKernels) {
  ThreadArray array(contexts(GetParam()));
  std::atomic<int> calls{0};
  for (int round = 0; round < 10; ++round) {
    usleep(2000);
    array.run([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &calls);
  }
  EXPECT_EQ(calls, 10 * GetParam());
  timespec before;
  timespec after;
  usleep(20000);  // until all sleep
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  usleep(100000);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  EXPECT_LT((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000, 50);
}

class AnyContexts : public Contexts {};

// Two threads of the program start kernels, wait for them at once or later, or while one is under way.
TEST_P(AnyContexts, AreStartedByTwoThreadsInAllWays) {
  ThreadArray array(contexts(GetParam()));
  const Kernel kernel = [](void* count) {
    barrier().wait();
    ++*static_cast<std::atomic<int>*>(count);
  };
  std::atomic<int> wrong{0};
  on_threads(2, [&](int me) {
    Random random(static_cast<std::uint64_t>(me) + 1);
    std::atomic<int> calls{0};
    for (int expected = 0, round = 0; round < 300; ++round) {
      const std::uint64_t way = random.below(4);
      if (way == 3) usleep(300);
      Spawn* const before = way == 0 ? nullptr : array.spawn(kernel, &calls);
      if (way != 1) array.run(kernel, &calls);
      if (before != nullptr) array.join(before);
      expected += GetParam() * (way == 0 || way == 1 ? 1 : 2);
      wrong += calls != expected;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(array.running(), 0);
}

// The thread that waits helps others while it lends itself to contexts, and is its own again afterwards.
TEST_P(AnyContexts, BorrowTheThreadThatWaits) {
  ThreadArray array(contexts(GetParam()));
  struct Job {
    Doorbell bell;
    std::atomic<bool> helped{false};
    std::atomic<int> calls{0};

    // A thread that comes late finds members asleep.
    static void help(void* job) {
      auto& here = *static_cast<Job*>(job);
      here.helped.store(true);
      here.bell.ring();
    }
  } job;
  const long mine = syscall(SYS_gettid);
  own_number = -7;
  for (int round = 0; round < 100; ++round) {
    job.helped = false;
    array.run(
        [](void* argument) {
          auto& here = *static_cast<Job*>(argument);
          own_number = current_member()->index;
          here.bell.wait([&] { return here.helped.load(); });
          if (here.calls % 64 == 1) usleep(100);
          ++here.calls;
        },
        &job, {Job::help, &job});
    EXPECT_EQ(syscall(SYS_gettid), mine);
    EXPECT_EQ(own_number, -7);
    EXPECT_EQ(current_member(), nullptr);
  }
  EXPECT_EQ(job.calls, 100 * GetParam());
}

INSTANTIATE_TEST_SUITE_P(AlsoAsManyAsCores, AnyContexts, testing::Values(1, 2, 3, 64));

/// Member 0 of a kernel is slow after it has returned: long enough for the watchman. The others return when
/// `others_see` of it.
class SlowToReturn {
 public:
  enum Progress { runs, returns, has_returned };

  explicit SlowToReturn(Progress others_see) : others_see_(others_see), array_(options()), watch_(array_) {}

  void run_without_delay() { run_from(has_returned); }
  void run() { run_from(runs); }

 private:
  void run_from(Progress start) {
    progress_.store(start);
    array_.run(
        [](void* argument) {
          auto& here = *static_cast<SlowToReturn*>(argument);
          while (current_member()->index != 0 && here.progress_.load() < here.others_see_) give_way();
        },
        this);
  }

  ArrayOptions options() {
    ArrayOptions options = contexts(4, 1);
    options.on_return = [this] {
      Progress before = runs;
      if (!progress_.compare_exchange_strong(before, returns)) return;
      usleep(30'000);
      progress_.store(has_returned);
    };
    return options;
  }

  const Progress others_see_;
  std::atomic<Progress> progress_{runs};
  ThreadArray array_;
  const ThreadArray::WatchReturns watch_;
};

TEST(MembersThatAreSlowToReturn, GiveTheJoinersThreadBack) {
  if (!can_switch_contexts()) GTEST_SKIP() << "threads of the system are used here";
  set_wait_policy({0, 20});
  for (int round = 0; round < 5; ++round) {
    SlowToReturn array(SlowToReturn::has_returned);
    array.run_without_delay();
    usleep(5000);  // nobody carries the ring then, and the joiner does
    array.run();
  }
}

TEST(MembersThatAreSlowToReturn, AreWaitedForAtTheEnd) {
  if (!can_switch_contexts()) GTEST_SKIP() << "threads of the system are used here";
  set_wait_policy({0, 20});
  for (int round = 0; round < 10; ++round) SlowToReturn(SlowToReturn::returns).run();
}

INSTANTIATE_TEST_SUITE_P(Sizes, Contexts, testing::Values(3, 7, 64));

}  // namespace
}  // namespace taihu::threads
