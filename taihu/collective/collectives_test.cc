// SPDX-License-Identifier: Apache-2.0
// Every collective against its plain definition: member counts x node processes x counts x roots x types, on
// the slow twin of message/. All ranks draw the same pseudo-random calls.
#include "taihu/collective/collectives.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/collective/collectives_fixture.h"
#include "taihu/collective/test_data.h"

namespace taihu::collective {
namespace {

// Around the length that travels in slots, around a piece, and beyond all thresholds.
constexpr std::size_t lengths[] = {0, 1, 37, 1024, 1025, 9001, 70001};

Elements bytes_of(int member, std::size_t count, std::uint64_t seed) {
  return make_source(member, count, {M_CHAR, M_SUM}, seed);
}

Elements blocks_of(int members, std::size_t bytes, std::uint64_t seed) {
  Elements all;
  for (int member = 0; member < members; ++member) {
    const Elements block = bytes_of(member, bytes, seed);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

TEST_P(Collectives, BcastReachesAll) {
  // Made once, not by each rank: it takes longer than to send it.
  std::vector<std::vector<Elements>> sent;
  for (const std::size_t bytes : lengths) {
    sent.emplace_back();
    for (const int root : roots()) sent.back().push_back(bytes_of(root, bytes, 1));
  }
  run([&](GroupHandle& handle) {
    for (const std::vector<Elements>& of_roots : sent) {
      for (std::size_t k = 0; k < of_roots.size(); ++k) {
        const int root = roots()[k];
        Elements buffer(of_roots[k].size(), std::byte{0xee});
        if (handle.rank() == root) buffer = of_roots[k];
        ASSERT_EQ(bcast(handle, buffer.data(), buffer.size(), root), M_SUCCESS);
        ASSERT_EQ(buffer, of_roots[k]) << "member " << handle.rank() << " root " << root;
        std::fill(buffer.begin(), buffer.end(), std::byte{0xee});  // mine again
      }
    }
  });
}

// Where members have cores of their own, root and member copy so much together (shared_copy_test.cc); here it
// only has to arrive.
TEST_P(Collectives, LongBcastReachesAll) {
  if (n > 4) GTEST_SKIP() << "the same between two members";
  run([&](GroupHandle& handle) {
    constexpr std::size_t bytes = (std::size_t{1} << 20) + 5;
    const auto value = [](int call, std::size_t k) {
      return static_cast<std::byte>(k * 7 + k / 4096 + call);
    };
    for (int call = 0; call < 4; ++call) {
      const int root = call % n;
      Elements data(bytes + 1);
      if (handle.rank() == root)
        for (std::size_t k = 0; k < bytes; ++k) data[k] = value(call, k);
      ASSERT_EQ(bcast(handle, data.data(), bytes, root), M_SUCCESS) << handle.problem();
      std::size_t wrong = data[bytes] == std::byte{0} ? 0 : 1;
      for (std::size_t k = 0; k < bytes; ++k) wrong += data[k] != value(call, k) ? 1 : 0;
      ASSERT_EQ(wrong, 0U) << "call " << call;
      std::fill(data.begin(), data.end(), std::byte{0xee});  // mine again
    }
  });
}

TEST_P(Collectives, GatherScatterAllgatherMoveBlocks) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (const std::size_t bytes : {0u, 1u, 37u, 1025u, 5000u}) {
      const Elements all = blocks_of(n, bytes, 2);
      const Elements mine = bytes_of(me, bytes, 2);
      for (const int root : roots()) {
        Elements source = mine;
        Elements whole(me == root ? all.size() : 0);
        ASSERT_EQ(gather(handle, source.data(), whole.data(), bytes, root), M_SUCCESS);
        std::fill(source.begin(), source.end(), std::byte{0xee});
        if (me == root) {
          ASSERT_EQ(whole, all) << "root " << root << " bytes " << bytes;
        }

        Elements block(bytes);
        if (me == root) whole = all;
        ASSERT_EQ(scatter(handle, whole.data(), block.data(), bytes, root), M_SUCCESS);
        std::fill(whole.begin(), whole.end(), std::byte{0xee});
        ASSERT_EQ(block, mine) << "root " << root << " bytes " << bytes;
      }
      Elements source = mine;
      Elements whole(all.size());
      ASSERT_EQ(allgather(handle, source.data(), whole.data(), bytes), M_SUCCESS);
      std::fill(source.begin(), source.end(), std::byte{0xee});
      ASSERT_EQ(whole, all) << "bytes " << bytes;
    }
  });
}

TEST_P(Collectives, GatherAndAllgatherWorkInPlace) {
  run([&](GroupHandle& handle) {
    const auto me = static_cast<std::size_t>(handle.rank());
    for (const std::size_t bytes : {8u, 3000u}) {
      const Elements all = blocks_of(n, bytes, 3);
      const auto own_block_only = [&] {
        Elements whole(all.size());
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(me * bytes), bytes,
                    whole.begin() + static_cast<std::ptrdiff_t>(me * bytes));
        return whole;
      };
      Elements whole = own_block_only();
      ASSERT_EQ(allgather(handle, whole.data() + me * bytes, whole.data(), bytes), M_SUCCESS);
      ASSERT_EQ(whole, all);
      whole = own_block_only();
      ASSERT_EQ(gather(handle, whole.data() + me * bytes, whole.data(), bytes, n - 1), M_SUCCESS);
      if (handle.rank() == n - 1) {
        ASSERT_EQ(whole, all);
      }
    }
  });
}

TEST_P(Collectives, AlltoallGivesEachPairItsBlock) {
  const auto block = [](int from, int to, std::size_t bytes) { return bytes_of(from * 100 + to, bytes, 4); };
  run([&](GroupHandle& handle) {
    for (const std::size_t bytes : {0u, 1u, 24u, 300u, 4100u}) {
      Elements source;
      Elements expected;
      for (int k = 0; k < n; ++k) {
        const Elements out = block(handle.rank(), k, bytes);
        const Elements in = block(k, handle.rank(), bytes);
        source.insert(source.end(), out.begin(), out.end());
        expected.insert(expected.end(), in.begin(), in.end());
      }
      Elements result(source.size());
      ASSERT_EQ(alltoall(handle, source.data(), result.data(), bytes), M_SUCCESS);
      std::fill(source.begin(), source.end(), std::byte{0xee});
      ASSERT_EQ(result, expected) << "bytes " << bytes;
    }
  });
}

TEST_P(Collectives, AlltoallvMovesBlocksOfAnyLengthWithGaps) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    const auto length = [](int from, int to) { return static_cast<long>((from * 5 + to * 3) % 7 * 40); };
    std::vector<long> out_counts, out_starts, in_counts, in_starts;
    long out_end = 0;
    long in_end = 0;
    for (int k = 0; k < n; ++k) {
      out_counts.push_back(length(me, k));
      out_starts.push_back(out_end += 3);
      out_end += out_counts.back();
      in_counts.push_back(length(k, me));
      in_starts.push_back(in_end += 2);
      in_end += in_counts.back();
    }
    std::vector<int> source(static_cast<std::size_t>(out_end));
    std::vector<int> result(static_cast<std::size_t>(in_end), -1);
    std::vector<int> expected = result;
    for (std::size_t k = 0; k < out_counts.size(); ++k) {
      for (long j = 0; j < out_counts[k]; ++j) {
        source[static_cast<std::size_t>(out_starts[k] + j)] =
            me * 1000000 + static_cast<int>(k) * 1000 + static_cast<int>(j);
      }
      for (long j = 0; j < in_counts[k]; ++j) {
        expected[static_cast<std::size_t>(in_starts[k] + j)] =
            static_cast<int>(k) * 1000000 + me * 1000 + static_cast<int>(j);
      }
    }
    for (int repeat = 0; repeat < 3; ++repeat) {
      ASSERT_EQ(alltoallv(handle, source.data(), out_counts.data(), out_starts.data(), result.data(),
                          in_counts.data(), in_starts.data(), sizeof(int)),
                M_SUCCESS);
      ASSERT_EQ(result, expected);
      std::fill(result.begin(), result.end(), -1);
    }
  });
}

TEST_P(Collectives, ReductionsOfAllTypesAndOperations) {
  const std::vector<Typing> typings = all_typings();
  run([&](GroupHandle& handle) {
    std::uint64_t seed = 5;
    // operations_test.cc has all under sanitizers, too.
    for (std::size_t k = 0; k < typings.size(); k += plain_or_sanitized(1, 5)) {
      const Typing typing = typings[k];
      const std::size_t count = seed % 3 == 0 ? 1 : 113;
      const int root = static_cast<int>(++seed % static_cast<std::uint64_t>(n));
      const Elements expected = reduce_plainly(n, count, typing, seed);
      const Elements source = make_source(handle.rank(), count, typing, seed);
      const auto elements = static_cast<long>(count);
      Elements result(source.size());
      ASSERT_EQ(allreduce(handle, source.data(), result.data(), elements, typing.type, typing.op), M_SUCCESS);
      ASSERT_TRUE(equal(result, expected, typing.type))
          << "type " << typing.type << " operation " << typing.op;
      std::fill(result.begin(), result.end(), std::byte{});
      ASSERT_EQ(reduce(handle, source.data(), result.data(), elements, typing.type, typing.op, root),
                M_SUCCESS);
      if (handle.rank() == root) {
        ASSERT_TRUE(equal(result, expected, typing.type))
            << "type " << typing.type << " operation " << typing.op;
      }
      ASSERT_EQ(scan(handle, source.data(), result.data(), elements, typing.type, typing.op), M_SUCCESS);
      ASSERT_TRUE(equal(result, reduce_plainly(handle.rank() + 1, count, typing, seed), typing.type));
    }
  });
}

TEST_P(Collectives, ReductionsOfAllLengthsAndRootsAlsoInPlace) {
  const Typing typing{M_INT, M_SUM};
  // Made once, not by each rank: it takes longer than what is tested.
  std::map<std::size_t, std::vector<Elements>> upto;
  for (const std::size_t count : {0u, 1u, 255u, 257u, 2251u, 17501u})
    upto[count] = reduce_upto_each(n, count, typing, 6);
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (const auto& [count, upto_each] : upto) {
      const Elements& expected = upto_each.back();
      const Elements mine = make_source(me, count, typing, 6);
      const auto elements = static_cast<long>(count);
      for (const int root : roots()) {
        Elements source = mine;
        Elements result(me == root ? mine.size() : 0);
        ASSERT_EQ(reduce(handle, source.data(), result.data(), elements, typing.type, typing.op, root),
                  M_SUCCESS);
        ASSERT_EQ(source, mine);
        if (me == root) {
          ASSERT_EQ(result, expected) << "root " << root << " count " << count;
        }
        ASSERT_EQ(reduce(handle, source.data(), source.data(), elements, typing.type, typing.op, root),
                  M_SUCCESS);
        ASSERT_EQ(source, me == root ? expected : mine) << "in place, root " << root << " count " << count;
      }
      Elements buffer = mine;
      ASSERT_EQ(allreduce(handle, buffer.data(), buffer.data(), elements, typing.type, typing.op), M_SUCCESS);
      ASSERT_EQ(buffer, expected) << "in place, count " << count;
      Elements result(mine.size());
      ASSERT_EQ(scan(handle, mine.data(), result.data(), elements, typing.type, typing.op), M_SUCCESS);
      ASSERT_EQ(result, upto_each[static_cast<std::size_t>(me)]);
      buffer = mine;
      ASSERT_EQ(scan(handle, buffer.data(), buffer.data(), elements, typing.type, typing.op), M_SUCCESS);
      ASSERT_EQ(buffer, result) << "in place, count " << count;
    }
  });
}

TEST_P(Collectives, AllreduceOfRoundedNumbersGivesTheSameBitsToAll) {
  for (const std::size_t count : {1u, 100u, 3000u, 20000u}) {
    std::vector<std::vector<double>> results(static_cast<std::size_t>(n), std::vector<double>(count));
    run([&](GroupHandle& handle) {
      std::vector<double> source(count);
      Random random(static_cast<std::uint64_t>(handle.rank()) + 1);
      for (double& value : source) value = random.uniform() * 1e3 - 333;
      std::vector<double>& result = results[static_cast<std::size_t>(handle.rank())];
      ASSERT_EQ(allreduce(handle, source.data(), result.data(), static_cast<long>(count), M_DOUBLE, M_SUM),
                M_SUCCESS);
    });
    for (const auto& result : results) {
      ASSERT_EQ(std::memcmp(result.data(), results[0].data(), count * sizeof(double)), 0);
    }
  }
}

TEST_P(Collectives, BarrierLetsNobodyPassEarly) {
  std::atomic<int> entered{0};
  run([&](GroupHandle& handle) {
    Random random(static_cast<std::uint64_t>(handle.rank()));
    for (int round = 1; round <= 20; ++round) {
      if (random.below(8) == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.below(200)));
      entered.fetch_add(1);
      ASSERT_EQ(barrier(handle), M_SUCCESS);
      ASSERT_GE(entered.load(), round * n);
      ASSERT_LE(entered.load(), (round + 1) * n);
    }
  });
}

// One pseudo-random call, the same on all members, checked.
void random_call(GroupHandle& handle, Random& random) {
  const int n = handle.size();
  const int me = handle.rank();
  const std::uint64_t kind = random.below(8);
  const int root = static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
  const std::size_t count = random.below(4) == 0 ? 300 + random.below(3000) : random.below(20);
  const std::uint64_t seed = random.next();
  const Typing typing{M_INT, M_SUM};
  const auto elements = static_cast<long>(count);
  const Elements source = make_source(me, count, typing, seed);
  Elements result(source.size());
  if (kind == 0) {
    ASSERT_EQ(barrier(handle), M_SUCCESS);
  } else if (kind == 1) {
    result = source;
    ASSERT_EQ(bcast(handle, result.data(), result.size(), root), M_SUCCESS);
    ASSERT_EQ(result, make_source(root, count, typing, seed));
  } else if (kind == 2) {
    ASSERT_EQ(reduce(handle, source.data(), result.data(), elements, M_INT, M_SUM, root), M_SUCCESS);
    if (me == root) {
      ASSERT_EQ(result, reduce_plainly(n, count, typing, seed));
    }
  } else if (kind == 3) {
    ASSERT_EQ(allreduce(handle, source.data(), result.data(), elements, M_INT, M_SUM), M_SUCCESS);
    ASSERT_EQ(result, reduce_plainly(n, count, typing, seed));
  } else if (kind == 4) {
    ASSERT_EQ(scan(handle, source.data(), result.data(), elements, M_INT, M_SUM), M_SUCCESS);
    ASSERT_EQ(result, reduce_plainly(me + 1, count, typing, seed));
  } else {
    Elements whole(source.size() * static_cast<std::size_t>(n));
    const auto block = [&](int k) {
      const auto start =
          whole.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * source.size());
      return Elements(start, start + static_cast<std::ptrdiff_t>(source.size()));
    };
    if (kind == 5) {
      ASSERT_EQ(allgather(handle, source.data(), whole.data(), source.size()), M_SUCCESS);
    } else if (kind == 6) {
      ASSERT_EQ(gather(handle, source.data(), whole.data(), source.size(), root), M_SUCCESS);
      if (me != root) return;
    } else {
      Elements to_all;
      for (int k = 0; k < n; ++k) to_all.insert(to_all.end(), source.begin(), source.end());
      ASSERT_EQ(alltoall(handle, to_all.data(), whole.data(), source.size()), M_SUCCESS);
    }
    for (int k = 0; k < n; ++k) ASSERT_EQ(block(k), make_source(k, count, typing, seed));
  }
}

TEST_P(Collectives, ManyCallsBackToBackWithDelays) {
  run([&](GroupHandle& handle) {
    Random calls(99);
    Random delays(static_cast<std::uint64_t>(handle.rank()) + 7);
    for (int k = 0; k < (n > 8 ? 40 : plain_or_sanitized(150, 60)) && !testing::Test::HasFatalFailure();
         ++k) {
      if (delays.below(16) == 0) std::this_thread::sleep_for(std::chrono::microseconds(delays.below(100)));
      random_call(handle, calls);
    }
  });
}

TEST_P(Collectives, GroupsInterleaveWhileOtherThreadsSendMessages) {
  const std::vector<int> all = member_list(GetParam());
  job_.run([&](int rank) {
    message::Endpoint& endpoint = job_.endpoint(rank);
    std::thread messenger([&] {
      for (int k = 0; k < 50; ++k) {
        const int next = (rank + 1) % n;
        std::vector<int> out(20, k);
        std::vector<int> in(20, -1);
        message::Request* receive =
            endpoint.irecv((rank + n - 1) % n, message::user_context, k, in.data(), 80);
        endpoint.send(next, message::user_context, k, out.data(), 80);
        endpoint.wait(receive, nullptr);
        EXPECT_EQ(in, out);
      }
    });
    std::vector<int> alike;  // ranks of my parity, last first
    for (int k = n - 1; k >= 0; --k) {
      if (k % 2 == rank % 2) alike.push_back(k);
    }
    GroupHandle whole = job_.groups_of(rank).join(endpoint, first_free_context, all);
    GroupHandle half = job_.groups_of(rank).join(endpoint, first_free_context + 1, alike);
    Random of_whole(1);
    Random of_half(2);
    for (int k = 0; k < (n > 8 ? 15 : 40) && !testing::Test::HasFatalFailure(); ++k) {
      for (int j = 0; j < (rank % 2 == 0 ? 3 : 1); ++j) random_call(half, of_half);  // halves differ in pace
      random_call(whole, of_whole);
    }
    messenger.join();
    end_program_on_failure();
  });
}

TEST_P(Collectives, BadArgumentsAreRefusedBeforeAnythingIsSent) {
  run([&](GroupHandle& handle) {
    int value = 1;
    int result = 0;
    EXPECT_EQ(bcast(handle, &value, 4, n), M_ERROR_ARGUMENT);
    EXPECT_EQ(bcast(handle, &value, 4, -1), M_ERROR_ARGUMENT);
    EXPECT_EQ(bcast(handle, nullptr, 4, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(handle, &value, &result, -1, M_INT, M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(handle, &value, &result, 1, M_FLOAT, M_XOR), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(handle, &value, nullptr, 1, M_INT, M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(handle, &value, &result, std::numeric_limits<long>::max(), M_INT, M_SUM),
              M_ERROR_ARGUMENT);
    EXPECT_EQ(reduce(handle, &value, &result, 1, M_INT_INT, M_SUM, 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(scan(handle, nullptr, &result, 1, M_INT, M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(gather(handle, &value, &result, std::numeric_limits<std::size_t>::max(), 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(alltoallv(handle, &value, nullptr, nullptr, &result, nullptr, nullptr, 4), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(handle, &value, &result, 1, M_INT, M_SUM), M_SUCCESS);  // the group still works
    EXPECT_EQ(result, n);
  });
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const int ranks : {1, 2, 3, 7, 8, 16, 32}) {
    for (const int processes : {1, 2, 3}) {
      if (processes > ranks || ranks > most_ranks) continue;
      // Sanitized, each shape is crowded or has room, and each number of ranks is both in one of its shapes.
      const bool has_room = (ranks + processes) % 2 == 0;
      const bool both = ranks == 1 || plain_or_sanitized(true, false);
      if (both || !has_room || ranks > 8) all.push_back({ranks, processes, 1});
      if (ranks <= 8 && (both || has_room)) all.push_back({ranks, processes, 64});
      if (ranks >= 7 && ranks % 8 != 0) all.push_back({ranks, processes, 1, Transport::messages});
      if (ranks == 32 && processes == 2) all.push_back({ranks, processes, 1, Transport::messages});
    }
  }
  constexpr auto shuffled = Setting::Order::shuffled;
  all.push_back({7, 3, 1, Transport::twin, shuffled});
  all.push_back({8, 2, 64, Transport::twin, shuffled});
  all.push_back({most_small_ranks, most_small_ranks, 1, Transport::twin, shuffled});
  all.push_back({most_small_ranks, most_small_ranks, 1, Transport::messages, shuffled});
  all.push_back({5, 1, 64, Transport::messages, shuffled});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Collectives, testing::ValuesIn(settings()), name_of);

}  // namespace
}  // namespace taihu::collective
