// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "taihu/memory/heap/text.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace taihu::memory::heap::os {
namespace {

/// free() keeps errno, and so do failed attempts of which malloc has another one left.
class KeepErrno {
 public:
  KeepErrno() : value_(errno) {}
  ~KeepErrno() { errno = value_; }
  KeepErrno(const KeepErrno&) = delete;

 private:
  int value_;
};

}  // namespace

void* map(std::size_t bytes, void* hint) {
  KeepErrno keep;
  void* memory = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmap(void* memory, std::size_t bytes) {
  KeepErrno keep;
  munmap(memory, bytes);
}

bool discard(void* memory, std::size_t bytes) {
  KeepErrno keep;
  return madvise(memory, bytes, MADV_DONTNEED) == 0;
}

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

bool forbid(void* memory, std::size_t bytes) {
  KeepErrno keep;
  return mprotect(memory, bytes, PROT_NONE) == 0;
}

void permit(void* memory, std::size_t bytes) {
  KeepErrno keep;
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) fail("a guard page cannot be removed", memory);
}

void use_huge_pages(void* memory, std::size_t bytes) {
  KeepErrno keep;
  madvise(memory, bytes, MADV_HUGEPAGE);
}

bool move_pages(void* from, void* to, std::size_t bytes) {
  KeepErrno keep;
  return mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to) == to;
}

void populate(void* memory, std::size_t bytes) {
  KeepErrno keep;
  if (madvise(memory, bytes, MADV_POPULATE_WRITE) == 0) return;
  const std::size_t page = page_bytes();
  for (std::size_t at = 0; at < bytes; at += page) {
    auto* word = reinterpret_cast<std::atomic<char>*>(static_cast<char*>(memory) + at);
    word->fetch_add(0, std::memory_order_relaxed);
  }
}

std::size_t physical_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : std::size_t{1} << 34;
}

std::size_t address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return limit.rlim_cur;
}

unsigned node_count() {
  KeepErrno keep;
  const int file = open("/sys/devices/system/node/possible", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  char text[128];
  const ssize_t length = read(file, text, sizeof text);
  close(file);
  unsigned last = 0, number = 0;  // "0", "0-3", "0,2-5": the largest number is what counts
  for (ssize_t at = 0; at < length; ++at) {
    const bool digit = text[at] >= '0' && text[at] <= '9';
    number = digit ? number * 10 + static_cast<unsigned>(text[at] - '0') : 0;
    if (number > last) last = number;
  }
  return last + 1;
}

std::uint64_t random_number() {
  // 16 random bytes from the system. The C library's own secrets come from them as well, so they are mixed.
  std::uint64_t words[2] = {};
  if (const auto* bytes = reinterpret_cast<const void*>(getauxval(AT_RANDOM)))
    memcpy(words, bytes, sizeof words);
  std::uint64_t mixed = words[0] * 0x9e3779b97f4a7c15u + words[1];
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return (mixed ^ (mixed >> 31)) | (std::uint64_t{1} << 63);
}

unsigned current_node() {
  KeepErrno keep;
  unsigned core = 0, node = 0;
  return getcpu(&core, &node) == 0 ? node : 0;
}

std::uint32_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint32_t>(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

void wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  KeepErrno keep;
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_one(std::atomic<std::uint32_t>& word) {
  KeepErrno keep;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void wait_for_end(std::atomic<std::uint32_t>& word, std::uint32_t thread) {
  KeepErrno keep;
  syscall(SYS_futex, &word, FUTEX_WAIT, thread, nullptr, nullptr, 0);  // not private: the system wakes it
}

void pause(std::uint32_t milliseconds) {
  const timespec time{static_cast<time_t>(milliseconds / 1000), milliseconds % 1000 * 1'000'000L};
  syscall(SYS_nanosleep, &time, nullptr);
}

void fail(const char* text, const void* address) {
  Text line;
  line.add("taihu heap: ").add(text);
  if (address) line.add(" (address ").add_hexadecimal(reinterpret_cast<std::uintptr_t>(address)).add(")");
  line.add("\n").write_to(STDERR_FILENO);
  abort();
}

}  // namespace taihu::memory::heap::os
