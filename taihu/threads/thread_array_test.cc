// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/thread_array.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <set>
#include <thread>

#include "taihu/base/error.h"

namespace taihu::threads {
namespace {

ArrayOptions of_size(int size) {
  ArrayOptions options;
  options.size = size;
  return options;
}

class ThreadArrays : public testing::TestWithParam<int> {};

TEST_P(ThreadArrays, RunAKernelOnceOnEachMember) {
  ThreadArray array(of_size(GetParam()));
  struct Seen {
    std::vector<int> calls;
    std::atomic<bool> wrong{false};
  } seen;
  seen.calls.assign(static_cast<std::size_t>(GetParam()), 0);
  for (int round = 0; round < 50; ++round) {
    array.run(
        [](void* argument) {
          auto& here = *static_cast<Seen*>(argument);
          const Member* member = current_member();
          if (member->size != member->array->size()) here.wrong = true;
          ++here.calls[static_cast<std::size_t>(member->index)];  // plain: join must make it visible
        },
        &seen);
  }
  EXPECT_FALSE(seen.wrong);
  for (const int calls : seen.calls) EXPECT_EQ(calls, 50);
  EXPECT_EQ(current_member(), nullptr);
}

TEST_P(ThreadArrays, RunQueuedKernelsInOrderAndOneAtATime) {
  ThreadArray array(of_size(GetParam()));
  struct Job {
    std::atomic<int>* inside;
    std::atomic<bool>* wrong;
    std::vector<int>* order;
    int number;
    int members;
  };
  std::atomic<int> inside{0};
  std::atomic<bool> wrong{false};
  std::vector<int> order;
  constexpr int count = 40;
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) jobs.push_back({&inside, &wrong, &order, i, GetParam()});
  std::vector<Spawn*> spawns;
  for (Job& job : jobs) {
    spawns.push_back(array.spawn(
        [](void* argument) {
          const Job& here = *static_cast<Job*>(argument);
          // `inside` counts kernel * members + entered: it can only be in my kernel's range while my kernel
          // runs.
          const int entered = here.inside->fetch_add(1);
          if (entered / here.members != here.number) *here.wrong = true;
          if (current_member()->index == 0) here.order->push_back(here.number);
        },
        &job));
  }
  for (auto spawn = spawns.rbegin(); spawn != spawns.rend(); ++spawn) array.join(*spawn);
  EXPECT_FALSE(wrong);
  ASSERT_EQ(order.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ThreadArrays, testing::Values(1, 2, 7, 64));

TEST(ThreadArray, StartsNobodyBeforeTheFirstSpawn) {
  std::atomic<int> started{0};
  std::atomic<int> stopped{0};
  ArrayOptions options = of_size(3);
  options.on_start = [&](Member& member) {
    member.scratchpad = new int(member.index);
    ++started;
  };
  options.on_stop = [&](Member& member) {
    delete static_cast<int*>(member.scratchpad);
    ++stopped;
  };
  {
    ThreadArray unused(options);
  }
  EXPECT_EQ(started, 0);
  {
    ThreadArray used(options);
    std::atomic<bool> wrong{false};
    used.run(
        [](void* argument) {
          const Member* member = current_member();
          if (*static_cast<int*>(member->scratchpad) != member->index)
            *static_cast<std::atomic<bool>*>(argument) = true;
        },
        &wrong);
    EXPECT_FALSE(wrong);
    EXPECT_EQ(started, 3);
    EXPECT_EQ(stopped, 0);
  }
  EXPECT_EQ(stopped, 3);
}

thread_local int own_value = 0;

TEST(ThreadArray, KernelsDoNotTouchTheCallersThreadLocals) {
  ThreadArray array(of_size(1));
  own_value = 5;
  array.run([](void*) { ++own_value; }, nullptr);
  int seen = 0;
  array.run([](void* argument) { *static_cast<int*>(argument) = ++own_value; }, &seen);
  EXPECT_EQ(own_value, 5);
  EXPECT_EQ(seen, 2) << "the member keeps its values from kernel to kernel";
}

TEST(ThreadArray, MembersInheritTheRank) {
  memory::RankIdentity rank;
  rank.rank = 12;
  ArrayOptions options = of_size(4);
  options.rank = &rank;
  ThreadArray array(options);
  std::atomic<int> right{0};
  array.run(
      [](void* argument) {
        if (memory::current_rank() != nullptr && memory::current_rank()->rank == 12) {
          ++*static_cast<std::atomic<int>*>(argument);
        }
      },
      &right);
  EXPECT_EQ(right, 4);
  EXPECT_EQ(memory::current_rank(), nullptr);
}

TEST(ThreadArray, TakesSpawnsOfSeveralThreads) {
  ThreadArray array(of_size(2));
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        array.run([](void* argument) { ++*static_cast<std::atomic<int>*>(argument); }, &calls);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 100 * 2);
}

TEST(ThreadArray, LetsTheJoinerHelpAndRingsItsDoorbell) {
  Doorbell doorbell;
  ArrayOptions options = of_size(2);
  options.joiner = &doorbell;
  ThreadArray array(options);
  std::atomic<int> helped{0};
  // The kernel ends only when the joiner has helped.
  array.run(
      [](void* argument) {
        while (static_cast<std::atomic<int>*>(argument)->load() < 3) sched_yield();
      },
      &helped, {[](void* argument) { ++*static_cast<std::atomic<int>*>(argument); }, &helped});
  EXPECT_GE(helped, 3);

  Spawn* spawn = array.spawn([](void*) {}, nullptr);
  doorbell.wait([&] { return array.finished(spawn); });
  array.join(spawn);
}

TEST(ThreadArray, BindsMembersToCpus) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  for (const int size : {1, 5}) {
    ArrayOptions options = of_size(size);
    options.cpus = cpus;
    ThreadArray array(options);
    std::vector<cpu_set_t> sets(static_cast<std::size_t>(size));
    array.run(
        [](void* argument) {
          auto& out = (*static_cast<std::vector<cpu_set_t>*>(
              argument))[static_cast<std::size_t>(current_member()->index)];
          sched_getaffinity(0, sizeof out, &out);
        },
        &sets);
    const bool one_each = static_cast<std::size_t>(size) <= cpus.size();
    for (int i = 0; i < size; ++i) {
      const cpu_set_t& set = sets[static_cast<std::size_t>(i)];
      EXPECT_EQ(static_cast<std::size_t>(CPU_COUNT(&set)), one_each ? 1 : cpus.size());
      EXPECT_TRUE(CPU_ISSET(cpus[one_each ? static_cast<std::size_t>(i) : 0], &set));
    }
  }
}

TEST(ThreadArray, KnowsWhichSpawnsWereNotJoined) {
  ThreadArray array(of_size(2));
  const Kernel nothing = [](void*) {};
  EXPECT_EQ(array.unjoined(), 0);
  Spawn* first = array.spawn(nothing, nullptr);
  Spawn* second = array.spawn(nothing, nullptr);
  EXPECT_EQ(array.unjoined(), 2);
  array.join(first);
  EXPECT_FALSE(array.is_unjoined(first));
  EXPECT_TRUE(array.is_unjoined(second));
  EXPECT_FALSE(array.is_unjoined(reinterpret_cast<Spawn*>(&array)));
  array.join(second);
  EXPECT_EQ(array.unjoined(), 0);
}

TEST(ThreadArray, TellsThatAKernelEndedItsThread) {
  const auto leave = [] {
    ArrayOptions options = of_size(2);
    options.on_kernel_exit = [](Member& member) {
      std::fprintf(stderr, "member %d left\n", member.index);
      _exit(5);
    };
    ThreadArray array(options);
    array.run(
        [](void*) {
          if (current_member()->index == 1) pthread_exit(nullptr);
        },
        nullptr);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave(), testing::ExitedWithCode(5), "member 1 left");
}

/// Ends by a segmentation fault where the stack is smaller.
TEST(ThreadArray, GivesTheStackThatWasAskedFor) {
  ArrayOptions options = of_size(2);
  options.stack_bytes = 32 << 20;
  ThreadArray array(options);
  std::atomic<int> count{0};
  array.run(
      [](void* count) {
        volatile char large[24 << 20];
        large[0] = 1;
        large[sizeof large - 1] = 1;
        ++*static_cast<std::atomic<int>*>(count);
      },
      &count);
  EXPECT_EQ(count, 2);
}

TEST(ThreadArray, RefusesWhatCannotBe) {
  EXPECT_THROW(ThreadArray(of_size(0)), Error);
  ArrayOptions options = of_size(2);
  options.cpus = {-1};
  EXPECT_THROW(ThreadArray{options}, Error);
  options.cpus = {0, 100000};  // the second member cannot start: the first must end again
  ThreadArray array(options);
  EXPECT_THROW(array.spawn([](void*) {}, nullptr), Error);
  EXPECT_THROW(array.spawn([](void*) {}, nullptr), Error);
}

TEST(ThreadArray, RecoversFromAKernelThatSkippedALoop) {
  ThreadArray array(of_size(3));
  array.run(
      [](void*) {
        const Member* member = current_member();
        if (member->index != 0) return;
        Chunk chunk;
        DynamicLoop loop = member->array->loops().begin(0, 10);
        while (loop.next(&chunk)) {
        }
      },
      nullptr);
  std::atomic<int> iterations{0};
  array.run(
      [](void* argument) {
        const Member* member = current_member();
        for (int i = 0; i < 20; ++i) {
          DynamicLoop loop = member->array->loops().begin(member->index, 5);
          Chunk chunk;
          while (loop.next(&chunk)) {
            *static_cast<std::atomic<int>*>(argument) += static_cast<int>(chunk.last - chunk.first);
          }
        }
      },
      &iterations);
  EXPECT_EQ(iterations, 100);
}

}  // namespace
}  // namespace taihu::threads
