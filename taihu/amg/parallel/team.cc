// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/team.h"

#include <omp.h>

#include <atomic>
#include <exception>

namespace taihu::amg {

Team::Team(int threads) : size_(threads > 0 ? threads : omp_get_max_threads()) {}

void Team::run_on_all(Function function, const void* body) const {
  // The two counters say to the thread sanitizer, which does not see OpenMP's own barriers, what these order.
  std::atomic<int> started{0}, finished{0};
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  started.store(1, std::memory_order_release);
#pragma omp parallel num_threads(size_)
  {
    (void)started.load(std::memory_order_acquire);
    const int thread = omp_get_thread_num();
    try {
      // OpenMP may give fewer threads than asked for (nested regions, limits): each then does several shares.
      for (int share = thread; share < size_; share += omp_get_num_threads()) function(body, share);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
    finished.fetch_add(1, std::memory_order_acq_rel);
  }
  (void)finished.load(std::memory_order_acquire);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace taihu::amg
