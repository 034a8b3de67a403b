// SPDX-License-Identifier: Apache-2.0
// Long random runs of the allocator against plain books: contents, owners, overlap, counts. And threads,
// fork, limits.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "taihu/base/random.h"
#include "taihu/base/sanitizers.h"
#include "taihu/memory/naalloc/allocator_fixture.h"
#include "taihu/memory/naalloc/report.h"

namespace taihu::memory {
namespace {

/// What a block should hold and where it should lie, kept by the test alone.
struct Expected {
  std::vector<std::size_t> part_end;
  unsigned char mark = 0;
  std::size_t bytes() const { return part_end.back(); }
};

class RandomRun : public AllocatorTest {
 protected:
  std::vector<std::size_t> random_parts() {
    std::vector<std::size_t> ends;
    const std::uint64_t kind = random.below(4);
    const std::size_t scale = kind == 0 ? 300 : kind == 1 ? 9000 : kind == 2 ? 100000 : 700000;
    std::size_t end = 0;
    for (std::uint64_t part = 0, parts = 1 + random.below(6); part < parts; ++part)
      ends.push_back(end += random.below(4) == 0 ? 0 : random.below(scale));
    return ends;
  }
  void fill(std::byte* block, const Expected& expected) {
    for (std::size_t i = 0; i < expected.bytes(); i += step)
      block[i] = static_cast<std::byte>(expected.mark + i % 251);
  }
  static bool intact(const std::byte* block, const Expected& expected, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += step)
      if (block[i] != static_cast<std::byte>(expected.mark + i % 251)) return false;
    return true;
  }
  void check_no_overlap(const std::byte* begin, std::size_t bytes) {
    const auto next = live.lower_bound(begin);
    if (next != live.end()) {
      ASSERT_LE(begin + bytes, next->first);
    }
    if (next != live.begin()) {
      const auto before = std::prev(next);
      ASSERT_LE(before->first + std::max<std::size_t>(before->second.bytes(), 1), begin);
    }
  }
  void allocate() {
    Expected expected{random_parts(), static_cast<unsigned char>(random.next())};
    const bool zeroed = random.below(2) == 0;
    auto* block = static_cast<std::byte*>(
        allocator->allocate(parts(expected.part_end), zeroed ? Contents::zeroed : Contents::undefined));
    ASSERT_NE(block, nullptr);
    check_no_overlap(block, expected.bytes());
    for (std::size_t i = 0; zeroed && i < expected.bytes(); i += 7) ASSERT_EQ(block[i], std::byte{0}) << i;
    fill(block, expected);
    live.emplace(block, std::move(expected));
  }
  void reallocate(std::map<std::byte*, Expected>::iterator old) {
    Expected expected{random_parts(), old->second.mark};
    const std::size_t kept = std::min(expected.bytes(), old->second.bytes());
    std::byte* before = old->first;
    live.erase(old);
    auto* block = static_cast<std::byte*>(allocator->reallocate(before, parts(expected.part_end)));
    ASSERT_NE(block, nullptr);
    check_no_overlap(block, expected.bytes());
    ASSERT_TRUE(intact(block, expected, kept));
    fill(block, expected);
    live.emplace(block, std::move(expected));
  }
  /// Pages that lie in one part only must have its node, unless the block is packed with others.
  void check_owners(const std::byte* block, const Expected& expected) {
    if (expected.bytes() <= (std::size_t{64} << 10)) return;
    std::size_t begin = 0;
    for (std::size_t part = 0; part < expected.part_end.size(); ++part) {
      const std::size_t end = expected.part_end[part];
      for (std::size_t p = (begin + page - 1) / page; (p + 1) * page <= end; ++p)
        ASSERT_EQ(policy_of(block, p), static_cast<int>(part * 4 / expected.part_end.size()));
      begin = end;
    }
  }

  static constexpr std::size_t step = 509;
  Random random{20};
  std::map<std::byte*, Expected, std::less<>> live;
};

TEST_F(RandomRun, MatchesPlainBooks) {
  start([](NaallocSettings& settings) { settings.pool_bytes = 3 << 20; });
  threads_on({0, 1, 2, 3});
  for (int round = 0; round < 1500; ++round) {
    if (live.size() < 5 || (live.size() < 60 && random.below(2) == 0)) {
      ASSERT_NO_FATAL_FAILURE(allocate());
      continue;
    }
    auto chosen = live.begin();
    std::advance(chosen, random.below(live.size()));
    ASSERT_TRUE(intact(chosen->first, chosen->second, chosen->second.bytes()));
    ASSERT_NO_FATAL_FAILURE(check_owners(chosen->first, chosen->second));
    if (random.below(3) == 0) {
      ASSERT_NO_FATAL_FAILURE(reallocate(chosen));
    } else {
      ASSERT_TRUE(allocator->release(chosen->first));
      live.erase(chosen);
    }
  }
  std::size_t bytes = 0;
  for (const auto& [block, expected] : live) bytes += expected.bytes();
  const NaallocReport report = allocator->report();
  EXPECT_EQ(report.blocks.size(), live.size());
  EXPECT_EQ(report.live_bytes, bytes);
  EXPECT_LE(report.pooled_bytes, std::size_t{3} << 20);
  for (const auto& [block, expected] : live) EXPECT_TRUE(allocator->release(block));
  allocator->trim(0);
  EXPECT_LE(allocator->report().mapped_bytes, 4 * NodeArena::chunk_bytes) << "one chunk for each node stays";
}

/// The kernel's side of the tests is not made for threads: a lock around it.
class LockedPages final : public PageSystem {
 public:
  int prefer(void* begin, std::size_t bytes, int node) noexcept override {
    const std::lock_guard guard(mutex_);
    return pages_.prefer(begin, bytes, node);
  }
  int interleave(void* begin, std::size_t bytes, std::span<const int> nodes) noexcept override {
    const std::lock_guard guard(mutex_);
    return pages_.interleave(begin, bytes, nodes);
  }
  int locate(std::span<void* const> pages, int* status) noexcept override {
    const std::lock_guard guard(mutex_);
    return pages_.locate(pages, status);
  }
  int move(std::span<void* const> pages, std::span<const int> nodes, int* status) noexcept override {
    const std::lock_guard guard(mutex_);
    return pages_.move(pages, nodes, status);
  }
  int present(const void* begin, std::size_t pages, bool* present) noexcept override {
    const std::lock_guard guard(mutex_);
    return pages_.present(begin, pages, present);
  }
  int node_here() noexcept override { return 0; }

 private:
  std::mutex mutex_;
  PagesForTests pages_;
};

TEST(AllocatorThreads, AllocateAndFreeEachOthersBlocks) {
  MachineFiles files({{0, "0-1", "10 20"}, {1, "2-3", "20 10"}});
  LockedPages pages;
  NaallocSettings settings;
  settings.window_bytes = std::size_t{1} << 30;
  settings.root = files.root();
  Allocator allocator(settings, pages);
  constexpr int slots = 16, workers = 4;
  std::mutex locks[slots];
  unsigned char* table[slots] = {};
  const auto work = [&](int number) {
    Random random(static_cast<std::uint64_t>(number));
    for (int round = 0; round < 400; ++round) {
      const std::size_t i = random.below(slots);
      const std::lock_guard guard(locks[i]);
      if (table[i] != nullptr) {
        EXPECT_EQ(*table[i], i + 1);
        EXPECT_TRUE(allocator.release(table[i]));
        table[i] = nullptr;
      } else {
        const std::size_t bytes = 1 + random.below(300000);
        BlockShape shape{BlockKind::partitioned, {bytes / 2, bytes}, 0};
        table[i] = static_cast<unsigned char*>(allocator.allocate(std::move(shape), Contents::undefined));
        *table[i] = static_cast<unsigned char>(i + 1);
      }
      if (round % 50 == 0) allocator.report();
      if (round % 90 == 0) allocator.trim(0);
    }
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < workers; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
  for (unsigned char* block : table) EXPECT_TRUE(allocator.release(block));
  EXPECT_EQ(allocator.report().live_bytes, 0u);
}

TEST(ProcessAllocator, ChildOfAForkGoesOn) {
  Allocator& allocator = process_allocator();
  void* inherited = allocator.allocate({BlockKind::partitioned, {1 << 20}, 0}, Contents::zeroed);
  std::memset(inherited, 5, 1 << 20);
  const pid_t child = fork();
  if (child == 0) {
    auto* block =
        static_cast<char*>(allocator.allocate({BlockKind::partitioned, {1 << 20}, 0}, Contents::zeroed));
    const bool right = block != nullptr && block[12345] == 0 && static_cast<char*>(inherited)[777] == 5 &&
                       allocator.release(inherited) && allocator.release(block) && allocator.threads() >= 1;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(static_cast<char*>(inherited)[777], 5);
  EXPECT_TRUE(allocator.release(inherited));
}

#if !TAIHU_ADDRESS_SANITIZER && !TAIHU_THREAD_SANITIZER
/// A size that /proc/self/status tells, in bytes.
std::size_t own_size(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) << 10;
  return 0;
}

/// Uses up the mappings that the kernel allows this process: pages that take turns in what they allow.
void use_up_mappings() {
  constexpr std::size_t page = 4096, pages = 1 << 18;
  auto* begin =
      static_cast<char*>(mmap(nullptr, pages * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t i = 0; i < pages; i += 2)
    if (mprotect(begin + i * page, page, PROT_NONE) != 0) return;
}

TEST(ProcessAllocator, WhatTheKernelRefusesIsAnErrorNotTheEnd) {
  const pid_t child = fork();
  if (child == 0) {
    Allocator& allocator = process_allocator();
    allocator.trim(0);
    void* before = allocator.allocate({BlockKind::partitioned, {1 << 20}, 0}, Contents::undefined);
    use_up_mappings();
    errno = 0;
    void* block =
        allocator.allocate({BlockKind::partitioned, {std::size_t{8} << 20}, 0}, Contents::undefined);
    if (block != nullptr || errno != ENOMEM) _exit(3);
    if (!allocator.release(before)) _exit(4);
    void* again = allocator.allocate({BlockKind::partitioned, {1 << 20}, 0}, Contents::zeroed);
    _exit(again != nullptr ? 0 : 5);  // from the pages that are kept
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ProcessAllocator, LogThatCannotBeWritten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has no allocator yet
  setenv("NAALLOC_LOG", "/no such folder/log", 1);
  const auto make = [] {
    process_allocator();
    _exit(0);
  };
  EXPECT_EXIT(
      make(), testing::ExitedWithCode(0),
      "^naalloc: cannot write the log NAALLOC_LOG=/no such folder/log \\(No such file or directory\\); "
      "nothing is logged\n$");
  unsetenv("NAALLOC_LOG");
}

TEST(AddressWindow, TakesLessWhereAddressesAreLimited) {
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t most = own_size("VmSize") + (std::size_t{4} << 30);
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    AddressWindow window(std::size_t{1} << 40);
    const std::size_t bytes = window.capacity_bytes();
    _exit(bytes >= (std::size_t{1} << 30) && bytes <= (std::size_t{4} << 30) && window.allocate(4096, 4096)
              ? 0
              : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace taihu::memory
