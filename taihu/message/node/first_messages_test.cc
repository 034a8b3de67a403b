// SPDX-License-Identifier: Apache-2.0
// How ranks begin to talk to each other: whatever way the first messages take, they come in order and whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "taihu/base/random.h"
#include "taihu/message/job_for_tests.h"

namespace taihu::message {
namespace {

/// Of the message with this number from `source`: short ones before and after the first long one.
std::vector<int> contents(int source, int number) {
  constexpr std::size_t lengths[] = {1, 10, 0, 2, 200, 3, 1, 11, 9000};
  return std::vector<int>(lengths[static_cast<std::size_t>(source + number) % std::size(lengths)],
                          1000 * source + number);
}

void send_number(Endpoint& me, int to, int number) {
  const std::vector<int> data = contents(me.rank(), number);
  me.send(to, user_context, number, data.data(), data.size() * sizeof(int));
}

/// The next message of `source`, or of anybody: must be the one behind those before it.
void receive_next(Endpoint& me, int source, std::vector<int>& next) {
  std::vector<int> data(10000);
  Status status;
  me.receive(source, user_context, any_tag, {data.data(), data.size() * sizeof(int)}, &status);
  const int number = next[static_cast<std::size_t>(status.source)]++;
  data.resize(status.bytes / sizeof(int));
  EXPECT_EQ(status.tag, number) << status.source << " to " << me.rank();
  EXPECT_EQ(data, contents(status.source, number)) << status.source << " to " << me.rank();
}

TEST(FirstMessages, ComeInOrderFromOneToAnother) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    JobForTests job(1, 2);
    job.run([&](Endpoint& me) {
      std::vector<int> next(2, 0);
      for (int number = 0; number < 12; ++number) {
        send_number(me, 1 - me.rank(), number);
        if ((number + repeat) % 3 == 0) receive_next(me, 1 - me.rank(), next);
      }
      while (next[static_cast<std::size_t>(1 - me.rank())] < 12) receive_next(me, 1 - me.rank(), next);
    });
  }
}

/// All to all, in an order of its own for each rank; receives from each, or from anybody.
TEST(FirstMessages, ComeInOrderFromAllToAll) {
  constexpr int ranks = 9, messages = 9;
  for (const bool from_anybody : {false, true}) {
    JobForTests job(1, ranks);
    job.run([&](Endpoint& me) {
      Random random(static_cast<std::uint64_t>(me.rank()));
      std::vector<int> next(ranks, 0), sent(ranks, 0);
      const auto is_left = [](int count) { return count < messages; };
      while (std::ranges::any_of(sent, is_left)) {
        const auto to = random.below(ranks);
        if (is_left(sent[to])) send_number(me, static_cast<int>(to), sent[to]++);
      }
      while (std::ranges::any_of(next, is_left)) {
        const auto from = random.below(ranks);
        if (from_anybody)
          receive_next(me, any_rank, next);
        else if (is_left(next[from]))
          receive_next(me, static_cast<int>(from), next);
      }
    });
  }
}

/// More than a mailbox holds, while the receiver is elsewhere: the sender goes on.
TEST(FirstMessages, OfManyWaitForNobody) {
  constexpr int ranks = 400;
  JobForTests job(1, ranks);
  Endpoint& last = job.endpoint(ranks - 1);
  for (int rank = 0; rank < ranks; ++rank)
    for (int number = 0; number < 3; ++number)
      job.endpoint(rank).send(ranks - 1, user_context, number, &rank, sizeof rank);
  for (int rank = ranks - 1; rank >= 0; --rank)
    for (int number = 0; number < 3; ++number) {
      int got = -1;
      EXPECT_EQ(last.receive(rank, user_context, number, &got, sizeof got).bytes, sizeof got);
      EXPECT_EQ(got, rank);
    }
  job.finish();
}

}  // namespace
}  // namespace taihu::message
