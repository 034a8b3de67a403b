// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/channel_tables.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"

namespace taihu::message {
namespace {

Channel* const some_channel = reinterpret_cast<Channel*>(0x1000);

/// Pages that the tables of so many ranks have in memory.
std::size_t present_pages(const ChannelTables& tables, int ranks) {
  const std::size_t bytes =
      (2 * sizeof(Channel*) + 1) * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  std::vector<unsigned char> present((bytes + page_bytes() - 1) / page_bytes());
  if (mincore(tables.incoming(0).data(), bytes, present.data()) != 0) return SIZE_MAX;
  std::size_t count = 0;
  for (const unsigned char page : present) count += page & 1;
  return count;
}

TEST(ChannelTables, BeginEmptyAndKeepApartWhatIsWritten) {
  for (const int ranks : {1, 2, 7, 100}) {
    const ChannelTables tables(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(tables.incoming(rank).size(), static_cast<std::size_t>(ranks));
      ASSERT_EQ(tables.outgoing(rank).size(), static_cast<std::size_t>(ranks));
      for (const auto& channel : tables.incoming(rank)) ASSERT_EQ(channel.load(), nullptr);
      for (Channel*& channel : tables.outgoing(rank)) {
        ASSERT_EQ(channel, nullptr);
        channel = some_channel;
      }
      ASSERT_EQ(tables.letters(rank).size(), static_cast<std::size_t>(ranks));
      for (std::uint8_t& letters : tables.letters(rank)) {
        ASSERT_EQ(letters, 0);
        letters = 3;
      }
    }
    for (int rank = 0; rank < ranks; ++rank)
      for (const auto& channel : tables.incoming(rank)) ASSERT_EQ(channel.load(), nullptr);
  }
}

TEST(ChannelTables, OfRanksThatTalkToFewTakeFewPages) {
  constexpr int ranks = 4000;
  const ChannelTables tables(ranks);
  EXPECT_EQ(present_pages(tables, ranks), 0u);
  for (int rank = 0; rank < ranks; rank += 100) {
    tables.outgoing(rank)[static_cast<std::size_t>((rank + 1) % ranks)] = some_channel;
    tables.incoming((rank + 1) % ranks)[static_cast<std::size_t>(rank)] = some_channel;
  }
  EXPECT_LE(present_pages(tables, ranks), 80u);  // of 62,500, where pages have 4 KiB
}

TEST(ChannelTables, WithoutAddressSpaceAreRefused) {
  EXPECT_THROW(ChannelTables(1 << 30), taihu::Error);
}

}  // namespace
}  // namespace taihu::message
