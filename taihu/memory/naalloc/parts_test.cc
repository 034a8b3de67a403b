// SPDX-License-Identifier: Apache-2.0
// The parts that the allocator is made of, each alone.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "taihu/base/random.h"
#include "taihu/memory/naalloc/allocator_fixture.h"
#include "taihu/memory/naalloc/report.h"
#include "taihu/memory/naalloc/settings.h"

namespace taihu::memory {
namespace {

TEST(Settings, ReadsVariables) {
  const char* environment[] = {"HOME=/",
                               "NAALLOC_WINDOW=2G",
                               "NAALLOC_POOL=0",
                               "NAALLOC_PAGES=huge",
                               "NAALLOC_THREADS=12",
                               "NAALLOC_LOG=/tmp/x",
                               nullptr};
  const EnvironmentSettings result = read_settings(const_cast<char**>(environment));
  EXPECT_EQ(result.settings.window_bytes, std::size_t{2} << 30);
  EXPECT_EQ(result.settings.pool_bytes, std::size_t{0});
  EXPECT_EQ(result.settings.pages, PageKind::huge);
  EXPECT_EQ(result.settings.threads, 12);
  EXPECT_EQ(result.log, "/tmp/x");
  EXPECT_TRUE(result.problems.empty());
}

TEST(Settings, TellsWhatItDoesNotUnderstand) {
  const char* environment[] = {"NAALLOC_PAGES=big", "NAALLOC_THREADS=0", "NAALLOC_POOL=-4",
                               "NAALLOC_COLOUR=red", nullptr};
  const EnvironmentSettings result = read_settings(const_cast<char**>(environment));
  ASSERT_EQ(result.problems.size(), 4u);
  EXPECT_EQ(result.problems[0],
            "NAALLOC_PAGES=big is not understood and is ignored; accepted: small, transparent, huge");
  EXPECT_FALSE(result.settings.pool_bytes.has_value());
  EXPECT_EQ(result.settings.threads, 0);
}

TEST(Window, GivesAlignedRangesThatDoNotOverlap) {
  constexpr std::size_t page = 4096;
  AddressWindow window(std::size_t{64} << 20);
  Random random(9);
  std::map<std::byte*, std::size_t> live;
  for (int round = 0; round < 5000; ++round) {
    if (live.size() < 3 || random.below(2) == 0) {
      const std::size_t bytes = (1 + random.below(200)) * page,
                        alignment = random.below(3) == 0 ? huge_page_bytes : page;
      std::byte* begin = window.allocate(bytes, alignment);
      if (begin == nullptr) continue;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % alignment, 0u);
      EXPECT_TRUE(window.contains(begin) && window.contains(begin + bytes - 1));
      const auto next = live.lower_bound(begin);
      if (next != live.end()) {
        ASSERT_LE(begin + bytes, next->first);
      }
      if (next != live.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, begin);
      }
      live.emplace(begin, bytes);
    } else {
      auto chosen = live.begin();
      std::advance(chosen, random.below(live.size()));
      window.release(chosen->first, chosen->second);
      live.erase(chosen);
    }
  }
  for (auto [begin, bytes] : live) window.release(begin, bytes);
  EXPECT_NE(window.allocate(window.capacity_bytes(), page), nullptr) << "all gaps have grown together";
  EXPECT_EQ(window.allocate(page, page), nullptr);
  EXPECT_EQ(window.allocate(0, page), nullptr);
  int outside = 0;
  EXPECT_FALSE(window.contains(&outside));
  EXPECT_FALSE(window.contains(nullptr));
}

MappedPages entry(std::uintptr_t address, std::size_t bytes, std::vector<NodeRun> runs) {
  return {reinterpret_cast<std::byte*>(address), bytes, PageKind::small, std::move(runs)};
}

TEST(Pool, PrefersTheSameRunsThenTheBestFit) {
  ReusePool pool;
  pool.put(entry(1, 8800, {{2, 0}}));
  pool.put(entry(2, 8192, {{2, 1}}));
  pool.put(entry(3, 8192, {{2, 0}}));
  EXPECT_EQ(pool.bytes(), 25184u);
  EXPECT_FALSE(pool.take(4096, PageKind::small, {}).has_value()) << "twice as large is no fit";
  EXPECT_FALSE(pool.take(8192, PageKind::huge, {}).has_value());
  EXPECT_EQ(pool.take(8192, PageKind::small, {{2, 0}})->begin, reinterpret_cast<std::byte*>(3));
  EXPECT_EQ(pool.take(8192, PageKind::small, {{2, 7}})->begin, reinterpret_cast<std::byte*>(2));
  EXPECT_EQ(pool.take(8192, PageKind::small, {{2, 7}})->begin, reinterpret_cast<std::byte*>(1));
  EXPECT_EQ(pool.bytes(), 0u);
}

TEST(Pool, OldestGoesFirst) {
  ReusePool pool;
  for (std::uintptr_t i = 1; i <= 5; ++i) pool.put(entry(i, 4096 * i, {}));
  const std::vector<MappedPages> trimmed = pool.trim(4096 * 9);
  ASSERT_EQ(trimmed.size(), 3u);
  EXPECT_EQ(trimmed[0].begin, reinterpret_cast<std::byte*>(1));
  EXPECT_EQ(pool.bytes(), 4096u * 9);
  EXPECT_EQ(pool.trim(0).size(), 2u);
}

TEST(Arena, PacksAndGivesEmptyChunksBack) {
  alignas(64) static std::byte chunks[3][NodeArena::chunk_bytes];
  NodeArena arena;
  EXPECT_EQ(arena.allocate(10), nullptr);
  for (auto& chunk : chunks) arena.add_chunk(chunk);
  std::set<std::byte*> blocks;
  while (std::byte* block = arena.allocate(NodeArena::largest_block_bytes))
    EXPECT_TRUE(blocks.insert(block).second);
  EXPECT_EQ(blocks.size(), 12u);
  int given_back = 0;
  for (std::byte* block : blocks) given_back += arena.release(block) != nullptr;
  EXPECT_EQ(given_back, 2) << "the last chunk stays";
  EXPECT_NE(arena.allocate(10), nullptr);
}

using ReportTest = AllocatorTest;

TEST_F(ReportTest, JsonAddsUpByThreadNodeAndPage) {
  start();
  threads_on({0, 1, 2, 3});
  void* first =
      allocator->allocate(parts({30 * page, 60 * page, 90 * page, 120 * page}), Contents::undefined);
  allocator->label(first, "values of \"A\"\n");
  pages.placed[reinterpret_cast<std::uintptr_t>(first)] = 3;
  pages.untouched[reinterpret_cast<std::uintptr_t>(first) + page] = true;
  allocator->count_freed();
  allocator->release(allocator->allocate(parts({50 * page, 100 * page}), Contents::undefined));
  const auto report = nlohmann::json::parse(to_json(allocator->report()));
  EXPECT_EQ(report["format"], "taihu-locality 1");
  EXPECT_EQ(report["placing"], true);
  EXPECT_EQ(report["nodes"][2]["distances"], (std::vector<int>{16, 22, 10, 16}));
  EXPECT_EQ(report["threads"][3]["home"], 3);
  const auto& block = report["blocks"][0];
  EXPECT_EQ(block["label"], "values of \"A\"\n");
  EXPECT_EQ(block["local"], 118);
  EXPECT_EQ(block["remote"], 1);
  EXPECT_EQ(block["untouched"], 1);
  EXPECT_EQ(block["parts"][0]["bytes_on_node"],
            (nlohmann::json{{"0", 28 * page}, {"3", page}, {"untouched", page}}));
  EXPECT_EQ(report["freed_blocks"], 1);
  EXPECT_EQ(report["total"]["local"], 218);
  // Two parts for four threads: those of threads 0 and 2.
  EXPECT_EQ(report["thread_bytes"][2]["bytes_on_node"], (nlohmann::json{{"2", 80 * page}}));
  EXPECT_EQ(report["thread_bytes"][1]["bytes_on_node"], (nlohmann::json{{"1", 30 * page}}));
}

TEST_F(ReportTest, TextNamesTheLargestBlocksAndWhyPagesAreNotPlaced) {
  files.set_with_memory("0");
  start();
  threads_on({0, 1});
  void* block = allocator->allocate(parts({page, 300 * page}), Contents::undefined);
  allocator->allocate(parts({page, 20 * page}), Contents::undefined);
  allocator->label(block, "matrix");
  const std::string text = to_text(allocator->report(), 1);
  EXPECT_NE(text.find("pages are not placed: there is one usable memory node"), std::string::npos);
  EXPECT_NE(text.find("1.2 MiB partitioned in 2 parts: matrix"), std::string::npos) << text;
  EXPECT_NE(text.find("1 smaller blocks"), std::string::npos);
}

}  // namespace
}  // namespace taihu::memory
