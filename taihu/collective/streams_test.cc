// SPDX-License-Identifier: Apache-2.0
// Calls of one kind, one behind the other. Where data go one way, whoever takes them may be many calls
// behind. And when such a member waits without looking.
#include <chrono>
#include <thread>

#include "taihu/collective/collectives_fixture.h"
#include "taihu/collective/stream_pace.h"
#include "taihu/collective/test_data.h"

namespace taihu::collective {
namespace {

TEST(StreamPace, WaitsForLaterCallsOnlyInStreamsInWhichTheyCome) {
  StreamPace pace;
  std::uint64_t step = 0;
  const auto calls_until_it_looks = [&] {
    for (std::uint64_t k = 1;; ++k) {
      pace.begin(++step, 0, 0);
      if (!pace.is_known() && pace.looks_ahead()) return k;
    }
  };
  EXPECT_EQ(calls_until_it_looks(), StreamPace::calls_before + 1);
  pace.learn(step + 7, false);
  EXPECT_EQ(calls_until_it_looks(), 8U);
  std::uint64_t expected = StreamPace::least_calls_without;
  for (int k = 0; k < 12; ++k) {
    pace.wait_was_in_vain();
    EXPECT_EQ(calls_until_it_looks(), expected);
    expected = std::min(2 * expected, StreamPace::most_calls_without);
  }
  pace.learn(step + 7, false);
  EXPECT_EQ(calls_until_it_looks(), 8U);
  pace.wait_was_in_vain();
  EXPECT_EQ(calls_until_it_looks(), StreamPace::least_calls_without);
  for (int k = 0; k < 3; ++k) {
    pace.look_later();
    EXPECT_EQ(calls_until_it_looks(), StreamPace::calls_before);
  }

  StreamPace fresh;
  for (std::uint64_t k = 1; k < 100; k += 2) {  // another call comes between
    fresh.begin(k, 0, 0);
    EXPECT_FALSE(fresh.looks_ahead());
  }
  for (std::uint64_t k = 1000; k < 1100; ++k) {  // members take turns
    fresh.begin(k, static_cast<int>(k % 2), 1);
    EXPECT_FALSE(fresh.looks_ahead());
    EXPECT_FALSE(fresh.is_known());
  }
}

// Calls `step` to `step` + 7 have come.
void take_eight(StreamPace& pace, std::uint64_t step, bool at_once, std::uint64_t& asked) {
  for (std::uint64_t k = step; k < step + 8; ++k) {
    pace.begin(k, 1, 1);
    EXPECT_EQ(pace.is_known(), k != step);
    if (k == step) pace.learn(step + 7, at_once);
    EXPECT_EQ(pace.nears_the_end(4), at_once && k == step + 3);
    const StreamPace::Steps steps = pace.steps_to_ask_for(4);
    EXPECT_EQ(pace.known(), step + 7);
    if (steps.first > steps.last) continue;
    EXPECT_EQ(steps.first, std::max(asked + 1, k));
    EXPECT_EQ(steps.last, std::min(k + 4, at_once ? step + 11 : step + 7));
    asked = steps.last;
  }
}

TEST(StreamPace, AsksForEachStepOnceAndForNoneThatIsUnlikely) {
  StreamPace pace;
  std::uint64_t asked = 0;
  take_eight(pace, 1, false, asked);
  EXPECT_EQ(asked, 8U);
  take_eight(pace, 9, true, asked);
  EXPECT_EQ(asked, 20U);
  take_eight(pace, 17, false, asked);
  EXPECT_EQ(asked, 24U);
}

class Streams : public Collectives {
 protected:
  static constexpr int kinds = 9;

  // The value of byte `k` that `from` has for `to` in call number `call`.
  static std::byte value(int call, int from, int to, std::size_t k) {
    return static_cast<std::byte>(static_cast<std::size_t>(call * 31 + from * 7 + to * 3) + k);
  }
  static Elements block(int call, int from, int to, std::size_t bytes) {
    Elements data(bytes);
    for (std::size_t k = 0; k < bytes; ++k) data[k] = value(call, from, to, k);
    return data;
  }
  Elements blocks(int call, int from, std::size_t bytes) const {
    Elements all;
    for (int to = 0; to < n; ++to) {
      const Elements one = block(call, from, to, bytes);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  void scatter_once(GroupHandle& handle, int call, int root, std::size_t bytes, bool own_lengths) {
    Elements source = handle.rank() == root ? blocks(call, root, bytes) : Elements();
    Elements result(bytes);
    const auto members = static_cast<std::size_t>(n);
    std::vector<std::size_t> lengths(members, bytes);
    std::vector<std::ptrdiff_t> offsets;
    for (std::size_t k = 0; k < members; ++k) offsets.push_back(static_cast<std::ptrdiff_t>(k * bytes));
    const int code = own_lengths ? scatterv(handle, source.data(), lengths.data(), offsets.data(),
                                            result.data(), bytes, root)
                                 : scatter(handle, source.data(), result.data(), bytes, root);
    std::fill(source.begin(), source.end(), std::byte{0xee});  // mine again
    ASSERT_EQ(code, M_SUCCESS) << handle.problem();
    ASSERT_EQ(result, block(call, root, handle.rank(), bytes)) << "call " << call << " bytes " << bytes;
  }

  void gather_once(GroupHandle& handle, int call, int root, std::size_t bytes, bool own_lengths) {
    Elements source = block(call, handle.rank(), root, bytes);
    const auto members = static_cast<std::size_t>(n);
    Elements result(handle.rank() == root ? bytes * members : 0);
    std::vector<std::size_t> lengths(members, bytes);
    std::vector<std::ptrdiff_t> offsets;
    for (std::size_t k = 0; k < members; ++k) offsets.push_back(static_cast<std::ptrdiff_t>(k * bytes));
    const int code = own_lengths ? gatherv(handle, source.data(), bytes, result.data(), lengths.data(),
                                           offsets.data(), root)
                                 : gather(handle, source.data(), result.data(), bytes, root);
    std::fill(source.begin(), source.end(), std::byte{0xee});
    ASSERT_EQ(code, M_SUCCESS) << handle.problem();
    if (handle.rank() != root) return;
    for (int from = 0; from < n; ++from) {
      const auto* const begin = result.data() + static_cast<std::size_t>(from) * bytes;
      ASSERT_EQ(Elements(begin, begin + bytes), block(call, from, root, bytes))
          << "call " << call << " bytes " << bytes;
    }
  }

  void sum_once(GroupHandle& handle, int call, int root, std::size_t bytes, bool all_before) {
    const std::size_t count = bytes / sizeof(int);
    std::vector<int> source(count), result(count, -1);
    for (std::size_t k = 0; k < count; ++k)
      source[k] = call + (handle.rank() + 1) * static_cast<int>(k % 100);
    const auto length = static_cast<long>(count);
    const int code = all_before ? scan(handle, source.data(), result.data(), length, M_INT, M_SUM)
                                : reduce(handle, source.data(), result.data(), length, M_INT, M_SUM, root);
    std::fill(source.begin(), source.end(), -1);
    ASSERT_EQ(code, M_SUCCESS) << handle.problem();
    if (!all_before && handle.rank() != root) return;
    const int operands = all_before ? handle.rank() + 1 : n;
    for (std::size_t k = 0; k < count; ++k)
      ASSERT_EQ(result[k], operands * call + operands * (operands + 1) / 2 * static_cast<int>(k % 100));
  }

  // Between streams: all wait for all.
  void exchange_once(GroupHandle& handle, int call, std::size_t bytes, bool gathered) {
    const int me = handle.rank();
    Elements source = gathered ? block(call, me, 0, bytes) : blocks(call, me, bytes);
    Elements result(bytes * static_cast<std::size_t>(n));
    const int code = gathered ? allgather(handle, source.data(), result.data(), bytes)
                              : alltoall(handle, source.data(), result.data(), bytes);
    std::fill(source.begin(), source.end(), std::byte{0xee});
    ASSERT_EQ(code, M_SUCCESS) << handle.problem();
    for (int from = 0; from < n; ++from) {
      const auto* const begin = result.data() + static_cast<std::size_t>(from) * bytes;
      ASSERT_EQ(Elements(begin, begin + bytes), block(call, from, gathered ? 0 : me, bytes))
          << "call " << call << " bytes " << bytes;
    }
  }

  void once(GroupHandle& handle, int kind, int call, int root, std::size_t bytes) {
    if (kind == 0) {
      Elements data = handle.rank() == root ? block(call, root, 0, bytes) : Elements(bytes);
      ASSERT_EQ(bcast(handle, data.data(), bytes, root), M_SUCCESS);
      ASSERT_EQ(data, block(call, root, 0, bytes)) << "call " << call << " bytes " << bytes;
    } else if (kind <= 2) {
      scatter_once(handle, call, root, bytes, kind == 2);
    } else if (kind <= 4) {
      gather_once(handle, call, root, bytes, kind == 4);
    } else if (kind <= 6) {
      sum_once(handle, call, root, bytes, kind == 6);
    } else {
      exchange_once(handle, call, bytes, kind == 8);
    }
  }
};

TEST_P(Streams, BringAllDataWhoeverIsFaster) {
  run([&](GroupHandle& handle) {
    Random streams(5);
    Random delays(static_cast<std::uint64_t>(handle.rank()) + 70);
    constexpr std::size_t lengths[] = {1,   4,   8,   40,  41,  48,   49,   64,   100,
                                       128, 256, 257, 500, 512, 1000, 1024, 1025, 3000};
    for (int stream = 0; stream < plain_or_sanitized(60, 15); ++stream) {
      const int kind = static_cast<int>(streams.below(kinds)), calls = static_cast<int>(streams.below(200));
      const int root = static_cast<int>(streams.below(static_cast<std::uint64_t>(n)));
      const std::size_t bytes = lengths[streams.below(std::size(lengths))];
      const bool is_slow = delays.below(3) == 0;
      for (int call = 0; call < calls; ++call) {
        if (is_slow && delays.below(64) == 0)
          std::this_thread::sleep_for(std::chrono::microseconds(delays.below(60)));
        once(handle, kind, call, root, bytes);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Streams,
                         testing::Values(Setting{2, 1, 64}, Setting{2, 1, 1}, Setting{3, 1, 64},
                                         Setting{4, 2, 64}),
                         name_of);

}  // namespace
}  // namespace taihu::collective
