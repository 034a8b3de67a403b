// SPDX-License-Identifier: Apache-2.0
// Puts and gets of all sizes and shapes, inside a node process (where they take the shortest way) and between
// two, to memory that the node processes have mapped and to other memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/base/bytes_for_tests.h"
#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int putting_ranks = 2;
constexpr long huge = (8 << 20) + 1;
constexpr long reply_offset = 0, data_offset = 64;
constexpr long put_segment_bytes = data_offset + huge + 64;
constexpr long sizes[] = {0, 1, 3, 4, 8, 9, 15, 16, 31, 32, 33, 64, 255, 1024, 4097, 65537, huge};

struct Way {
  int processes;
  long mapped;  ///< bytes at the end of the data
};

class OneSided : public testing::TestWithParam<Way> {
 protected:
  int* reply(int rank) { return reinterpret_cast<int*>(job_.segment(rank) + reply_offset); }
  std::byte* data(int rank) { return job_.segment(rank) + data_offset; }

  ProcessesForTests job_{GetParam().processes, putting_ranks, 1, put_segment_bytes,
                         static_cast<std::size_t>(GetParam().mapped)};
};
INSTANTIATE_TEST_SUITE_P(NodeProcesses, OneSided,
                         testing::Values(Way{1, 0}, Way{2, 0}, Way{2, put_segment_bytes - data_offset},
                                         Way{2, put_segment_bytes / 2}));

Bytes pattern(long size, unsigned seed) {
  Bytes bytes(static_cast<std::size_t>(size));
  Random random(seed);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(&bytes[at], &word, std::min(sizeof word, bytes.size() - at));
  }
  return bytes;
}

TEST_P(OneSided, PutsAreWholeAndToldAndChangeNothingElse) {
  job_.run([&](int rank) {
    int told = 0;
    unsigned seed = 0;
    for (const long size : sizes) {
      for (const long place : {0L, 1L, 13L}) {
        const Bytes sent = pattern(size, ++seed);
        if (rank == 0) {
          Bytes copy = sent;
          EXPECT_EQ(m_msg_put_wait(1, copy.data(), data(0) + place, size, reply(0)), M_SUCCESS);
        } else {
          EXPECT_EQ(m_wait_reply(reply(1), ++told), M_SUCCESS);
          EXPECT_EQ(*reply(1), told) << "one for each put";
          EXPECT_TRUE(same_bytes(sent.data(), data(1) + place, sent.size())) << size << " bytes";
          EXPECT_EQ(data(1)[place + size], std::byte{0});
          if (place > 0) {
            EXPECT_EQ(data(1)[place - 1], std::byte{0});
          }
          std::memset(data(1), 0, static_cast<std::size_t>(place + size));
        }
        EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
      }
    }
  });
}

TEST_P(OneSided, GetsAreWholeAndChangeNothingElse) {
  job_.run([&](int rank) {
    unsigned seed = 100;
    for (const long size : sizes) {
      const Bytes there = pattern(size, ++seed);
      if (rank == 1) std::copy(there.begin(), there.end(), data(1) + 5);
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
      if (rank == 0) {
        std::vector<std::byte> got(static_cast<std::size_t>(size) + 2, std::byte{7});
        EXPECT_EQ(m_msg_get_wait(1, data(0) + 5, got.data() + 1, size), M_SUCCESS);
        EXPECT_TRUE(same_bytes(there.data(), got.data() + 1, there.size())) << size << " bytes";
        EXPECT_EQ(got.front(), std::byte{7});
        EXPECT_EQ(got.back(), std::byte{7});
      }
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    }
  });
}

// More than are told at once, and of both ranks at each other.
TEST_P(OneSided, ManyInFlightAreAllTold) {
  constexpr int rounds = 20, in_flight = 300;
  job_.run([&](int rank) {
    const int other = 1 - rank;
    for (int round = 1; round <= rounds; ++round) {
      std::vector<handle_t> handles;
      std::vector<long> values;
      for (int i = 0; i < in_flight; ++i) values.push_back(round * 1000 + i);
      for (std::size_t i = 0; i < values.size(); ++i)
        handles.push_back(
            m_msg_put(other, &values[i], data(rank) + i * sizeof(long), sizeof(long), reply(rank)));
      for (const handle_t handle : handles) EXPECT_EQ(m_wait_msg(handle), M_SUCCESS);
      EXPECT_EQ(m_wait_reply(reply(rank), round * in_flight), M_SUCCESS);
      EXPECT_EQ(std::memcmp(data(rank), values.data(), values.size() * sizeof(long)), 0);
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    }
    EXPECT_EQ(*reply(rank), rounds * in_flight);
  });
}

// Strided ones against the slow form, all shapes around small blocks; nothing else changes.
TEST_P(OneSided, BlocksLandWhereTheyShall) {
  constexpr long area = 20'000;
  constexpr int rounds = plain_or_sanitized(200, 40);
  const std::size_t places[] = {0, put_segment_bytes / 2 + 7, put_segment_bytes - data_offset - area};
  job_.run([&](int rank) {
    Random random(5);
    for (int round = 0; round < rounds; ++round) {
      const auto block = static_cast<long>(1 + random.below(round % 2 == 0 ? 20 : 900));
      const auto from = block + static_cast<long>(random.below(2) * random.below(100));
      const auto to = block + static_cast<long>(random.below(2) * random.below(100));
      const auto size = static_cast<long>(
          random.below(static_cast<std::uint64_t>(std::min(6000L, area / std::max(from, to) * block))));
      const std::size_t place = places[random.below(std::size(places))];
      Bytes sent = pattern(area, static_cast<unsigned>(round) + 1);
      Bytes expected(area);
      for (long i = 0; i < size; ++i)
        expected[static_cast<std::size_t>(i / block * to + i % block)] =
            sent[static_cast<std::size_t>(i / block * from + i % block)];
      if (rank == 0) {
        EXPECT_EQ(m_msg_put_stride_wait(1, sent.data(), data(0) + place, size, block, from, to, reply(0)),
                  M_SUCCESS);
      } else {
        EXPECT_EQ(m_wait_reply(reply(1), round + 1), M_SUCCESS);
        EXPECT_TRUE(same_bytes(expected.data(), data(1) + place, expected.size())) << "round " << round;
      }
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
      if (rank == 0) {
        Bytes got(area, std::byte{9}), back(area, std::byte{9});
        for (long i = 0; i < size; ++i) {
          const auto at = static_cast<std::size_t>(i / block * from + i % block);
          back[at] = sent[at];
        }
        EXPECT_EQ(m_msg_get_stride_wait(1, data(0) + place, got.data(), size, block, to, from), M_SUCCESS);
        EXPECT_TRUE(got == back) << "round " << round;
      }
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
      if (rank == 1) std::fill_n(data(1) + place, area, std::byte{0});
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    }
  });
}

// The newest put to a place stays, whichever ways those before it went. So it is as long as they travel in
// envelopes.
TEST_P(OneSided, NoShortPutOvertakesAnother) {
  constexpr long bytes = 3000;
  const std::size_t places[] = {0, put_segment_bytes - data_offset - bytes};
  job_.run([&](int rank) {
    for (int round = 1; round <= 100; ++round) {
      std::vector<std::vector<std::byte>> sent;
      std::vector<handle_t> handles;
      for (int k = 0; rank == 0 && k < 20; ++k) {
        sent.emplace_back(k % 5 == 0 ? bytes : 8, static_cast<std::byte>(round + k));
        for (const std::size_t place : places)
          handles.push_back(
              m_msg_put(1, sent.back().data(), data(0) + place, std::ssize(sent.back()), reply(0)));
      }
      for (const handle_t handle : handles) EXPECT_EQ(m_wait_msg(handle), M_SUCCESS);
      if (rank == 1) {
        EXPECT_EQ(m_wait_reply(reply(1), 40 * round), M_SUCCESS);
        for (const std::size_t place : places) {
          EXPECT_EQ(data(1)[place], static_cast<std::byte>(round + 19));
          EXPECT_EQ(data(1)[place + bytes - 1], static_cast<std::byte>(round + 15));
        }
      }
      EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    }
  });
}

TEST_P(OneSided, OneselfIsATargetToo) {
  job_.run([&](int rank) {
    long value = 42 + rank, got = 0;
    EXPECT_EQ(m_msg_put_wait(rank, &value, data(rank), sizeof value, reply(rank)), M_SUCCESS);
    EXPECT_EQ(*reply(rank), 1);
    EXPECT_EQ(m_msg_get_wait(rank, data(rank), &got, sizeof got), M_SUCCESS);
    EXPECT_EQ(got, value);
    EXPECT_EQ(m_wait_reply(reply(rank), -5), M_SUCCESS) << "it has more";
  });
}

}  // namespace
}  // namespace taihu::parallelc
