// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/rings/tally_line.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "taihu/base/random.h"

namespace taihu::message {
namespace {

Tally numbered(int number) {
  Tally tally;
  tally.destination = number / 4;
  tally.has_reply = number % 4 != 0;
  if (tally.has_reply)
    tally.reply = {static_cast<std::uint32_t>(number % 2), static_cast<std::uint64_t>(number)};
  return tally;
}

int number_of(const Tally& tally) {
  return tally.has_reply ? static_cast<int>(tally.reply.offset) : tally.destination * 4;
}

using Counts = std::map<int, std::uint64_t>;

/// The line, and the records that give its places their meanings.
struct Way {
  TallyLine line{};
  TallyWriter writer{line};
  TallyReader reader{line};
  std::deque<TallyMeaning> records;
  Counts told;

  void count(int number) {
    if (!writer.find(numbered(number))) {
      records.push_back(writer.next_meaning(numbered(number)));
      writer.assign(records.back());
    }
    writer.add();
  }
  auto counted() {
    return [this](const Tally& tally, std::uint64_t times) { told[number_of(tally)] += times; };
  }
  void read_record() {
    reader.learn(records.front(), counted());
    records.pop_front();
  }
};

TEST(TallyLine, TellsTogetherWhatCameSinceTheLastLook) {
  Way way;
  EXPECT_FALSE(way.reader.has_news());
  way.count(1);
  way.count(1);
  way.count(4);
  EXPECT_TRUE(way.reader.has_news());
  while (!way.records.empty()) way.read_record();
  way.reader.take(way.counted());
  EXPECT_EQ(way.told, (Counts{{1, 2}, {4, 1}}));
  EXPECT_FALSE(way.reader.has_news());
  way.count(4);
  EXPECT_TRUE(way.reader.has_news());
  way.reader.take(way.counted());
  EXPECT_EQ(way.told, (Counts{{1, 2}, {4, 2}}));
}

TEST(TallyLine, WaitsForTheMeaning) {
  Way way;
  way.count(1);
  way.reader.take(way.counted());
  EXPECT_TRUE(way.told.empty()) << "nobody has said what is counted";
  way.read_record();
  EXPECT_TRUE(way.reader.has_news()) << "what was seen too early is to be looked at again";
  way.reader.take(way.counted());
  EXPECT_EQ(way.told, (Counts{{1, 1}}));
}

TEST(TallyLine, APlaceGetsAnotherMeaning) {
  Way way;
  for (int number = 0; number < 3 * static_cast<int>(tally_places); ++number)
    for (int times = 0; times <= number; ++times) way.count(number);
  // Only the last meanings stand in the line; the records tell how far the others went.
  way.reader.take(way.counted());
  EXPECT_TRUE(way.told.empty());
  while (!way.records.empty()) {
    way.read_record();
    way.reader.take(way.counted());
  }
  for (int number = 0; number < 3 * static_cast<int>(tally_places); ++number)
    EXPECT_EQ(way.told[number], static_cast<std::uint64_t>(number) + 1);
}

TEST(TallyLine, ManyMeaningsOfOnePlace) {
  Way way;
  const int times = 200'000;  // more than there are generations
  for (int i = 0; i < times; ++i) {
    way.count(i % 100);
    while (!way.records.empty()) way.read_record();
    way.reader.take(way.counted());
  }
  for (int number = 0; number < 100; ++number) EXPECT_EQ(way.told[number], times / 100U);
}

/// A writer and a reader at once: nothing is lost and nothing counted for another one, and what was counted
/// before a record was written is told when the record has been read; plain data that were written before
/// they were counted are there.
TEST(TallyLine, BetweenThreads) {
  struct Record {
    std::optional<TallyMeaning> meaning;  // or just a record
    Counts counted_before;
  };
  Way way;
  std::mutex mutex;
  std::deque<Record> records;  // guarded by mutex
  std::atomic<int> written{0}, read{0};
  Counts sent;
  const int additions = 20'000;
  constexpr int kinds = 40;
  std::vector<std::vector<int>> data(kinds, std::vector<int>(additions));  // by number: of each addition
  const auto write = [&](std::optional<TallyMeaning> meaning) {
    const std::lock_guard hold(mutex);
    records.push_back({meaning, sent});
    written.fetch_add(1);
  };
  std::thread writer([&] {
    Random random(5);
    for (int i = 0; i < additions; ++i) {
      if (random.below(50) == 0) write(std::nullopt);
      const int number = static_cast<int>(random.below(i % 1000 < 900 ? tally_places : kinds));
      if (!way.writer.find(numbered(number))) {
        while (read.load() != written.load()) std::this_thread::yield();
        const TallyMeaning meaning = way.writer.next_meaning(numbered(number));
        write(meaning);
        way.writer.assign(meaning);
      }
      std::uint64_t& before = sent[number];
      data[static_cast<std::size_t>(number)][before] = i + 1;
      way.writer.add();
      ++before;
    }
    write(std::nullopt);
  });
  std::string problem;  // the writer waits for the reader: this one goes on
  const auto counted = [&](const Tally& tally, std::uint64_t times) {
    const int number = number_of(tally);
    std::uint64_t& told = way.told[number];
    for (; times != 0; --times, ++told)
      if (data[static_cast<std::size_t>(number)][told] == 0)
        problem = "data of " + std::to_string(number) + " come behind their count";
  };
  for (bool is_last = false; !is_last;) {
    std::optional<Record> record;
    {
      const std::lock_guard hold(mutex);
      if (!records.empty()) {
        record = std::move(records.front());
        records.pop_front();
      }
    }
    if (way.reader.has_news()) way.reader.take(counted);
    if (!record) {
      std::this_thread::yield();
      continue;
    }
    if (record->meaning) way.reader.learn(*record->meaning, counted);
    std::uint64_t before = 0;
    for (const auto& [number, count] : record->counted_before) {
      before += count;
      if (way.told[number] < count) problem = "too few of " + std::to_string(number);
    }
    is_last = before == additions;
    read.fetch_add(1);
  }
  writer.join();
  EXPECT_EQ(problem, "");
  EXPECT_EQ(way.told, sent);
}

}  // namespace
}  // namespace taihu::message
