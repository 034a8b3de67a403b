// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/rings/shared_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "taihu/base/clock.h"

namespace taihu::message {
namespace {

class SharedRing : public testing::Test {
 protected:
  struct Free {
    void operator()(std::byte* region) const { std::free(region); }
  };

  /// A record with a piece of the second ring, written and read.
  void pass_piece() {
    constexpr std::size_t bytes = 1000;
    std::uint64_t position = 0;
    std::byte* const piece = writer.reserve_bytes(bytes, &position);
    ASSERT_NE(piece, nullptr);
    std::memset(piece, 7, bytes);
    std::byte* const content = writer.reserve(sizeof position);
    ASSERT_NE(content, nullptr);
    std::memcpy(content, &position, sizeof position);
    writer.publish(1, sizeof position);

    SharedRecord record;
    ASSERT_TRUE(reader.front(record));
    std::memcpy(&position, record.payload, sizeof position);
    EXPECT_EQ(reader.bytes_at(position)[bytes - 1], std::byte{7});
    reader.release_bytes(position, bytes);
    reader.pop(record);
  }
  /// As it does before it writes a piece.
  void look_at_both() {
    (void)writer.look_at_distance();
    EXPECT_FALSE(writer.has_bytes(shape.bytes + 1));
  }

  SharedRingShape shape{.lines = 64, .bytes = 4096};
  std::unique_ptr<std::byte, Free> region = [this] {
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(4096, 3 * 4096));
    std::memset(memory, 0, 3 * 4096);
    EXPECT_LE(shape.region_bytes(), std::size_t{3 * 4096});
    return std::unique_ptr<std::byte, Free>(memory);
  }();
  SharedRingWriter writer{region.get(), shape};
  SharedRingReader reader{region.get(), shape};
};

// Both counts of the reader lie in one line: the second look finds it here, however far the reader is.
TEST_F(SharedRing, LineThatWasFetchedOnceTellsOnceOfTheDistance) {
  for (int k = 0; k < 3; ++k) {
    pass_piece();
    look_at_both();
  }
  EXPECT_FALSE(writer.distance().is_near()) << "three lines, though each was looked at twice";
}

/// What a look takes at a line that no other core has: half of many take longer.
std::int64_t nearest_look_ns() {
  std::atomic<std::uint64_t> counts[2] = {};
  std::array<std::int64_t, 1001> looks;
  for (std::int64_t& look : looks) {
    const std::int64_t start = now_ns();
    (void)counts[0].load(std::memory_order_acquire);
    (void)counts[1].load(std::memory_order_acquire);
    look = now_ns() - start;
  }
  std::ranges::nth_element(looks, looks.begin() + looks.size() / 2);
  return looks[looks.size() / 2];
}

TEST_F(SharedRing, ReaderOnTheSameCoreProvesToBeNear) {
  const std::int64_t nearest = nearest_look_ns();
  if (CoreDistance::is_far(nearest))
    GTEST_SKIP() << "the clock and two loads take " << nearest << " ns here, as long as a far line";
  for (int k = 0; k < 1000 && !writer.distance().is_near(); ++k) {  // looks may be interrupted
    pass_piece();
    look_at_both();
  }
  EXPECT_TRUE(writer.distance().is_near());
}

TEST_F(SharedRing, LineThatHasNotChangedTellsNothing) {
  pass_piece();
  for (int k = 0; k < 100; ++k) look_at_both();
  EXPECT_FALSE(writer.distance().is_near());
}

}  // namespace
}  // namespace taihu::message
