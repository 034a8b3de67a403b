// SPDX-License-Identifier: Apache-2.0
// Ten ways in which page placement goes wrong, each met in a prototype; those that need real huge pages are
// checked on emulated machines (tests/numa_kernel), those of preloading with built programs (tests/narun).
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "taihu/memory/naalloc/allocator_fixture.h"
#include "taihu/memory/naalloc/openmp.h"

namespace taihu::memory {
namespace {

TEST_F(AllocatorTest, OpenMPIsOnlyUsedWhereTheProgramBroughtIt) {
  EXPECT_FALSE(openmp::available()) << "this test is not built with OpenMP: nothing may have pulled it in";
  EXPECT_EQ(openmp::max_threads(), 1);
  EXPECT_FALSE(openmp::in_parallel());
}

TEST_F(AllocatorTest, ZeroedBlocksAreZeroAlsoInPagesThatWereUsed) {
  start();
  threads_on({0, 1});
  for (const std::size_t bytes : {std::size_t{100}, 20 * page, 700 * page}) {
    for (int round = 0; round < 3; ++round) {
      auto* block =
          static_cast<unsigned char*>(allocator->allocate(parts({bytes / 3, bytes}), Contents::zeroed));
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], 0) << bytes;
      std::memset(block, 0xff, bytes);
      allocator->release(block);
    }
  }
}

TEST_F(AllocatorTest, NodesOfThreadsComeFromTheKernelNotFromListsOfCpus) {
  // As with numa=fake: every node lists every cpu.
  MachineFiles fake({{0, "0-63", "10 10"}, {1, "0-63", "10 10"}});
  start([&](NaallocSettings& settings) {
    settings.root = fake.root();
    settings.threads = 3;
  });
  pages.here = 1;
  EXPECT_EQ(allocator->look_at_threads(), 3);
  EXPECT_EQ(allocator->home_of_thread(2), 1);
}

TEST_F(AllocatorTest, PolicyIsSetBeforeAnybodyTouchesThePages) {
  start();
  threads_on({0, 1});
  auto* block =
      static_cast<std::byte*>(allocator->allocate(parts({600 * page, 1200 * page}), Contents::undefined));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % huge_page_bytes, 0u);
  EXPECT_EQ(policy_of(block, 599), 0);
  EXPECT_EQ(policy_of(block, 600), 1) << "the boundary is inside of a huge page and must split it";
  unsigned char resident[1200];
  ASSERT_EQ(mincore(block, 1200 * page, resident), 0);
  for (unsigned char byte : resident) ASSERT_EQ(byte & 1, 0);
}

TEST_F(AllocatorTest, PagesTheKernelHidesAreUnknownNotUntouched) {
  start();
  threads_on({0, 1});
  auto* block =
      static_cast<std::byte*>(allocator->allocate(parts({50 * page, 100 * page}), Contents::undefined));
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  for (std::size_t p = 10; p < 20; ++p) pages.hidden[address + p * page] = true;
  for (std::size_t p = 90; p < 100; ++p) pages.untouched[address + p * page] = true;
  Locality locality;
  ASSERT_TRUE(allocator->where(block, locality));
  EXPECT_EQ(locality.local, 80u);
  EXPECT_EQ(locality.remote, 0u);
  EXPECT_EQ(locality.unknown, 10u);
  EXPECT_EQ(locality.untouched, 10u);
  EXPECT_DOUBLE_EQ(locality.local_share(), 1.0);
}

TEST_F(AllocatorTest, MemoryThatBeginsInsideAPageIsCountedRight) {
  // For every offset, pages are compared with an owner computed byte by byte.
  start();
  threads_on({0, 1, 2, 3});
  std::vector<std::byte> heap(100 * page);
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(heap.data()) / page + 1) * page;
  for (const std::size_t offset : {std::size_t{0}, std::size_t{16}, page / 2 - 8, page / 2 + 8, page - 16}) {
    const std::size_t bytes = 80 * page - 24;
    auto* begin = reinterpret_cast<std::byte*>(first + offset);
    pages.placed.clear();
    const std::vector<std::size_t> ends = {bytes / 4, bytes / 2, bytes / 4 * 3, bytes};
    EXPECT_EQ(allocator->rebind(begin, bytes, parts(ends)), 0);
    for (std::size_t p = 0; p < 81; ++p) {
      const std::uintptr_t place = first + p * page;
      if (place < first + offset || place + page > first + offset + bytes) {
        EXPECT_FALSE(pages.placed.contains(place)) << "page " << p << " is shared with others";
        continue;
      }
      std::size_t votes[4] = {};
      for (std::size_t byte = 0; byte < page; ++byte) {
        const std::size_t inside = place + byte - first - offset;
        ++votes[inside < ends[0] ? 0 : inside < ends[1] ? 1 : inside < ends[2] ? 2 : 3];
      }
      EXPECT_EQ(pages.node_of(place), std::max_element(votes, votes + 4) - votes) << offset << " page " << p;
    }
  }
}

TEST_F(AllocatorTest, ARefusalEndsPlacingButNotTheProgram) {
  start();
  threads_on({0, 1, 2, 3});
  pages.refused = {2};
  void* block = allocator->allocate(parts({20 * page, 40 * page, 60 * page, 80 * page}), Contents::undefined);
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(logged("the kernel refuses to place pages on node 2 (Invalid argument)"));
  const int calls = pages.prefer_calls;
  EXPECT_NE(allocator->allocate(parts({20 * page, 40 * page, 60 * page, 80 * page}), Contents::undefined),
            nullptr);
  EXPECT_EQ(pages.prefer_calls, calls);
  EXPECT_FALSE(allocator->report().placing);
  EXPECT_EQ(allocator->report().blocks.size(), 2u);
  pages.refused.clear();
  allocator->look_at_threads();
  EXPECT_TRUE(allocator->report().placing) << "a new look tries again";
}

TEST_F(AllocatorTest, NoPermissionIsAReasonToo) {
  start();
  threads_on({0, 1});
  pages.refused = {0, 1};
  pages.refusal = EPERM;
  EXPECT_NE(allocator->allocate(parts({50 * page, 100 * page}), Contents::undefined), nullptr);
  EXPECT_NE(allocator->report().reason.find("Operation not permitted"), std::string::npos);
}

TEST_F(AllocatorTest, ForeignMemoryGetsNoPolicy) {
  start();
  threads_on({0, 1});
  std::vector<std::byte> heap(100 * page);
  pages.first_toucher = 3;
  EXPECT_EQ(allocator->rebind(heap.data(), heap.size(), parts({50 * page, 100 * page})), 0);
  EXPECT_EQ(pages.prefer_calls, 0);
  EXPECT_TRUE(pages.policy.empty());
  EXPECT_GE(pages.placed.size(), 98u);
}

TEST_F(AllocatorTest, PagesThatCannotMoveAreCounted) {
  start();
  threads_on({0, 1});
  std::vector<std::byte> heap(101 * page);
  auto* begin =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(heap.data()) / page + 1) * page);
  pages.first_toucher = 0;
  pages.refused = {1};
  EXPECT_EQ(allocator->rebind(begin, 100 * page, parts({50 * page, 100 * page})), 50);
  EXPECT_EQ(allocator->rebind(begin, 10, parts({50 * page})), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(AllocatorTest, ThousandsOfBlocksNeedFewMappings) {
  start();
  threads_on({0, 1, 2, 3});
  for (int i = 0; i < 5000; ++i)
    ASSERT_NE(allocator->allocate(parts({500, 1000, 1500, 2000}), Contents::undefined), nullptr);
  EXPECT_LE(pages.prefer_calls, 12) << "chunks of 1 MiB, not one mapping for each block";
}

}  // namespace
}  // namespace taihu::memory
