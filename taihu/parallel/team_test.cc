// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/team.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <new>
#include <thread>
#include <vector>

namespace taihu::parallel {
namespace {

TEST(Team, RunsEveryShareOnceAlsoWithMoreThreadsThanCpus) {
  for (const int size : {1, 2, 7, 2 * static_cast<int>(std::thread::hardware_concurrency()) + 3}) {
    const Team team(size);
    ASSERT_EQ(team.size(), size);
    std::vector<std::atomic<int>> calls(size);
    team.run([&](int thread) { ++calls[thread]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(Team, HasTheDefaultNumberOfThreadsWhereNoneIsSaid) {
  EXPECT_EQ(Team().size(), default_threads());
  EXPECT_GE(default_threads(), 1);
}

struct HalvesForTests {
  int length;
  int rows() const { return length; }
  bool single() const { return length < 2; }
  int begin(int part) const { return part == 0 ? 0 : length / 2; }
  int end(int part) const { return part == 0 ? length / 2 : length; }
};

TEST(Team, RunsThePartsThatHaveRows) {
  const Team team(2);
  for (const int length : {0, 1, 2, 9}) {
    std::vector<std::atomic<int>> calls(length);
    team.run(HalvesForTests{length}, [&](int begin, int end, int thread) {
      EXPECT_EQ(thread, length < 2 || begin == 0 ? 0 : 1);
      for (int row = begin; row < end; ++row) ++calls[row];
    });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(Team, ThrowsAgainWhatAThreadThrew) {
  const Team team(4);
  for (const int guilty : {0, 3}) {
    const auto body = [&](int thread) {
      if (thread == guilty) throw std::bad_alloc();
    };
    EXPECT_THROW(team.run(body), std::bad_alloc);
  }
  EXPECT_NO_THROW(team.run([](int) {}));
}

TEST(Team, ServesManyRunsAndCallersOneAfterTheOther) {
  const Team team(3);
  std::array<std::int64_t, 3> counts{};
  const auto many = [&] {
    for (int round = 0; round < 2000; ++round) team.run([&](int thread) { counts[thread] += thread + 1; });
  };
  many();
  std::thread(many).join();
  EXPECT_EQ(counts, (std::array<std::int64_t, 3>{4000, 8000, 12000}));
}

// As on a machine whose processors are all busy: the thread that is waited for has none.
TEST(Team, WaitingTakesLittleProcessorTimeWhereTheOthersCannotRun) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  const Team team(2);
  team.run([&](int) { sched_setaffinity(0, sizeof one, &one); });
  timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (int round = 0; round < 3000; ++round) team.run([](int) {});
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  sched_setaffinity(0, sizeof all, &all);
  const double seconds = static_cast<double>(end.tv_sec - begin.tv_sec) +
                         static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9;
  EXPECT_LT(seconds, 1.5);
}

}  // namespace
}  // namespace taihu::parallel
