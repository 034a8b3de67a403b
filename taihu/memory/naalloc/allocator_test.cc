// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/allocator.h"

#include <cerrno>
#include <cstring>

#include "taihu/memory/naalloc/allocator_fixture.h"

namespace taihu::memory {
namespace {

TEST_F(AllocatorTest, PagesOfEachPartGetTheNodeOfItsThread) {
  start();
  threads_on({0, 1, 2, 3});
  void* block =
      allocator->allocate(parts({10 * page, 30 * page + 100, 45 * page, 64 * page}), Contents::undefined);
  ASSERT_NE(block, nullptr);
  const auto expected = [](std::size_t p) { return p < 10 ? 0 : p < 30 ? 1 : p < 45 ? 2 : 3; };
  for (std::size_t p = 0; p < 64; ++p) ASSERT_EQ(policy_of(block, p), expected(p)) << p;
  Locality locality;
  ASSERT_TRUE(allocator->where(block, locality));
  EXPECT_EQ(locality.local, 64u);
  EXPECT_EQ(locality.part_bytes[1], (std::map<int, std::size_t>{{1, 20 * page}, {2, 100}}));
}

TEST_F(AllocatorTest, OneCallPerRunOfPages) {
  start();
  threads_on({0, 0, 0, 3});
  ASSERT_NE(allocator->allocate(parts({16 * page, 32 * page, 48 * page, 64 * page}), Contents::undefined),
            nullptr);
  EXPECT_EQ(pages.prefer_calls, 2) << "neighbours on one node are one mapping";
}

TEST_F(AllocatorTest, MorePartsThanThreadsAreDealtInOrder) {
  start();
  threads_on({1, 2});
  void* block = allocator->allocate(parts({20 * page, 40 * page, 60 * page, 80 * page}), Contents::undefined);
  EXPECT_EQ(policy_of(block, 39), 1);
  EXPECT_EQ(policy_of(block, 40), 2);
}

TEST_F(AllocatorTest, SmallBlocksShareChunksOfTheirNode) {
  start();
  threads_on({0, 1, 2, 3});
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 1000; ++i)
    blocks.push_back(
        static_cast<std::byte*>(allocator->allocate({BlockKind::on_node, {1000}, 2}, Contents::zeroed)));
  EXPECT_EQ(pages.prefer_calls, 1);
  EXPECT_EQ(
      policy_of(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(blocks[500]) & ~(page - 1)), 0), 2);
  for (std::byte* block : blocks) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    EXPECT_TRUE(allocator->release(block));
  }
}

TEST_F(AllocatorTest, FreedPagesAreUsedAgain) {
  start();
  threads_on({0, 1});
  void* first = allocator->allocate(parts({100 * page, 200 * page}), Contents::undefined);
  std::memset(first, 7, 200 * page);
  allocator->release(first);
  const int calls = pages.prefer_calls;
  auto* again = static_cast<char*>(allocator->allocate(parts({100 * page, 200 * page}), Contents::zeroed));
  EXPECT_EQ(again, first);
  EXPECT_EQ(pages.prefer_calls, calls) << "the nodes of its pages are right already";
  for (std::size_t i = 0; i < 200 * page; ++i) ASSERT_EQ(again[i], 0);
}

TEST_F(AllocatorTest, ReusedPagesThatBelongElsewhereAreReplaced) {
  start();
  threads_on({0, 1});
  void* first = allocator->allocate(parts({100 * page, 210 * page}), Contents::undefined);
  std::memset(first, 7, 210 * page);
  allocator->release(first);
  auto* again = static_cast<char*>(allocator->allocate(parts({120 * page, 200 * page}), Contents::undefined));
  EXPECT_EQ(again, first) << "a twentieth larger is near enough";
  for (std::size_t p = 0; p < 200; ++p) EXPECT_EQ(policy_of(again, p), p < 120 ? 0 : 1);
  EXPECT_EQ(again[99 * page], 7);
  EXPECT_EQ(again[110 * page], 0) << "a page that changed its node is a new one";
  Locality locality;
  ASSERT_TRUE(allocator->where(again, locality));
  EXPECT_EQ(locality.local, 200u);
}

TEST_F(AllocatorTest, KeepsLittleWhereAControlGroupLimitsMemory) {
  files.add_file("proc/self/cgroup", "0::/job");
  files.add_file("sys/fs/cgroup/job/memory.max", std::to_string(800 * page));
  start();
  threads_on({0, 1});
  const auto block = [&](std::size_t pages) {
    return allocator->allocate(parts({pages * page / 2, pages * page}), Contents::undefined);
  };
  allocator->release(block(60));
  EXPECT_EQ(allocator->report().pooled_bytes, 60 * page);
  allocator->release(block(90));
  EXPECT_LE(allocator->report().pooled_bytes, 100 * page) << "an eighth of the limit";
  void* large = block(750);
  EXPECT_EQ(allocator->report().pooled_bytes, 0u) << "what was kept would be beyond the limit";
  EXPECT_TRUE(allocator->release(large));
}

TEST_F(AllocatorTest, KeptMemoryIsBounded) {
  start([](NaallocSettings& settings) { settings.pool_bytes = 50 * page; });
  threads_on({0, 1});
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i)
    blocks.push_back(allocator->allocate(parts({10 * page, 20 * page}), Contents::undefined));
  for (void* block : blocks) allocator->release(block);
  NaallocReport report = allocator->report();
  EXPECT_EQ(report.pooled_bytes, 40 * page);
  EXPECT_EQ(report.mapped_bytes, 40 * page);
  allocator->trim(0);
  EXPECT_EQ(allocator->report().mapped_bytes, 0u);
}

TEST_F(AllocatorTest, KeptMemoryIsGivenUpBeforeAnAllocationFails) {
  start([](NaallocSettings& settings) {
    settings.window_bytes = 4 << 20;
    settings.pool_bytes = 1 << 30;
  });
  threads_on({0});
  void* half = allocator->allocate(parts({2 << 20}), Contents::undefined);
  ASSERT_NE(half, nullptr);
  allocator->release(half);
  void* three_quarters = allocator->allocate(parts({(2 << 20) - page}), Contents::undefined);
  EXPECT_NE(three_quarters, nullptr);
  errno = 0;
  EXPECT_EQ(allocator->allocate(parts({8 << 20}), Contents::undefined), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST_F(AllocatorTest, WrongPartsAreRefused) {
  BlockShape shape;
  const std::size_t falling[] = {5, 4}, huge[] = {SIZE_MAX / 4};
  EXPECT_EQ(make_shape(8, falling, 2, shape), EINVAL);
  EXPECT_EQ(make_shape(0, huge, 1, shape), EINVAL);
  EXPECT_EQ(make_shape(8, nullptr, 1, shape), EINVAL);
  EXPECT_EQ(make_shape(8, huge, 0, shape), EINVAL);
  EXPECT_EQ(make_shape(8, huge, 1, shape), ENOMEM) << "the size overflows";
  EXPECT_EQ(make_even_shape(SIZE_MAX / 2, 8, 4, shape), ENOMEM);
  EXPECT_EQ(make_even_shape(10, 4, 4, shape), 0);
  EXPECT_EQ(shape.part_end, (std::vector<std::size_t>{12, 24, 32, 40}));
}

TEST_F(AllocatorTest, HugeSizesFailWithoutHarm) {
  start();
  threads_on({0, 1});
  EXPECT_EQ(allocator->allocate(parts({std::size_t{1} << 61, std::size_t{1} << 62}), Contents::undefined),
            nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_NE(allocator->allocate(parts({page, 100 * page}), Contents::undefined), nullptr);
}

TEST_F(AllocatorTest, EmptyBlocksAreDifferent) {
  start();
  threads_on({0, 1});
  void* one = allocator->allocate(parts({0, 0}), Contents::zeroed);
  void* other = allocator->allocate(parts({0, 0}), Contents::zeroed);
  EXPECT_NE(one, nullptr);
  EXPECT_NE(one, other);
  void* shared = allocator->allocate({BlockKind::interleaved, {0}, 0}, Contents::undefined);
  EXPECT_NE(shared, nullptr);
  for (void* block : {one, other, shared}) EXPECT_TRUE(allocator->release(block));
}

TEST_F(AllocatorTest, ReleaseOfOtherPointersIsNoted) {
  start();
  threads_on({0});
  int on_stack = 0;
  auto* block = static_cast<std::byte*>(allocator->allocate(parts({100 * page}), Contents::undefined));
  EXPECT_FALSE(allocator->release(&on_stack));
  EXPECT_EQ(errno, EINVAL);
  EXPECT_FALSE(allocator->release(block + page));
  EXPECT_TRUE(allocator->release(block));
  EXPECT_FALSE(allocator->release(block)) << "the second time it is no block any more";
  EXPECT_TRUE(logged("is not a live block"));
  EXPECT_TRUE(allocator->release(nullptr));
}

TEST_F(AllocatorTest, NodesThatDoNotExistAreRefused) {
  start();
  EXPECT_EQ(allocator->allocate({BlockKind::on_node, {page}, 9}, Contents::undefined), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(AllocatorTest, ReallocationKeepsContentsAndMovesParts) {
  start();
  threads_on({0, 3});
  auto* block =
      static_cast<unsigned char*>(allocator->allocate(parts({50 * page, 100 * page}), Contents::undefined));
  for (std::size_t i = 0; i < 100 * page; ++i) block[i] = static_cast<unsigned char>(i * 7 >> 3);
  auto* grown = static_cast<unsigned char*>(allocator->reallocate(block, parts({90 * page, 150 * page})));
  ASSERT_NE(grown, nullptr);
  for (std::size_t i = 0; i < 100 * page; ++i) ASSERT_EQ(grown[i], static_cast<unsigned char>(i * 7 >> 3));
  EXPECT_EQ(policy_of(grown, 89), 0);
  EXPECT_EQ(policy_of(grown, 90), 3);
  EXPECT_EQ(allocator->reallocate(grown, parts({std::size_t{1} << 60})), nullptr);
  EXPECT_EQ(grown[5], static_cast<unsigned char>(5 * 7 >> 3))
      << "a failed reallocation leaves the block alone";
  EXPECT_EQ(allocator->reallocate(grown + 1, parts({page})), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(AllocatorTest, InterleavedBlocksTakeTurns) {
  start();
  void* block = allocator->allocate({BlockKind::interleaved, {64 * page}, 0}, Contents::undefined);
  Locality locality;
  ASSERT_TRUE(allocator->where(block, locality));
  EXPECT_EQ(locality.on_node, (std::map<int, std::size_t>{{0, 16}, {1, 16}, {2, 16}, {3, 16}}));
}

TEST_F(AllocatorTest, MachineWithOneNodeAsksTheKernelForNothing) {
  files.set_with_memory("1");
  start();
  threads_on({0, 1, 2, 3});
  EXPECT_NE(allocator->allocate(parts({50 * page, 100 * page, 150 * page, 200 * page}), Contents::undefined),
            nullptr);
  EXPECT_EQ(pages.prefer_calls, 0);
  EXPECT_EQ(allocator->report().reason, "there is one usable memory node");
}

TEST_F(AllocatorTest, ThreadsOnNodesWithoutMemoryUseTheNearest) {
  files.set_with_memory("0,3");
  start();
  threads_on({0, 1, 2, 3});
  void* block = allocator->allocate(parts({20 * page, 40 * page, 60 * page, 80 * page}), Contents::undefined);
  EXPECT_EQ(policy_of(block, 20), 0) << "16 from node 1 to both: the first";
  EXPECT_EQ(policy_of(block, 79), 3);
  allocator->look_at_threads();
  EXPECT_TRUE(logged("node 1 has no memory"));
}

TEST_F(AllocatorTest, FewMappingsLeftMeanOneNodePerBlock) {
  start([](NaallocSettings& settings) { settings.max_mappings = 20; });
  threads_on({0, 1, 2, 3});
  void* last = nullptr;
  for (int i = 0; i < 4; ++i)
    last = allocator->allocate(parts({20 * page, 40 * page, 80 * page, 100 * page}), Contents::undefined);
  EXPECT_EQ(policy_of(last, 0), 2) << "thread 2 owns most of it";
  EXPECT_EQ(policy_of(last, 99), 2);
  EXPECT_TRUE(logged("max_map_count"));
}

TEST_F(AllocatorTest, RebindMovesBlocksThatLieWhereTheyWereTouched) {
  start();
  threads_on({0, 1});
  pages.first_toucher = 0;
  void* block =
      allocator->allocate({BlockKind::first_touch, {50 * page, 100 * page}, 0}, Contents::undefined);
  Locality locality;
  ASSERT_TRUE(allocator->where(block, locality));
  EXPECT_EQ(locality.local, 50u);
  EXPECT_EQ(allocator->rebind_all(), 0u);
  ASSERT_TRUE(allocator->where(block, locality));
  EXPECT_EQ(locality.local, 100u);
}

}  // namespace
}  // namespace taihu::memory
