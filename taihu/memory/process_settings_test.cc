// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/process_settings.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "taihu/base/sanitizers.h"

namespace taihu::memory {
namespace {

#if TAIHU_ADDRESS_SANITIZER || TAIHU_THREAD_SANITIZER
constexpr bool malloc_is_of_libc = false;
#else
constexpr bool malloc_is_of_libc = true;
#endif

constexpr std::size_t written_bytes = 12000;  // three pages
constexpr int blocks = 20000;                 // several of malloc's heaps for threads

/// Page faults of this thread while it allocates, fills and frees many blocks.
long faults_of_round() {
  rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  std::vector<char*> all(blocks);
  for (char*& block : all) {
    block = static_cast<char*>(std::malloc(written_bytes));
    for (std::size_t i = 0; i < written_bytes; i += 1000) const_cast<volatile char*>(block)[i] = 1;
  }
  for (char* block : all) std::free(block);
  getrusage(RUSAGE_THREAD, &after);
  return after.ru_minflt - before.ru_minflt;
}

TEST(keep_freed_memory, lets_threads_use_their_memory_again) {
  if (!malloc_is_of_libc) GTEST_SKIP() << "the sanitizer brings a malloc of its own";
  keep_freed_memory();
  std::thread([] {
    faults_of_round();
    EXPECT_LT(faults_of_round(), blocks / 10);
  }).join();
}

}  // namespace
}  // namespace taihu::memory
