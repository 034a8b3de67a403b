// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/rings/mailbox.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>
#include <vector>

namespace taihu::message {
namespace {

bool put(Mailbox& mailbox, int source, int tag, const std::string& text) {
  return mailbox.put(source, 7, tag, text.data(), text.size());
}

std::vector<std::string> emptied(Mailbox& mailbox) {
  std::vector<std::string> texts;
  mailbox.empty([&](const Letter& letter) {
    EXPECT_EQ(letter.context, 7u);
    texts.push_back(std::to_string(letter.source) + " " + std::to_string(letter.tag) + " " +
                    std::string(reinterpret_cast<const char*>(letter.payload), letter.bytes));
  });
  return texts;
}

TEST(Mailbox, KeepsLettersInTheirOrder) {
  Mailbox mailbox(2);
  EXPECT_FALSE(mailbox.has_letters());
  EXPECT_TRUE(put(mailbox, 1, 3, "first"));
  EXPECT_TRUE(put(mailbox, 0, 4, ""));
  EXPECT_TRUE(put(mailbox, 1, 5, std::string(Letter::most_bytes, 'x')));
  EXPECT_TRUE(mailbox.has_letters());
  EXPECT_EQ(emptied(mailbox), (std::vector<std::string>{"1 3 first", "0 4 ", "1 5 " + std::string(40, 'x')}));
  EXPECT_FALSE(mailbox.has_letters());
  EXPECT_TRUE(emptied(mailbox).empty());
}

TEST(Mailbox, RefusesWhatItHasNoRoomForAndOnlyThat) {
  for (const int producers : {1, 5, 1000}) {
    Mailbox mailbox(producers);
    int room = 0;
    while (put(mailbox, 0, room, "x")) ++room;
    EXPECT_GE(room, producers == 1000 ? 256 : producers * Mailbox::most_of_one);
    EXPECT_EQ(emptied(mailbox).size(), static_cast<std::size_t>(room));
    for (int i = 0; i < room; ++i) EXPECT_TRUE(put(mailbox, 0, i, "y")) << i;
    EXPECT_FALSE(put(mailbox, 0, room, "y"));
    mailbox.check_invariants();
  }
}

TEST(Mailbox, HasTheLettersOfManyThreadsOnceAndOfEachInItsOrder) {
  constexpr int threads = 4, letters = 5000;
  Mailbox mailbox(threads);
  std::vector<std::thread> producers;
  for (int source = 0; source < threads; ++source)
    producers.emplace_back([&mailbox, source] {
      for (int i = 0; i < letters;)
        if (mailbox.put(source, 7, i, &i, sizeof i))
          ++i;
        else
          sched_yield();
    });
  std::vector<int> next(threads, 0);
  int taken = 0, wrong = 0;
  while (taken < threads * letters) {
    const int before = taken;
    mailbox.empty([&](const Letter& letter) {
      int data;
      std::memcpy(&data, letter.payload, sizeof data);
      int& expected = next[static_cast<std::size_t>(letter.source)];
      wrong += letter.tag != expected || data != expected || letter.bytes != sizeof data;
      ++expected;
      ++taken;
    });
    if (taken == before) sched_yield();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(mailbox.has_letters());
}

}  // namespace
}  // namespace taihu::message
