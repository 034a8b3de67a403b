// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/rings/shared_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

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

TEST_F(SharedRing, ReaderOnTheSameCoreProvesToBeNear) {
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
