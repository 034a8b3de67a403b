// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/helpers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "taihu/collective/collectives_fixture.h"

namespace taihu::collective {
namespace {

/// So many threads, made for each call.
class Threads : public Helpers {
 public:
  explicit Threads(int count, bool fails = false) : count_(count), fails_(fails) {}
  int count() noexcept override { return count_; }
  bool run(const Work& work) noexcept override {
    ++runs;
    if (fails_) return false;
    std::vector<std::thread> others;
    for (int k = 1; k < count_; ++k) others.emplace_back(work.call, work.argument);
    work.call(work.argument);
    for (std::thread& other : others) other.join();
    return true;
  }

  int runs = 0;

 private:
  const int count_;
  const bool fails_;
};

std::size_t value_at(std::size_t block, std::size_t place) {
  return block * 1'000'003 + place * 7;
}

void copy_and_check(HelpedCopy* copy, const std::vector<std::size_t>& lengths) {
  std::vector<std::vector<std::size_t>> from;
  std::vector<std::vector<std::size_t>> to;
  std::size_t all = 0;
  for (const std::size_t length : lengths) {
    from.emplace_back(length);
    for (std::size_t k = 0; k < length; ++k) from.back()[k] = value_at(from.size(), k);
    to.emplace_back(length);
    all += length * sizeof(std::size_t);
  }
  BlockCopies copies(copy, all);
  for (std::size_t b = 0; b < lengths.size(); ++b)
    copies.add(to[b].data(), from[b].data(), lengths[b] * sizeof(std::size_t));
  copies.add(to.back().data(), to.back().data(), sizeof(std::size_t));  // is there already
  copies.add(nullptr, nullptr, 0);
  copies.finish();
  EXPECT_EQ(to, from);
}

// Enough calls that both ways have been taken.
constexpr int calls = 2 * HelpChoice::first_tries + 2;

TEST(HelpedCopy, BlocksOfAllLengths) {
  for (const int threads : {1, 2, 7}) {
    Threads helpers(threads);
    HelpedCopy copy(helpers);
    for (int call = 0; call < calls; ++call) {
      copy_and_check(&copy, {0, 1, 5, 4096, 4097, 0, 100'003});
      copy_and_check(&copy, {1});
      copy_and_check(nullptr, {3, 100'000});
    }
    EXPECT_EQ(helpers.runs > 0, threads > 1);
  }
}

TEST(HelpedCopy, NobodyBegins) {
  Threads helpers(2, true);
  HelpedCopy copy(helpers);
  for (int call = 0; call < calls; ++call) copy_and_check(&copy, {100'000, 1});
  EXPECT_GE(helpers.runs, HelpChoice::first_tries);
}

TEST(HelpedCopy, ShortOnesAreNotShared) {
  Threads helpers(2);
  HelpedCopy copy(helpers);
  for (int call = 0; call < calls; ++call) copy_and_check(&copy, {HelpChoice::least_bytes / 8 - 1});
  EXPECT_EQ(helpers.runs, 0);
}

/// How many of `count` calls want help, when those with help take `helped_ns`, those without `alone_ns`.
int helped_calls(HelpChoice& choice, std::size_t bytes, int count, std::int64_t alone_ns,
                 std::int64_t helped_ns) {
  int helped = 0;
  for (int k = 0; k < count; ++k) {
    const bool wants = choice.wants_help(bytes);
    helped += wants ? 1 : 0;
    choice.learn(bytes, wants, wants ? helped_ns : alone_ns);
  }
  return helped;
}

TEST(HelpChoice, TakesTheFasterWay) {
  constexpr int count = 640;
  constexpr int tries = count / static_cast<int>(HelpChoice::calls_between_tries) + HelpChoice::first_tries;
  HelpChoice pays;
  EXPECT_GE(helped_calls(pays, 1 << 20, count, 2000, 1000), count - tries);
  HelpChoice does_not_pay;
  EXPECT_LE(helped_calls(does_not_pay, 1 << 20, count, 1000, 2000), tries);
  EXPECT_GE(helped_calls(does_not_pay, 1 << 30, count, 2000, 1000), count - tries) << "another size";
}

TEST(HelpChoice, FirstTriesOfAWayDoNotDecide) {
  HelpChoice choice;
  for (int k = 0; k < 2 * HelpChoice::first_tries; ++k) {
    const bool wants = choice.wants_help(1 << 20);
    EXPECT_EQ(wants, k >= HelpChoice::first_tries);
    choice.learn(1 << 20, wants, k == HelpChoice::first_tries ? 1'000'000 : wants ? 1000 : 2000);
  }
  choice.wants_help(1 << 20);
  EXPECT_TRUE(choice.wants_help(1 << 20));
}

TEST(HelpChoice, FollowsWhenTimesChange) {
  HelpChoice choice;
  helped_calls(choice, 1 << 20, 100, 2000, 1000);
  helped_calls(choice, 1 << 20, 200, 2000, 9000);  // the threads sleep now
  EXPECT_LE(helped_calls(choice, 1 << 20, 640, 2000, 9000), 10);
  helped_calls(choice, 1 << 20, 1280, 2000, 500);
  EXPECT_GE(helped_calls(choice, 1 << 20, 640, 2000, 500), 630);
}

/// alltoall and alltoallv whose members all have helpers.
class HelpedAlltoall : public Collectives {};

TEST_P(HelpedAlltoall, BlocksReachTheirMembers) {
  std::atomic<int> runs{0};
  run([&](GroupHandle& handle) {
    Threads helpers(3);
    handle.set_helpers(helpers);
    const auto members = static_cast<std::size_t>(handle.size());
    const auto me = static_cast<std::size_t>(handle.rank());
    // Half of the members are in another node process.
    const std::size_t count = 2 * HelpChoice::least_bytes / sizeof(std::size_t) / members + 1;
    std::vector<std::size_t> source(count * members);
    std::vector<std::size_t> result(count * members);
    for (std::size_t k = 0; k < source.size(); ++k) source[k] = value_at(me, k);
    const auto is_right = [&] {
      for (std::size_t from = 0; from < members; ++from)
        for (std::size_t k = 0; k < count; ++k)
          if (result[from * count + k] != value_at(from, me * count + k)) return false;
      return true;
    };
    std::vector<long> counts(members, static_cast<long>(count));
    std::vector<long> places;
    for (std::size_t k = 0; k < members; ++k) places.push_back(static_cast<long>(k * count));
    for (int call = 0; call < calls; ++call) {
      std::fill(result.begin(), result.end(), 0);
      ASSERT_EQ(alltoall(handle, source.data(), result.data(), count * sizeof(std::size_t)), M_SUCCESS);
      ASSERT_TRUE(is_right());
      std::fill(result.begin(), result.end(), 0);
      ASSERT_EQ(alltoallv(handle, source.data(), counts.data(), places.data(), result.data(), counts.data(),
                          places.data(), sizeof(std::size_t)),
                M_SUCCESS);
      ASSERT_TRUE(is_right());
    }
    runs += helpers.runs;
  });
  EXPECT_GT(runs, 0);
}

INSTANTIATE_TEST_SUITE_P(Jobs, HelpedAlltoall,
                         testing::Values(Setting{1, 1, 64}, Setting{2, 1, 64}, Setting{3, 1, 1},
                                         Setting{4, 2, 64}),
                         name_of);

}  // namespace
}  // namespace taihu::collective
