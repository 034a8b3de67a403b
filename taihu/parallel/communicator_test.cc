// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/communicator.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "taihu/parallel/messages.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/recorded_communicator.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::parallel {
namespace {

constexpr Tag some_tag{1}, other_tag{2};

/// One rank alone, and 1, 2, an odd number and more ranks than processors.
class EveryCommunicator : public testing::TestWithParam<int> {
 protected:
  static constexpr int alone = 0;
  static void on_all(const std::function<void(Communicator&)>& body) {
    if (GetParam() != alone) {
      on_ranks(GetParam(), body);
      return on_ranks(GetParam(), [&](Communicator& ranks) { recorded(ranks, body); });
    }
    SoloCommunicator ranks;
    body(ranks);
    recorded(ranks, body);
  }
  /// What is written down changes nothing.
  static void recorded(Communicator& ranks, const std::function<void(Communicator&)>& body) {
    RecordedCommunicator outer(ranks);
    outer.record(true);
    body(outer);
  }
};
INSTANTIATE_TEST_SUITE_P(Sizes, EveryCommunicator,
                         testing::Values(0, 1, 2, 3,
                                         2 * static_cast<int>(std::thread::hardware_concurrency()) + 3));

/// Bytes that tell from whom to whom they go; their number is odd, even or 0.
Bytes letter(int from, int to, std::size_t length) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>(7 * from + 3 * to + static_cast<int>(i));
  return bytes;
}
std::size_t length_of(int from, int to) {
  return static_cast<std::size_t>((from * 5 + to * 3) % 4 * 11);
}

TEST_P(EveryCommunicator, CombinesElementByElement) {
  on_all([](Communicator& ranks) {
    const std::int64_t size = ranks.size(), mine = ranks.rank();
    for (const std::size_t length : {0, 1, 5}) {
      std::vector<std::int64_t> whole(length);
      std::vector<double> largest(length);
      std::vector<ExactSum<128>> exact(length), expected(length);
      for (std::size_t i = 0; i < length; ++i) {
        whole[i] = mine + static_cast<std::int64_t>(i);
        largest[i] = static_cast<double>(i % 2 == 0 ? mine : -mine);
        exact[i].add(0.1 * static_cast<double>(mine + 1));
        for (int r = 0; r < size; ++r) expected[i].add(0.1 * (r + 1));
      }
      ranks.sum(std::span(whole));
      ranks.maximum(std::span(largest));
      ranks.sum(std::span(exact));
      for (std::size_t i = 0; i < length; ++i) {
        EXPECT_EQ(whole[i], size * (size - 1) / 2 + size * static_cast<std::int64_t>(i));
        EXPECT_EQ(largest[i], i % 2 == 0 ? static_cast<double>(size - 1) : 0);
      }
      EXPECT_EQ(exact, expected);
    }
  });
}

TEST_P(EveryCommunicator, GathersAndBroadcasts) {
  on_all([](Communicator& ranks) {
    const std::vector<std::int64_t> all = ranks.all(ranks.rank() * 10);
    const std::vector<Bytes> letters = ranks.all_gather(letter(ranks.rank(), 0, length_of(ranks.rank(), 0)));
    ASSERT_EQ(std::ssize(all), ranks.size());
    ASSERT_EQ(std::ssize(letters), ranks.size());
    for (int from = 0; from < ranks.size(); ++from) {
      EXPECT_EQ(all[from], from * 10);
      EXPECT_EQ(letters[from], letter(from, 0, length_of(from, 0)));
    }
    std::array<int, 3> numbers = ranks.is_root() ? std::array{1, 2, 3} : std::array{0, 0, 0};
    ranks.broadcast(numbers.data(), 0);
    ranks.broadcast(numbers.data(), sizeof numbers);
    EXPECT_EQ(numbers, (std::array{1, 2, 3}));
  });
}

TEST_P(EveryCommunicator, BringsToEachWhatIsForIt) {
  on_all([](Communicator& ranks) {
    const int mine = ranks.rank();
    std::vector<Bytes> out, expected;
    for (int r = 0; r < ranks.size(); ++r) {
      out.push_back(letter(mine, r, length_of(mine, r)));
      expected.push_back(letter(r, mine, length_of(r, mine)));
    }
    EXPECT_EQ(ranks.all_to_all(out), expected);
    EXPECT_EQ(exchange_all(ranks, out), expected);
  });
}

TEST_P(EveryCommunicator, ExchangesElementsInOrderOfRank) {
  struct Element {
    int from, to;
    double number;
    bool operator==(const Element&) const = default;
  };
  on_all([](Communicator& ranks) {
    std::vector<Element> out, expected;
    std::vector<std::int64_t> counts;
    for (int r = 0; r < ranks.size(); ++r) {
      counts.push_back((ranks.rank() + r) % 3);
      for (int i = 0; i < counts.back(); ++i) {
        out.push_back({ranks.rank(), r, 0.5 * i});
        expected.push_back({r, ranks.rank(), 0.5 * i});
      }
    }
    EXPECT_EQ(ranks.exchange<Element>(out, counts), expected);
    EXPECT_TRUE(ranks.exchange<Element>({}, std::vector<std::int64_t>(ranks.size())).empty());
  });
}

TEST_P(EveryCommunicator, FillsTheBuffersOfNeighbours) {
  on_all([](Communicator& ranks) {
    if (ranks.size() == 1) return;
    const int after = (ranks.rank() + 1) % ranks.size(),
              before = (ranks.rank() + ranks.size() - 1) % ranks.size();
    for (int round = 0; round < 3; ++round) {
      int out[2] = {ranks.rank(), round}, in[2] = {-1, -1};
      const Communicator::Buffer sends[] = {{after, out, sizeof out}}, receives[] = {{before, in, sizeof in}};
      ranks.start(sends, receives);
      ranks.finish();
      EXPECT_EQ(in[0], before);
      EXPECT_EQ(in[1], round);
    }
    ranks.start({}, {});
    ranks.finish();
  });
}

TEST_P(EveryCommunicator, TakesMessagesOfATagInTheirOrder) {
  on_all([](Communicator& ranks) {
    for (int to = 0; to < ranks.size(); ++to)
      for (const int number : {1, 2}) {
        ranks.post(to, other_tag, Bytes(1));
        ranks.post(to, some_tag, to_bytes(std::vector{ranks.rank(), number}));
      }
    Message message;
    for (int from = ranks.size() - 1; from >= 0; --from)
      for (const int number : {1, 2}) {
        ASSERT_TRUE(ranks.take(some_tag, from, true, message));
        EXPECT_EQ(message.from, from);
        EXPECT_EQ(from_bytes<int>(message.data), (std::vector{from, number}));
      }
    EXPECT_FALSE(ranks.take(some_tag, any_rank, false, message));
    for (int i = 0; i < 2 * ranks.size(); ++i) EXPECT_TRUE(ranks.take(other_tag, any_rank, true, message));
  });
}

TEST_P(EveryCommunicator, ThrowsOnAllRanksWhatOneThrew) {
  on_all([](Communicator& ranks) {
    const int guilty = ranks.size() - 1;
    try {
      together(ranks, true, [&] {
        if (ranks.rank() == guilty) throw UsageError("wrong on " + std::to_string(guilty));
      });
      ADD_FAILURE() << "rank " << ranks.rank();
    } catch (const SharedError& error) {
      EXPECT_EQ(error.what(), "wrong on " + std::to_string(guilty));
      EXPECT_TRUE(error.wrong_use());
    }
    EXPECT_NO_THROW(together(ranks, true, [] {}));
  });
}

TEST(Messages, LongOnesTravelInPieces) {
  on_ranks(2, [](Communicator& ranks) {
    constexpr std::size_t length = (std::size_t{64} << 20) * 2 + 3;  // two whole pieces and some
    if (ranks.is_root()) {
      Bytes bytes(length);
      bytes.front() = bytes[length / 2] = bytes.back() = std::byte{7};
      send_to(ranks, 1, std::move(bytes));
    } else {
      const Bytes bytes = receive_from(ranks, 0);
      ASSERT_EQ(bytes.size(), length);
      EXPECT_EQ(bytes.front(), std::byte{7});
      EXPECT_EQ(bytes[length / 2], std::byte{7});
      EXPECT_EQ(bytes.back(), std::byte{7});
    }
  });
}

TEST(Messages, ThatEndTooEarlyAreRefused) {
  Bytes bytes;
  append(bytes, 7);
  Reader reader(bytes);
  EXPECT_THROW(reader.read<double>(), Error);
  EXPECT_EQ(reader.read<int>(), 7);
  EXPECT_TRUE(reader.empty());
  EXPECT_THROW(reader.read<char>(), Error);
}

TEST(ThreadRanks, NoneIsNoWork) {
  run_ranks(0, [](Communicator&) { FAIL(); });
}

/// The others wait for the rank that throws in each of the ways there are.
TEST(ThreadRanks, EndWhenOneThrows) {
  const std::vector<std::function<void(Communicator&)>> waits{
      [](Communicator& ranks) { ranks.all(1); },
      [](Communicator& ranks) {
        Message message;
        ranks.take(some_tag, 1, true, message);
      },
      [](Communicator& ranks) {
        int number = 0;
        const Communicator::Buffer receives[] = {{1, &number, sizeof number}};
        ranks.start({}, receives);
        ranks.finish();
      }};
  for (const auto& wait : waits) {
    std::atomic<int> left_early = 0;
    const auto body = [&](Communicator& ranks) {
      ranks.all(0);
      if (ranks.rank() == 1) throw std::length_error("rank 1");
      try {
        wait(ranks);
      } catch (const Error&) {
        ++left_early;
        throw;
      }
    };
    EXPECT_THROW(run_ranks(3, body), std::length_error);
    EXPECT_EQ(left_early, 2);
  }
}

TEST(ThreadRanks, ThrowWhatTheLowestRankThrew) {
  const auto body = [](Communicator& ranks) {
    ranks.all(0);
    throw Error("rank " + std::to_string(ranks.rank()));
  };
  try {
    run_ranks(3, body);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 0");
  }
}

TEST(ThreadRanks, BuffersOfOtherSizesAreRefused) {
  const auto body = [](Communicator& ranks) {
    int number = 0;
    const Communicator::Buffer mine[] = {{1 - ranks.rank(), &number, ranks.is_root() ? sizeof number : 1}};
    ranks.start(mine, mine);
    ranks.finish();
  };
  EXPECT_THROW(run_ranks(2, body), Error);
}

}  // namespace
}  // namespace taihu::parallel
