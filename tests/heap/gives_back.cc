// SPDX-License-Identifier: Apache-2.0
// Memory that was freed goes back to the system after the decay time (TAIHU_HEAP_DECAY), though the program
// never allocates or frees again: from threads that have ended, from threads that sleep, in the child of a
// fork. And nothing is left of the thread that gives it back. With the argument "mallopt": little memory,
// after mallopt has said so.
#include <dirent.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t thread_bytes = std::size_t{80} << 20;
constexpr long mib = 1 << 20, much = 120 * mib, little = 24 * mib;  // of the 160 MiB that two threads take

long resident_bytes() {
  long all = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &all, &resident) != 2) std::abort();
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

int thread_count() {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder))
    if (entry->d_name[0] != '.') ++count;
  closedir(folder);
  return count;
}

template <typename Condition>
bool becomes(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    usleep(20000);
  }
  return true;
}

using Blocks = std::vector<char*>;

/// Blocks of 16 bytes to 4 MB, all written.
void fill(Blocks& blocks, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t total = 0; total < thread_bytes;) {
    const std::size_t base = std::size_t{16} << random() % 18, bytes = base + random() % base;
    blocks.push_back(static_cast<char*>(malloc(bytes)));
    memset(blocks.back(), 1, bytes);
    total += bytes;
  }
}

void release(Blocks& blocks) {
  for (char* block : blocks) free(block);
  blocks.clear();
}

enum class Way { threads_end, threads_sleep, another_thread_frees };

/// Two threads take memory, and all of it is freed.
bool goes_back(Way way, const char* name) {
  const long before = resident_bytes();
  std::vector<Blocks> blocks(2);
  std::atomic<int> full{0}, done{0};
  std::atomic<bool> may_free{false}, may_end{way == Way::threads_end};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 2; ++number)
    threads.emplace_back([&, number] {
      fill(blocks[number], number);
      ++full;
      while (!may_free) usleep(1000);
      if (way != Way::another_thread_frees) release(blocks[number]);
      ++done;
      while (!may_end) usleep(100000);
    });
  while (full < 2) usleep(1000);
  const long most = resident_bytes() - before;
  may_free = true;
  while (done < 2) usleep(1000);
  for (Blocks& each : blocks) release(each);
  const bool gone = becomes([&] { return resident_bytes() - before < little; });
  const long left = resident_bytes() - before;
  may_end = true;
  for (std::thread& thread : threads) thread.join();
  const bool alone = becomes([] { return thread_count() == 1; });
  std::printf("heap_gives_back: %s: %ld MiB, then %ld MiB, %s\n", name, most / mib, left / mib,
              alone ? "one thread" : "a thread is left");
  std::fflush(stdout);
  return most > much && gone && alone;
}

/// Less than what makes the heap give memory back by itself.
bool goes_back_beyond(int threshold) {
  constexpr std::size_t bytes = 8 * mib;
  if (mallopt(M_TRIM_THRESHOLD, threshold) != 1) return false;
  const long before = resident_bytes();
  auto* const block = static_cast<char*>(malloc(bytes));
  memset(block, 1, bytes);
  const long most = resident_bytes() - before;
  free(block);
  const bool gone = becomes([&] { return resident_bytes() - before < 2 * mib; });
  const long left = resident_bytes() - before;
  const bool alone = becomes([] { return thread_count() == 1; });
  std::printf("heap_gives_back: beyond %d bytes: %ld MiB, then %ld MiB, %s\n", threshold, most / mib,
              left / mib, alone ? "one thread" : "a thread is left");
  return most > 7 * mib && gone && alone;
}

bool in_a_child() {
  const pid_t child = fork();
  if (child == 0) _exit(goes_back(Way::threads_end, "in the child of a fork") ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "mallopt") == 0)
    return goes_back_beyond(mib) && goes_back_beyond(0) && goes_back_beyond(mib) ? 0 : 1;
  bool good = goes_back(Way::threads_end, "threads that end");
  good = goes_back(Way::threads_sleep, "threads that sleep") && good;
  good = goes_back(Way::another_thread_frees, "freed by another thread") && good;
  return in_a_child() && good ? 0 : 1;
}
