// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/parallel/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace taihu::noc {

void in_parallel(int count, const std::function<void(int)>& work, const Progress& progress) {
  std::atomic<int> next{0}, done{0};
  std::mutex lock;
  std::exception_ptr failure;
  const auto loop = [&] {
    for (int each = next++; each < count; each = next++) {
      try {
        work(each);
      } catch (...) {
        const std::lock_guard hold(lock);
        if (!failure) failure = std::current_exception();
        next = count;
      }
      const int now = ++done;
      const std::lock_guard hold(lock);
      if (progress) progress(now, count);
    }
  };
  std::vector<std::thread> threads;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int thread = 1; thread < std::min(cores, count); ++thread) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace taihu::noc
