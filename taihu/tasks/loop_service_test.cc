// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/loop_service.h"

#include <gtest/gtest.h>

#include <chrono>

#include "taihu/tasks/fake_node.h"

namespace taihu::tasks {
namespace {

using launch::Scope;
using threads::Chunk;

/// A job whose node processes all have the service.
struct LoopJob {
  LoopJob(int ranks, int processes, launch::ScopeSizes sizes) : fake(fake_layout(ranks, processes, sizes)) {
    for (auto& node : fake.nodes) services.push_back(std::make_unique<LoopService>(*node));
  }
  LoopService& of(int rank) { return *services[static_cast<std::size_t>(fake.layout.process_of(rank))]; }
  std::size_t open_loops() {
    std::size_t count = 0;
    for (auto& service : services) count += service->open_loops();
    return count;
  }

  FakeJob fake;
  std::vector<std::unique_ptr<LoopService>> services;
};

/// How often each iteration was handed out, for each loop; to be checked when all have ended.
struct Counts {
  Counts(std::size_t loops, std::size_t iterations) : counts(loops) {
    for (auto& loop : counts) loop = std::vector<std::atomic<int>>(iterations);
  }
  void add(std::size_t loop, const Chunk& chunk) {
    for (std::uint64_t i = chunk.first; i < chunk.last; ++i) ++counts[loop].at(i);
  }
  void expect_each(int times) const {
    for (const auto& loop : counts)
      for (const auto& count : loop) ASSERT_EQ(count, times);
  }
  std::vector<std::vector<std::atomic<int>>> counts;
};

/// All iterations of the rank's next loop.
template <class Take>
void run_loop(LoopService& service, Scope scope, int rank, std::uint64_t iterations, Take&& take) {
  std::string problem;
  SharedLoop* loop = service.begin(scope, rank, iterations, &problem);
  ASSERT_NE(loop, nullptr) << problem;
  for (Chunk chunk; service.next(loop, rank, &chunk);) take(chunk);
}

TEST(LoopService, EachIterationOnceInEachGroupForAllShapes) {
  constexpr std::uint64_t lengths[] = {0, 1, 2, 7, 100, 1000};
  for (const int ranks : {1, 2, 7, 12}) {
    for (int processes = 1; processes <= std::min(ranks, 3); ++processes) {
      const int node = ranks == 12 ? 3 : 1, bnode = ranks == 12 ? 6 : ranks;
      LoopJob job(ranks, processes, {ranks, bnode, node});
      for (const Scope scope : {Scope::all, Scope::bnode, Scope::node}) {
        const int groups = ranks / job.fake.layout.size(scope);
        Counts counts(std::size(lengths), 1000);
        job.fake.run_ranks([&](int rank, int) {
          for (std::size_t i = 0; i < std::size(lengths); ++i)
            run_loop(job.of(rank), scope, rank, lengths[i],
                     [&](const Chunk& chunk) { counts.add(i, chunk); });
        });
        for (std::size_t i = 0; i < std::size(lengths); ++i)
          for (std::uint64_t k = 0; k < 1000; ++k)
            ASSERT_EQ(counts.counts[i][k], k < lengths[i] ? groups : 0) << ranks << ' ' << processes;
        EXPECT_EQ(job.open_loops(), 0U);
      }
    }
  }
}

TEST(LoopService, AloneGoesThroughLoopsThatOthersHaveNotReached) {
  for (const int processes : {1, 2, 4}) {
    constexpr std::size_t loops = 50;
    LoopJob job(4, processes, {4, 4, 4});
    Counts counts(loops, 97);
    const auto all_loops = [&](int rank) {
      std::uint64_t taken = 0;
      for (std::size_t i = 0; i < loops; ++i)
        run_loop(job.of(rank), Scope::all, rank, 97, [&](const Chunk& chunk) {
          counts.add(i, chunk);
          taken += chunk.last - chunk.first;
        });
      return taken;
    };
    // The last one is through with all loops before the others begin, one of them long after that.
    EXPECT_EQ(all_loops(3), loops * 97);
    EXPECT_EQ(all_loops(1), 0U);
    EXPECT_EQ(all_loops(0), 0U);
    EXPECT_GT(job.open_loops(), 0U);
    EXPECT_EQ(all_loops(2), 0U);
    EXPECT_EQ(job.open_loops(), 0U) << processes;
    counts.expect_each(1);
  }
}

TEST(LoopService, SlowMemberKeepsWhatItWorksOnAndLosesTheRest) {
  for (const int processes : {1, 2}) {
    LoopJob job(2, processes, {2, 2, 2});
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> of_slow{0}, of_fast{0};
    job.fake.run_ranks([&](int rank, int) {
      run_loop(job.of(rank), Scope::all, rank, 1000, [&](const Chunk& chunk) {
        (rank == 0 ? of_slow : of_fast) += chunk.last - chunk.first;
        while (rank == 0 && !is_over) std::this_thread::yield();
      });
      is_over = true;
    });
    EXPECT_EQ(of_slow + of_fast, 1000U);
    // A 2P-th of its share, or nothing when the other was through before it came.
    EXPECT_LE(of_slow, 125U);
  }
}

TEST(LoopService, EqualMembersKeepTheirShares) {
  LoopJob job(2, 1, {2, 2, 2});
  std::string problem;
  SharedLoop* loops[2] = {job.of(0).begin(Scope::all, 0, 100, &problem),
                          job.of(1).begin(Scope::all, 1, 100, &problem)};
  bool is_left[2] = {true, true};
  for (int turn = 0; is_left[0] || is_left[1]; ++turn) {
    const int rank = turn % 2;
    Chunk chunk;
    if (!is_left[rank]) continue;
    is_left[rank] = job.of(rank).next(loops[rank], rank, &chunk);
    if (is_left[rank]) {
      EXPECT_EQ(chunk.first / 50, static_cast<std::uint64_t>(rank));
    }
  }
}

TEST(LoopService, NestedLoopsOfDifferentGroups) {
  LoopJob job(6, 2, {6, 6, 2});
  Counts outer(1, 12), inner(1, 12 * 5);
  job.fake.run_ranks([&](int rank, int) {
    run_loop(job.of(rank), Scope::all, rank, 12, [&](const Chunk& chunk) { outer.add(0, chunk); });
    // All members of a pair go through the same outer iterations.
    for (std::uint64_t i = 0; i < 12; ++i)
      run_loop(job.of(rank), Scope::node, rank, 5,
               [&](const Chunk& chunk) { inner.add(0, {i * 5 + chunk.first, i * 5 + chunk.last}); });
  });
  outer.expect_each(1);
  inner.expect_each(3);
}

TEST(LoopService, MembersInDifferentLoopsAreTold) {
  LoopJob job(2, 1, {2, 2, 2});
  std::string problem;
  EXPECT_NE(job.of(0).begin(Scope::all, 0, 10, &problem), nullptr);
  EXPECT_EQ(job.of(1).begin(Scope::all, 1, 11, &problem), nullptr);
  EXPECT_EQ(problem,
            "the members of the scope are in different loops: this one has 11 iterations, that of another "
            "member 10");
}

}  // namespace
}  // namespace taihu::tasks
