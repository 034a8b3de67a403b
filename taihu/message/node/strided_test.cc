// SPDX-License-Identifier: Apache-2.0
// Blocks with gaps: the copying against the slow form, and one-sided transfers against a model of all
// memories.
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/message/data/layouts_for_tests.h"
#include "taihu/message/data/strided_blocks.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

Bytes patterned(std::size_t bytes, std::uint64_t seed) {
  Bytes result(bytes);
  fill_pattern(result.data(), bytes, seed);
  return result;
}

TEST(StridedBlocks, PackAndUnpackAnyPieceLikeTheSlowForm) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t block = 1 + random.below(i % 3 == 0 ? 300 : 40);
    const std::size_t stride = block + random.below(3) * random.below(70);
    const std::size_t total = random.below(1500);
    const std::size_t first = total == 0 ? 0 : random.below(total);
    const std::size_t bytes = random.below(total - first + 1);
    const StridedLayout slow(block, stride);
    const StridedBlocks fast(block, stride);
    EXPECT_EQ(strided_extent(total, block, stride), slow.extent(total));
    Bytes memory = patterned(slow.extent(total), 7);
    Bytes packed(bytes + 1, std::byte{0xee}), expected = packed;
    fast.pack(packed.data(), memory.data(), first, bytes);
    slow.pack(expected.data(), memory.data(), first, bytes);
    ASSERT_EQ(packed, expected) << block << '/' << stride << " from " << first << ", " << bytes << " bytes";
    const Bytes other = patterned(bytes, 99);
    Bytes expected_memory = memory;
    fast.unpack(memory.data(), other.data(), first, bytes);
    slow.unpack(expected_memory.data(), other.data(), first, bytes);
    ASSERT_EQ(memory, expected_memory) << block << '/' << stride << " from " << first;
  }
}

TEST(StridedBlocks, CopyFromBlocksOfAnySizeAndFromOtherLayouts) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t bytes = random.below(600);
    const std::size_t block = 1 + random.below(50), from_block = i % 2 == 0 ? block : 1 + random.below(50);
    const std::size_t stride = block + random.below(30), from_stride = from_block + random.below(30);
    const StridedLayout slow(block, stride), slow_source(from_block, from_stride);
    const Bytes source = patterned(slow_source.extent(bytes), 3);
    Bytes expected(slow.extent(bytes), std::byte{0xee});
    slow.copy(expected.data(), slow_source, source.data(), bytes);
    const StridedBlocks fast_source(from_block, from_stride);
    for (const Layout* from :
         {static_cast<const Layout*>(&fast_source), static_cast<const Layout*>(&slow_source)}) {
      Bytes target(expected.size(), std::byte{0xee});
      StridedBlocks(block, stride).copy(target.data(), *from, source.data(), bytes);
      ASSERT_EQ(target, expected) << bytes << " bytes, " << from_block << '/' << from_stride << " to "
                                  << block << '/' << stride;
    }
  }
}

constexpr int ranks = 3;
constexpr int lanes = 4;  // transfers of a rank to one target under way at once
constexpr std::size_t lane_bytes = 700'000;
constexpr std::size_t lanes_offset = 64;  // the reply word is at 0
constexpr memory::SymmetricAddress strided_reply{0, 0};

std::size_t lane_offset(int writer, int lane) {
  return lanes_offset +
         (static_cast<std::size_t>(writer) * lanes + static_cast<std::size_t>(lane)) * lane_bytes;
}

/// Puts and gets at random by one rank in lanes of its own at every target, of which it keeps a model.
class RandomTransfers {
 public:
  RandomTransfers(Endpoint& endpoint, std::uint64_t seed)
      : me_(endpoint), random_(seed * 31 + static_cast<unsigned>(endpoint.rank())) {
    for (auto& of_target : model_) of_target.fill(Bytes(lane_bytes));
  }

  void run(int operations) {
    for (int i = 0; i < operations; ++i) {
      const int target = static_cast<int>(random_.below(ranks));
      const int lane = i % lanes;
      finish(lane);
      if (random_.below(3) == 0)
        get(target, lane);
      else
        put(target, lane);
    }
    for (int lane = 0; lane < lanes; ++lane) finish(lane);
  }

  const Bytes& model(int target, int lane) const {
    return model_[static_cast<unsigned>(target)][static_cast<unsigned>(lane)];
  }
  int puts_to(int target) const { return puts_[static_cast<unsigned>(target)]; }

 private:
  struct UnderWay {
    Request* request = nullptr;
    Bytes buffer, expected;
  };

  /// Of a few bytes, of a few thousand, or more than one piece; with gaps at both ends, one or none.
  StridedShape draw_shape() {
    const std::size_t most[] = {50, 5'000, 40'000, 300'000};
    StridedShape shape;
    shape.bytes = random_.below(most[random_.below(4)]);
    shape.block = 1 + random_.below(random_.below(2) == 0 ? 40 : 3'000);
    shape.source_stride = shape.block + (random_.below(3) == 0 ? 0 : random_.below(shape.block));
    shape.target_stride = shape.block + (random_.below(3) == 0 ? 0 : random_.below(shape.block));
    return shape;
  }

  void put(int target, int lane) {
    const StridedShape shape = draw_shape();
    UnderWay& under_way = under_way_[static_cast<unsigned>(lane)];
    under_way.buffer = patterned(shape.source_extent(), ++seed_);
    Bytes& memory = model_[static_cast<unsigned>(target)][static_cast<unsigned>(lane)];
    const std::size_t at = random_.below(lane_bytes - shape.target_extent());
    StridedLayout(shape.block, shape.target_stride)
        .copy(&memory[at], StridedLayout(shape.block, shape.source_stride), under_way.buffer.data(),
              shape.bytes);
    const bool replies = random_.below(2) == 0;
    if (replies) ++puts_[static_cast<unsigned>(target)];
    under_way.request =
        me_.put_blocks(target, under_way.buffer.data(), {0, lane_offset(me_.rank(), lane) + at}, shape,
                       replies ? &strided_reply : nullptr);
  }

  void get(int from, int lane) {
    const StridedShape shape = draw_shape();
    UnderWay& under_way = under_way_[static_cast<unsigned>(lane)];
    const Bytes& memory = model(from, lane);
    const std::size_t at = random_.below(lane_bytes - shape.source_extent());
    under_way.expected.assign(shape.target_extent(), std::byte{0xee});
    under_way.buffer = under_way.expected;
    StridedLayout(shape.block, shape.target_stride)
        .copy(under_way.expected.data(), StridedLayout(shape.block, shape.source_stride), &memory[at],
              shape.bytes);
    under_way.request =
        me_.get_blocks(from, {0, lane_offset(me_.rank(), lane) + at}, under_way.buffer.data(), shape);
  }

  void finish(int lane) {
    UnderWay& under_way = under_way_[static_cast<unsigned>(lane)];
    me_.wait(under_way.request, nullptr);
    if (!under_way.expected.empty()) {
      EXPECT_TRUE(under_way.buffer == under_way.expected);
    }
    under_way = {};
  }

  Endpoint& me_;
  Random random_;
  std::uint64_t seed_ = 0;
  std::array<std::array<Bytes, lanes>, ranks> model_;
  std::array<UnderWay, lanes> under_way_;
  std::array<int, ranks> puts_{};
};

class Strided : public testing::TestWithParam<int> {
 protected:
  JobForTests job_{GetParam(), ranks, lane_offset(ranks, 0)};
};
INSTANTIATE_TEST_SUITE_P(Processes, Strided, testing::Values(1, 2, 3));

TEST_P(Strided, RandomTransfersAgreeWithAModel) {
  std::array<std::unique_ptr<RandomTransfers>, ranks> all;
  job_.run([&](Endpoint& me) {
    auto& transfers = all[static_cast<unsigned>(me.rank())];
    transfers = std::make_unique<RandomTransfers>(me, 5);
    transfers->run(plain_or_sanitized(150, 60));
  });
  for (int target = 0; target < ranks; ++target) {
    int replies = 0;
    for (int writer = 0; writer < ranks; ++writer) {
      replies += all[static_cast<unsigned>(writer)]->puts_to(target);
      for (int lane = 0; lane < lanes; ++lane) {
        const std::byte* memory = job_.segment(target) + lane_offset(writer, lane);
        EXPECT_TRUE(Bytes(memory, memory + lane_bytes) ==
                    all[static_cast<unsigned>(writer)]->model(target, lane))
            << "rank " << writer << " at rank " << target << ", lane " << lane;
      }
    }
    EXPECT_EQ(std::atomic_ref(*reinterpret_cast<int*>(job_.segment(target))).load(), replies);
  }
}

TEST_P(Strided, DataAreVisibleBeforeTheReply) {
  const StridedShape shapes[] = {
      {0, 8, 8, 16}, {1, 8, 8, 16}, {41, 8, 24, 8}, {17'000, 3, 5, 9}, {400'000, 8, 8, 13}};
  job_.run([&](Endpoint& me) {
    const std::atomic_ref replies(*reinterpret_cast<int*>(job_.segment(me.rank())));
    int puts = 0;
    for (const StridedShape& shape : shapes) {
      const std::size_t at = lane_offset(0, 0) + static_cast<std::size_t>(puts) * 700'000;
      const Bytes data = patterned(shape.source_extent(), shape.bytes);
      Request* put = me.put_blocks((me.rank() + 1) % ranks, data.data(), {0, at}, shape, &strided_reply);
      ++puts;
      me.wait_until([&] { return replies.load(std::memory_order_acquire) >= puts; });
      Bytes expected(shape.target_extent());
      StridedLayout(shape.block, shape.target_stride)
          .copy(expected.data(), StridedLayout(shape.block, shape.source_stride), data.data(), shape.bytes);
      const std::byte* memory = job_.segment(me.rank()) + at;
      EXPECT_TRUE(Bytes(memory, memory + expected.size()) == expected) << shape.bytes;
      me.wait(put, nullptr);
    }
  });
}

}  // namespace
}  // namespace taihu::message
