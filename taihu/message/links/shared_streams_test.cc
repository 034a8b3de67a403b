// SPDX-License-Identifier: Apache-2.0
// What goes by the link of shared memory in less than a line: short envelopes that repeat their heads, and
// counts, between real processes.
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "taihu/base/random.h"
#include "taihu/message/links/forked_job_for_tests.h"
#include "taihu/message/links/shared_link_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Envelopes as streams of standard messages have them: a few heads that are mostly repeated, short payloads.
class ShortEnvelopes final : public EnvelopeReader {
 public:
  struct Head {
    std::uint64_t words[3];
  };
  using Payload = std::array<std::byte, 700>;
  int got = 0;
  std::string problem;

  /// What is sent as number `number`; returns the bytes of the payload.
  static std::size_t make(int number, Head& head, Payload& payload) {
    Random random(static_cast<std::uint64_t>(number / 6));
    head = {{random.below(3), 7, random.below(2)}};
    Random next(static_cast<std::uint64_t>(number) + 1000);
    // Most share a line, some take lines of their own, and a few stand beside the lines.
    const std::size_t most = std::array<std::size_t, 4>{9, 9, 80, payload.size()}[random.below(4)];
    const std::size_t bytes = next.below(most);
    fill_pattern(payload.data(), bytes, static_cast<std::uint64_t>(number));
    return bytes;
  }
  void envelope(int, const std::byte* bytes, const std::byte* payload, std::size_t length) override {
    Head head;
    Payload expected;
    const std::size_t expected_bytes = make(got++, head, expected);
    if (length != sizeof head + expected_bytes || std::memcmp(bytes, &head, sizeof head) != 0 ||
        std::memcmp(payload != nullptr ? payload : bytes + sizeof head, expected.data(), expected_bytes) != 0)
      problem = "envelope " + std::to_string(got - 1) + " of a stream is wrong";
  }
};

TEST(SharedLink, ShortEnvelopesOfStreamsArriveInOrderAndWhole) {
  constexpr int envelopes = 50'000;
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    ShortEnvelopes envelopes_got;
    for (int number = 0; process == 0 && number < envelopes; ++number) {
      ShortEnvelopes::Head head;
      ShortEnvelopes::Payload payload;
      const std::size_t bytes = ShortEnvelopes::make(number, head, payload);
      while (!link->send_envelope(1, &head, sizeof head, {payload.data(), bytes})) sched_yield();
    }
    while (process == 1 && envelopes_got.got < envelopes && envelopes_got.problem.empty())
      if (!link->read(envelopes_got, 16)) sched_yield();
    link->barrier();
    return envelopes_got.problem.empty() ? 0 : failed(envelopes_got.problem);
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

TEST(SharedLink, WhatIsNextIsFoundInPlaceOrLeftToTheReader) {
  constexpr int envelopes = 50'000;
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    ShortEnvelopes envelopes_got;
    ShortEnvelopes::Head head;
    ShortEnvelopes::Payload payload;
    for (int number = 0; process == 0 && number < envelopes; ++number) {
      const std::size_t bytes = ShortEnvelopes::make(number, head, payload);
      while (!link->send_envelope(1, &head, sizeof head, {payload.data(), bytes})) sched_yield();
    }
    Random random(5);
    while (process == 1 && envelopes_got.got < envelopes && envelopes_got.problem.empty()) {
      (void)ShortEnvelopes::make(envelopes_got.got, head, payload);
      const bool is_wanted = random.below(3) != 0;
      if (!is_wanted) ++head.words[1];
      InPlace found;
      const Next next = link->next_from(0, &head, sizeof head, found);
      if (next == Next::expected && !is_wanted)
        envelopes_got.problem = "another head was taken for the one wanted";
      if (next == Next::expected) {
        envelopes_got.envelope(0, reinterpret_cast<const std::byte*>(&head), found.address,
                               sizeof head + found.bytes);
        link->pop_next(0);
      } else if (next == Next::other && is_wanted) {
        envelopes_got.problem = "the envelope that is next was not found";
      } else if (next == Next::other) {
        (void)link->read(envelopes_got, 1);
      } else {
        sched_yield();
      }
    }
    link->barrier();
    return envelopes_got.problem.empty() ? 0 : failed(envelopes_got.problem);
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

Tally tally_of(int number) {
  Tally tally;
  tally.destination = number;
  tally.has_reply = number % 3 != 0;
  tally.reply = {1, static_cast<std::uint64_t>(8 * number)};
  return tally;
}

/// Sums what is counted; an envelope brings the number of additions before it.
class Counter final : public EnvelopeReader {
 public:
  static constexpr int kinds = 30;
  int sum = 0, envelopes = 0;
  std::vector<int> counts = std::vector<int>(kinds);
  std::string problem;
  void counted(int, const Tally& tally, std::uint64_t times) override {
    if (!(tally == tally_of(tally.destination))) problem = "another tally than was counted";
    counts[static_cast<std::size_t>(tally.destination)] += static_cast<int>(times);
    sum += static_cast<int>(times);
  }
  void envelope(int, const std::byte* head, const std::byte*, std::size_t) override {
    int before = 0;
    std::memcpy(&before, head, sizeof before);
    if (sum < before) problem = "an envelope has overtaken what was counted before it";
    ++envelopes;
  }
};

TEST(SharedLink, CountsBeforeTheNextEnvelope) {
  constexpr int additions = 10'000, between_envelopes = 7;
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    if (!link->shares_memory_with(1 - process) || link->shares_memory_with(process))
      return failed("shares memory with the wrong ones");
    Counter counter;
    Random random(3);
    const auto next = [&](int i) {  // often the same ones, at times all
      return static_cast<int>(random.below(i % 1000 < 900 ? 5 : Counter::kinds));
    };
    if (process == 0) {
      for (int i = 0; i < additions; ++i) {
        if (i % between_envelopes == 0)
          while (!send_number(*link, 1, i)) sched_yield();
        const Tally tally = tally_of(next(i));
        while (!link->tally(1, tally)) sched_yield();
      }
    } else {
      constexpr int envelopes = (additions + between_envelopes - 1) / between_envelopes;
      while (counter.problem.empty() && (counter.sum < additions || counter.envelopes < envelopes))
        (void)link->read(counter, 8);
      for (int i = 0; i < additions; ++i) --counter.counts[static_cast<std::size_t>(next(i))];
      if (counter.counts != std::vector<int>(Counter::kinds)) counter.problem = "one was counted for another";
      if (!counter.problem.empty()) return failed(counter.problem);
    }
    link->barrier();
    return 0;
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

TEST(SharedLink, AFullRingTakesNoNewTallyButTheKnownOnes) {
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    const std::unique_ptr<Link> link = shared(hub, process);
    Counter counter;
    if (process == 0) {
      if (!link->tally(1, tally_of(1))) return failed("no room in an empty ring");
      int zero = 0;
      while (link->send_envelope(1, &zero, sizeof zero, {nullptr, 0})) {
      }
      if (link->tally(1, tally_of(2))) return failed("the meaning of a tally fits into a full ring");
      if (!link->tally(1, tally_of(1))) return failed("a known tally needs room");
      link->barrier();
      link->barrier();
      // The ring has been read, but that is not asked for each time.
      if (link->tally(1, tally_of(2))) return failed("the ring is looked at again at once");
      int tries = 0;
      while (tries < 100 && !link->tally(1, tally_of(2))) ++tries;
      if (tries == 100) return failed("a ring that has been read takes no new tally");
    } else {
      link->barrier();
      while (counter.sum < 2) (void)link->read(counter, 64);
      if (counter.counts[1] != 2) return failed("one was counted for another");
      while (link->read(counter, 64)) {
      }
      link->barrier();
      while (counter.sum < 3) (void)link->read(counter, 64);
      if (counter.counts[2] != 1) return failed("the second tally was counted for another");
    }
    link->barrier();
    return counter.problem.empty() ? 0 : failed(counter.problem);
  });
  EXPECT_EQ(statuses, (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace taihu::message
