// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/team.h"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "taihu/threads/waiting.h"

namespace taihu::parallel {
namespace {

// A thread that has slept takes some 10 us to run again, so a short wait is worth its processor.
constexpr std::int64_t most_spinning_ns = 20'000;

// Awake for a moment where `spins`, then asleep.
template <class Ready>
void wait_at(threads::Doorbell& bell, bool spins, const Ready& ready) {
  if (!threads::spin_for(spins ? most_spinning_ns : 0, ready)) bell.wait_asleep(ready, true);
}

int usable_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1 << 16;
}

// Where OpenMP binds the threads of a team, thread by thread; empty where it does not bind. Fewer than asked
// for where it would give fewer (nested regions, limits).
std::vector<cpu_set_t> bound_cpus(int threads) {
  if (omp_get_proc_bind() == omp_proc_bind_false) return {};
  std::vector<cpu_set_t> cpus(threads);
  int found = 0;
#pragma omp parallel num_threads(threads)
  {
    sched_getaffinity(0, sizeof(cpu_set_t), &cpus[omp_get_thread_num()]);
    if (omp_get_thread_num() == 0) found = omp_get_num_threads();
  }
  cpus.resize(found);
  return cpus;
}

}  // namespace

// Every thread but the caller. They sleep until `round_` changes.
class Team::Workers {
 public:
  explicit Workers(int size) : size_(size) {
    const std::vector<cpu_set_t> cpus = bound_cpus(size);
    const int wanted = cpus.empty() ? size : static_cast<int>(cpus.size());
    spins_ = !cpus.empty() || size <= usable_cpus();
    try {
      for (int thread = 1; thread < wanted; ++thread)
        threads_.emplace_back(
            [this, thread, place = cpus.empty() ? cpu_set_t{} : cpus[thread], bound = !cpus.empty()] {
              if (bound) sched_setaffinity(0, sizeof place, &place);
              work(thread);
            });
    } catch (const std::system_error&) {
      // The system gives no more: each of those that there are does several shares.
    }
  }
  ~Workers() {
    ending_ = true;
    begin_round();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(Function function, const void* body) {
    function_ = function;
    body_ = body;
    failure_ = nullptr;
    failed_.clear();
    left_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    begin_round();
    do_shares(0);
    wait_at(all_done_, spins_, [this] { return left_.load(std::memory_order_acquire) == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void begin_round() {
    round_.fetch_add(1, std::memory_order_release);
    round_begun_.ring();
  }

  void work(int thread) {
    for (int round = 0;;) {
      wait_at(round_begun_, spins_, [&] { return round_.load(std::memory_order_acquire) != round; });
      ++round;
      if (ending_) return;
      do_shares(thread);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_done_.ring();
    }
  }

  void do_shares(int thread) {
    try {
      for (int share = thread; share < size_; share += static_cast<int>(threads_.size()) + 1)
        function_(body_, share);
    } catch (...) {
      if (!failed_.test_and_set()) failure_ = std::current_exception();
    }
  }

  const int size_;
  bool spins_ = true;
  std::vector<std::thread> threads_;
  Function function_ = nullptr;
  const void* body_ = nullptr;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
  alignas(64) std::atomic<int> round_{0};
  alignas(64) std::atomic<int> left_{0};
  alignas(64) threads::Doorbell round_begun_;  // where the workers sleep
  alignas(64) threads::Doorbell all_done_;     // where the caller does
};

int default_threads() {
  return omp_get_max_threads();
}

Team::Team(int threads) : size_(threads > 0 ? threads : default_threads()) {}
Team::~Team() = default;

void Team::run_on_all(Function function, const void* body) const {
  if (!workers_) workers_ = std::make_unique<Workers>(size_);
  workers_->run(function, body);
}

}  // namespace taihu::parallel
