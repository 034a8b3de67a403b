// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/team.h"

#include <omp.h>

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace taihu::amg {

Team::Team(int threads) : size_(threads > 0 ? threads : omp_get_max_threads()) {}

#if defined(__SANITIZE_THREAD__)

// The thread sanitizer does not see the barriers of OpenMP's library and would report every run as a race:
// under it the shares run on threads that it knows.
void Team::run_on_all(Function function, const void* body) const {
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const auto share = [&](int thread) {
    try {
      function(body, thread);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < size_; ++thread) others.emplace_back(share, thread);
  share(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

#else

void Team::run_on_all(Function function, const void* body) const {
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
#pragma omp parallel num_threads(size_)
  {
    const int thread = omp_get_thread_num();
    try {
      // OpenMP may give fewer threads than asked for (nested regions, limits): each then does several shares.
      for (int share = thread; share < size_; share += omp_get_num_threads()) function(body, share);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

#endif

}  // namespace taihu::amg
