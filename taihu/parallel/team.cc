// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/team.h"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "taihu/base/clock.h"

namespace taihu::parallel {
namespace {

// A thread that has slept takes some 10 us to run again, so a short wait is worth its processor.
constexpr std::int64_t most_spinning_ns = 20'000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns when the value is another one than `old`: awake for a moment where `spins`, then asleep.
void wait_for_change(const std::atomic<int>& value, int old, bool spins) {
  const std::int64_t begin = spins ? now_ns() : 0;
  while (spins && value.load(std::memory_order_acquire) == old) {
    for (int i = 0; i < 64 && value.load(std::memory_order_relaxed) == old; ++i) pause_briefly();
    spins = now_ns() - begin < most_spinning_ns;
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
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
    for (int left = left_.load(std::memory_order_acquire); left > 0;
         left = left_.load(std::memory_order_acquire))
      wait_for_change(left_, left, spins_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void begin_round() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }

  void work(int thread) {
    for (int round = 0;;) {
      wait_for_change(round_, round, spins_);
      ++round;
      if (ending_) return;
      do_shares(thread);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
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
