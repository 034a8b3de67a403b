// SPDX-License-Identifier: Apache-2.0
// Collectives among threads against their plain definitions, also one after the other without a pause, and
// calls that do not fit together.
#include "taihu/collective/thread_collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/threads/on_threads_for_tests.h"
#include "taihu/threads/waiting.h"

namespace taihu::collective {
namespace {

long value(int member, std::size_t i) {
  return (member + 1) * 1000L + static_cast<long>(i * 7 % 1000);
}

// Count, which takes the place of 0: alone, odd, longer than a piece of a reduction.
const std::vector<std::size_t> counts = {0, 1, 5, 64, 5003};

class ThreadCollectives : public testing::TestWithParam<int> {
 protected:
  ThreadCollectives() { threads::set_wait_policy({20, 2}); }

  // Runs body(handle, count) on every member, for each of the counts.
  void run(const std::function<void(ThreadHandle&, std::size_t)>& body) {
    ThreadGroup group(n);
    threads::on_threads(n, [&](int me) {
      ThreadHandle handle(group, me);
      for (const std::size_t count : counts) {
        // Fewer members show what long blocks do; the checks of 64 times 64 of them are all that takes time.
        if (count * static_cast<std::size_t>(n) > plain_or_sanitized<std::size_t>(1 << 20, 1 << 16)) continue;
        body(handle, count);
      }
      end_program_on_failure();
    });
  }
  // Runs body(handle) on every member.
  void run(const std::function<void(ThreadHandle&)>& body) {
    ThreadGroup group(n);
    threads::on_threads(n, [&](int me) {
      ThreadHandle handle(group, me);
      body(handle);
      end_program_on_failure();
    });
  }

  static std::vector<long> mine(const ThreadHandle& handle, std::size_t count) {
    std::vector<long> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = value(handle.rank(), i);
    return values;
  }
  long sum_up_to(int last, std::size_t i) const {
    long sum = 0;
    for (int k = 0; k <= last; ++k) sum += value(k, i);
    return sum;
  }
  std::vector<int> roots() const { return n == 1 ? std::vector<int>{0} : std::vector<int>{0, n / 2, n - 1}; }

  const int n = GetParam();
};

TEST_P(ThreadCollectives, BcastTakesTheDataOfTheRoot) {
  run([&](ThreadHandle& handle, std::size_t count) {
    for (const int root : roots()) {
      std::vector<long> data(count, -1);
      if (handle.rank() == root) {
        for (std::size_t i = 0; i < count; ++i) data[i] = value(root, i);
      }
      ASSERT_EQ(bcast(handle, data.data(), count * sizeof(long), root), M_SUCCESS);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(data[i], value(root, i));
    }
  });
}

TEST_P(ThreadCollectives, ReductionsAreSumsAlsoInPlace) {
  run([&](ThreadHandle& handle, std::size_t count) {
    const std::vector<long> source = mine(handle, count);
    const auto elements = static_cast<long>(count);
    for (const int root : roots()) {
      std::vector<long> result(count, -1);
      ASSERT_EQ(reduce(handle, source.data(), result.data(), elements, M_LONG, M_SUM, root), M_SUCCESS);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(result[i], handle.rank() == root ? sum_up_to(n - 1, i) : -1);
      std::vector<long> in_place = source;
      ASSERT_EQ(reduce(handle, in_place.data(), in_place.data(), elements, M_LONG, M_SUM, root), M_SUCCESS);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(in_place[i], handle.rank() == root ? sum_up_to(n - 1, i) : source[i]);
    }
    std::vector<long> all(count);
    ASSERT_EQ(allreduce(handle, source.data(), all.data(), elements, M_LONG, M_SUM), M_SUCCESS);
    std::vector<long> in_place = source;
    ASSERT_EQ(allreduce(handle, in_place.data(), in_place.data(), elements, M_LONG, M_SUM), M_SUCCESS);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(all[i], sum_up_to(n - 1, i));
    ASSERT_EQ(in_place, all);
  });
}

TEST_P(ThreadCollectives, ScansAreSumsUpToTheMemberAlsoInPlace) {
  run([&](ThreadHandle& handle, std::size_t count) {
    const std::vector<long> source = mine(handle, count);
    std::vector<long> result(count);
    ASSERT_EQ(scan(handle, source.data(), result.data(), static_cast<long>(count), M_LONG, M_SUM), M_SUCCESS);
    std::vector<long> in_place = source;
    ASSERT_EQ(scan(handle, in_place.data(), in_place.data(), static_cast<long>(count), M_LONG, M_SUM),
              M_SUCCESS);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(result[i], sum_up_to(handle.rank(), i));
    ASSERT_EQ(in_place, result);
  });
}

TEST_P(ThreadCollectives, RoundedSumsAreTheSameBitsForAll) {
  run([&](ThreadHandle& handle) {
    const double third = 1.0 / (handle.rank() + 3);
    double sum = 0;
    ASSERT_EQ(allreduce(handle, &third, &sum, 1, M_DOUBLE, M_SUM), M_SUCCESS);
    double of_root = sum;
    ASSERT_EQ(bcast(handle, &of_root, sizeof of_root, 0), M_SUCCESS);
    ASSERT_EQ(sum, of_root);
    const m_double_int place{static_cast<double>((handle.rank() * 7) % n), handle.rank()};
    m_double_int smallest{};
    ASSERT_EQ(allreduce(handle, &place, &smallest, 1, M_DOUBLE_INT, M_MINLOC), M_SUCCESS);
    ASSERT_EQ(smallest.value, 0.0);
    ASSERT_EQ(smallest.index, 0);
  });
}

TEST_P(ThreadCollectives, BlocksOfGatherAndScatterAreInTheirPlaces) {
  run([&](ThreadHandle& handle, std::size_t count) {
    const auto members = static_cast<std::size_t>(n);
    const std::size_t bytes = count * sizeof(long);
    const std::vector<long> source = mine(handle, count);
    for (const int root : roots()) {
      std::vector<long> all(count * members, -1);
      ASSERT_EQ(gather(handle, source.data(), all.data(), bytes, root), M_SUCCESS);
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], handle.rank() == root ? value(static_cast<int>(i / count), i % count) : -1);
      }
      std::vector<long> block(count, -1);
      ASSERT_EQ(scatter(handle, all.data(), block.data(), bytes, root), M_SUCCESS);
      ASSERT_EQ(block, source);
    }
    std::vector<long> all(count * members, -1);
    ASSERT_EQ(allgather(handle, source.data(), all.data(), bytes), M_SUCCESS);
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i], value(static_cast<int>(i / count), i % count));
    std::vector<long> in_place(count * members, -1);
    long* const own = in_place.data() + static_cast<std::size_t>(handle.rank()) * count;
    std::copy(source.begin(), source.end(), own);
    ASSERT_EQ(allgather(handle, own, in_place.data(), bytes), M_SUCCESS);
    ASSERT_EQ(in_place, all);
  });
}

TEST_P(ThreadCollectives, AlltoallTransposes) {
  run([&](ThreadHandle& handle, std::size_t count) {
    const auto members = static_cast<std::size_t>(n);
    const std::vector<long> source = mine(handle, count * members);
    std::vector<long> result(count * members);
    ASSERT_EQ(alltoall(handle, source.data(), result.data(), count * sizeof(long)), M_SUCCESS);
    const auto me = static_cast<std::size_t>(handle.rank());
    for (std::size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(result[i], value(static_cast<int>(i / count), me * count + i % count));
  });
}

// Member m sends (m + k) % 4 elements to member k.
TEST_P(ThreadCollectives, AlltoallvTransposesBlocksOfOwnLengths) {
  run([&](ThreadHandle& handle) {
    const int me = handle.rank();
    std::vector<long> lengths;
    std::vector<long> starts;
    long all = 0;
    for (int k = 0; k < n; ++k) {
      lengths.push_back((me + k) % 4);
      starts.push_back(all);
      all += lengths.back();
    }
    std::vector<long> source(static_cast<std::size_t>(all));
    std::vector<long> result(source.size(), -1);
    for (int k = 0; k < n; ++k) {
      for (long i = 0; i < lengths[static_cast<std::size_t>(k)]; ++i)
        source[static_cast<std::size_t>(starts[static_cast<std::size_t>(k)] + i)] = me * 100 + k;
    }
    ASSERT_EQ(alltoallv(handle, source.data(), lengths.data(), starts.data(), result.data(), lengths.data(),
                        starts.data(), sizeof(long)),
              M_SUCCESS);
    for (int k = 0; k < n; ++k) {
      for (long i = 0; i < lengths[static_cast<std::size_t>(k)]; ++i)
        ASSERT_EQ(result[static_cast<std::size_t>(starts[static_cast<std::size_t>(k)] + i)], k * 100 + me);
    }
  });
}

TEST_P(ThreadCollectives, CallsOneBehindTheOtherDoNotMix) {
  run([&](ThreadHandle& handle) {
    for (int round = 0; round < (n > 8 ? 20 : 500); ++round) {
      const long one = round + handle.rank();
      long sum = 0;
      ASSERT_EQ(allreduce(handle, &one, &sum, 1, M_LONG, M_SUM), M_SUCCESS);
      ASSERT_EQ(sum, static_cast<long>(n) * round + n * (n - 1L) / 2);
      int root_says = handle.rank() == round % n ? round : -1;
      ASSERT_EQ(bcast(handle, &root_says, sizeof root_says, round % n), M_SUCCESS);
      ASSERT_EQ(root_says, round);
      ASSERT_EQ(barrier(handle), M_SUCCESS);
    }
  });
}

TEST_P(ThreadCollectives, WrongArgumentsAreRefusedBeforeAnyoneMeets) {
  ThreadGroup group(n);
  ThreadHandle handle(group, 0);
  long one = 1;
  EXPECT_EQ(bcast(handle, &one, sizeof one, n), M_ERROR_ARGUMENT);
  EXPECT_EQ(bcast(handle, &one, sizeof one, -1), M_ERROR_ARGUMENT);
  EXPECT_EQ(bcast(handle, nullptr, sizeof one, 0), M_ERROR_ARGUMENT);
  EXPECT_EQ(allreduce(handle, &one, nullptr, 1, M_LONG, M_SUM), M_ERROR_ARGUMENT);
  EXPECT_EQ(allreduce(handle, &one, &one, -1, M_LONG, M_SUM), M_ERROR_ARGUMENT);
  EXPECT_EQ(allreduce(handle, &one, &one, 1, M_DOUBLE, M_XOR), M_ERROR_ARGUMENT);
  EXPECT_EQ(alltoall(handle, &one, &one, sizeof one), M_ERROR_ARGUMENT);
  const std::vector<long> negative(static_cast<std::size_t>(n), -1);
  EXPECT_EQ(alltoallv(handle, nullptr, negative.data(), negative.data(), nullptr, negative.data(),
                      negative.data(), sizeof one),
            M_ERROR_ARGUMENT);
}

TEST_P(ThreadCollectives, CallsThatDoNotFitAreToldToAllAndTheNextOneWorks) {
  if (n == 1) return;
  run([&](ThreadHandle& handle) {
    const bool is_last = handle.rank() == n - 1;
    std::vector<long> source(is_last ? 1 : 1000, 1);  // to read 1000 of the last one's would be an error
    std::vector<long> result(source.size(), 7);
    const std::string last = std::to_string(n - 1);
    ASSERT_EQ(
        allreduce(handle, source.data(), result.data(), static_cast<long>(source.size()), M_LONG, M_SUM),
        M_ERROR_TRUNCATE);
    ASSERT_EQ(result, std::vector<long>(source.size(), 7));
    ASSERT_EQ(handle.problem().find("accelerator thread 0 calls allreduce of 8000 bytes"), 0U);
    ASSERT_NE(handle.problem().find("while accelerator thread " + last + " calls allreduce of 8 bytes"),
              std::string::npos);
    ASSERT_EQ(is_last ? barrier(handle) : bcast(handle, result.data(), sizeof(long), 0), M_ERROR_ARGUMENT);
    ASSERT_NE(handle.problem().find("while accelerator thread " + last + " calls barrier;"),
              std::string::npos);
    const long one = 1;
    long sum = 0;
    ASSERT_EQ(allreduce(handle, &one, &sum, 1, M_LONG, M_SUM), M_SUCCESS);
    ASSERT_EQ(sum, n);
  });
}

TEST_P(ThreadCollectives, LengthsOfAlltoallvThatDisagreeAreTold) {
  if (n == 1) return;
  run([&](ThreadHandle& handle) {
    // Member 0 sends nothing to member 1, which expects one element.
    std::vector<long> out(static_cast<std::size_t>(n), 0);
    std::vector<long> in(static_cast<std::size_t>(n), 0);
    const std::vector<long> starts(static_cast<std::size_t>(n), 0);
    if (handle.rank() == 1) in[0] = 1;
    const long source = 1;
    long result = 7;
    const int code = alltoallv(handle, &source, out.data(), starts.data(), &result, in.data(), starts.data(),
                               sizeof(long));
    ASSERT_EQ(code, handle.rank() == 1 ? M_ERROR_TRUNCATE : M_SUCCESS);
    ASSERT_EQ(result, 7);
    if (handle.rank() == 1) {
      ASSERT_EQ(
          handle.problem(),
          "accelerator thread 0 sends 0 bytes in alltoallv to accelerator thread 1, which expects 8; the "
          "counts of both must agree");
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Members, ThreadCollectives, testing::Values(1, 2, 7, 64));

}  // namespace
}  // namespace taihu::collective
