// SPDX-License-Identifier: Apache-2.0
// Which pages of free memory a thread's cache gives back, and when.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "taihu/memory/heap/heap.h"
#include "taihu/memory/heap/os.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/slice_map.h"

namespace heap = taihu::memory::heap;

namespace {

/// Memory goes back soon, as in ranks of Python, while one of these lives.
class Soon {
 public:
  explicit Soon(std::uint32_t decay_ms) : before_(heap::settings.decay_ms) {
    heap::settings.decay_ms = decay_ms;
  }
  ~Soon() { heap::settings.decay_ms = before_; }
  Soon(const Soon&) = delete;

 private:
  std::uint32_t before_;
};

void pass_time() {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // more than the heap's clock may be late
}

std::size_t present_pages(const void* begin, std::size_t bytes) {
  const std::size_t page = heap::os::page_bytes();
  std::vector<unsigned char> present((bytes + page - 1) / page);
  EXPECT_EQ(mincore(const_cast<void*>(begin), bytes, present.data()), 0);
  std::size_t count = 0;
  for (const unsigned char one : present) count += one & 1;
  return count;
}

constexpr std::size_t left_bytes = std::size_t{8} << 20;

/// Free memory whose pages are present, from which the next spans are made: what other tests left goes back
/// first. Returns where it begins.
char* leave_present_memory() {
  heap::trim();
  void* block = heap::allocate(left_bytes);
  memset(block, 1, left_bytes);
  heap::free(block);
  return static_cast<char*>(block);
}

/// Blocks until one is the first of a new span, which is then carved at its begin only.
heap::Slice* begin_span(std::size_t bytes, std::vector<void*>& blocks) {
  for (;;) {
    blocks.push_back(heap::allocate(bytes));
    heap::Slice* span = heap::slice_map.span_of(blocks.back());
    if (span->carved * bytes <= 4096 + bytes && span->begin() + span->first == blocks.back()) return span;
  }
}

void free_all(std::vector<void*>& blocks) {
  for (void* block : blocks) heap::free(block);
  blocks.clear();
}

TEST(GivingUp, PagesOfASpanThatAreNotCarvedYet) {
  leave_present_memory();
  std::vector<void*> blocks;
  const heap::Slice* span = begin_span(1500, blocks);
  memset(blocks.back(), 7, 1500);
  ASSERT_EQ(present_pages(span->begin(), span->bytes()), span->bytes() / heap::os::page_bytes())
      << "the span was not made of present memory";
  heap::trim();
  EXPECT_LE(present_pages(span->begin(), span->bytes()), 2u);
  EXPECT_EQ(static_cast<char*>(blocks.back())[1499], 7);
  for (int more = 0; more < 100; ++more) {  // the rest of the span serves as before
    blocks.push_back(heap::allocate(1500));
    memset(blocks.back(), more, 1500);
  }
  free_all(blocks);
}

TEST(GivingUp, TheSameAtOnceWhereMemoryGoesBackSoon) {
  const char* const left = leave_present_memory();
  ASSERT_EQ(present_pages(left, left_bytes), left_bytes / heap::os::page_bytes());
  std::vector<void*> blocks;
  const Soon soon(500);
  pass_time();
  const heap::Slice* span = begin_span(1300, blocks);
  ASSERT_TRUE(span->begin() >= left && span->begin() < left + left_bytes)
      << "the span was not made of present memory";
  EXPECT_LE(present_pages(span->begin(), span->bytes()), 3u);
  free_all(blocks);
}

/// A thread that begins spans of several classes and then waits leaves no present pages in them.
TEST(GivingUp, SpansThatBeginTogether) {
  leave_present_memory();
  const Soon soon(500);
  std::thread([] {
    std::vector<void*> blocks;
    for (const std::size_t bytes : {100, 200, 300, 400, 500, 600, 700, 800}) {
      const heap::Slice* span = begin_span(bytes, blocks);
      EXPECT_LE(present_pages(span->begin(), span->bytes()), 2u) << bytes;
    }
    free_all(blocks);
  }).join();
}

TEST(GivingUp, TheInsideOfLongFreeBlocks) {
  constexpr std::size_t bytes = 30'000, count = 3;  // a span holds four
  heap::trim();                                     // so that these begin one
  void* const kept = heap::allocate(bytes);         // their span stays one
  memset(kept, 3, bytes);
  std::vector<void*> blocks;
  for (std::size_t at = 0; at < count; ++at) {
    blocks.push_back(heap::allocate(bytes));
    memset(blocks.back(), 1, bytes);
  }
  ASSERT_EQ(heap::slice_map.span_of(blocks[0]), heap::slice_map.span_of(kept));
  const std::vector<void*> places = blocks;
  free_all(blocks);
  heap::trim();
  int looked_at = 0;
  for (const void* place : places) {
    if (!heap::slice_map.list_of(place)) continue;  // its span is free memory again
    ++looked_at;
    EXPECT_LE(present_pages(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(place) & ~4095UL),
                            bytes),
              2u);
  }
  EXPECT_GT(looked_at, 0);
  for (std::size_t at = 0; at < count; ++at) {
    blocks.push_back(heap::allocate(bytes));
    memset(blocks.back(), 2, bytes);
  }
  EXPECT_EQ(static_cast<char*>(kept)[bytes - 1], 3);
  blocks.push_back(kept);
  free_all(blocks);
}

/// What a block has too much stays for its life, so a longer one does not serve.
TEST(GivingUp, ClassesDoNotHelpEachOtherWhereMemoryGoesBackSoon) {
  const Soon soon(500);
  std::thread([] {  // a cache with empty lists
    std::vector<void*> longer, blocks;
    for (int count = 0; count < 8; ++count) longer.push_back(heap::allocate(6100));
    free_all(longer);
    for (int count = 0; count < 8; ++count) {
      blocks.push_back(heap::allocate(5600));
      EXPECT_LT(heap::usable_bytes(blocks.back()), 6100u);
    }
    free_all(blocks);
  })
      .join();
}

/// Blocks of a class that the thread does not use any more go back to their span, which is free memory then,
/// or a span of the class that the thread uses.
TEST(GivingUp, ClassesThatAreIdle) {
  const Soon soon(5);
  std::vector<void*> blocks;
  begin_span(2900, blocks);
  void* const last = blocks.back();
  free_all(blocks);
  const heap::FreeList* const list = heap::slice_map.list_of(last);
  ASSERT_NE(list, nullptr) << "the list keeps a few blocks";
  for (int turn = 0; turn < 3; ++turn) {  // slow calls of another class
    pass_time();
    for (int call = 0; call < 70 * 256; ++call) blocks.push_back(heap::allocate(16));
  }
  EXPECT_NE(heap::slice_map.list_of(last), list);
  free_all(blocks);
}

}  // namespace
