// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/rank_threads.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <utility>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"
#include "taihu/launch/crash_report.h"

namespace taihu::launch {
namespace {

constexpr int patience_seconds = 3;

/// The first reason to end the job wins. A signal handler may do little, but it may post a semaphore. So both
/// the waiting caller and the watchdog sleep on one. It is static because signal handlers must find it.
class JobEnd {
 public:
  JobEnd() {
    sem_init(&caller_, 0, 0);
    sem_init(&watchdog_, 0, 0);
  }
  void reset() {
    code_ = none;
    while (sem_trywait(&caller_) == 0) {
    }
    while (sem_trywait(&watchdog_) == 0) {
    }
  }
  /// Async-signal-safe.
  void decide(int exit_code) noexcept {
    int expected = none;
    const bool first = code_.compare_exchange_strong(expected, exit_code);
    sem_post(&caller_);
    if (first) sem_post(&watchdog_);
  }
  bool decided() const noexcept { return code_ != none; }
  int exit_code() const noexcept { return code_; }
  void wake_caller() noexcept { sem_post(&caller_); }
  void release_watchdog() noexcept { sem_post(&watchdog_); }
  void caller_waits() noexcept { wait(&caller_); }
  void watchdog_waits() noexcept { wait(&watchdog_); }

 private:
  static constexpr int none = -1;
  static void wait(sem_t* semaphore) noexcept {
    while (sem_wait(semaphore) != 0 && errno == EINTR) {
    }
  }
  sem_t caller_{}, watchdog_{};
  std::atomic<int> code_{none};
};

JobEnd& job_end() {
  static JobEnd end;
  return end;
}

void decide_in_handler(int exit_code) noexcept {
  job_end().decide(exit_code);
}

/// Holds the ranks back until all threads exist, so that a failure to start the last one is a clean failure.
class StartGate {
 public:
  void open(bool go) {
    std::lock_guard lock(mutex_);
    go_ = go;
    open_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
    return go_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false, go_ = false;
};

struct RankThread {
  pthread_t thread{};
  StartGate* gate = nullptr;
  memory::RankIdentity* identity = nullptr;
  const RankBinding* binding = nullptr;
  const std::function<int(memory::RankIdentity&)>* body = nullptr;
  std::atomic<int>* running = nullptr;
  std::function<void()> ended;         ///< of a rank that starts late
  std::atomic<bool> has_ended{false};  ///< with 0
};

/// Prints before it records the reason, because the process can end as soon as that is done. Only the first
/// failure is of interest.
void report_failure(int rank, int code) {
  static std::mutex one_at_a_time;
  std::lock_guard lock(one_at_a_time);
  if (job_end().decided()) return;
  std::fprintf(stderr, "taihu: rank %d ended with exit code %d; ending the job\n", rank, code);
  // An exit status has eight bits; a code whose low bits are zero must still count as a failure.
  job_end().decide((code & 0xff) != 0 ? code & 0xff : 1);
}

/// noexcept: an exception of the rank must end in std::terminate on its own thread, where the call stack
/// shows its origin.
void run_rank(RankThread& self) noexcept {
  AlternateStack stack;
  memory::set_current_rank(self.identity);
  if (self.binding && !topology::bind_this_thread(self.binding->cpus))
    std::fprintf(stderr, "taihu: rank %d could not be bound to cpus %s; it runs anywhere\n",
                 self.identity->rank, self.binding->cpus.to_text().c_str());
  const int code = (*self.body)(*self.identity);
  memory::set_current_rank(nullptr);
  if (code != 0) report_failure(self.identity->rank, code);
  self.running->fetch_sub(1);
  // The place of a rank that has failed is for nobody.
  if (code == 0) self.has_ended = true;
  job_end().wake_caller();
}

void* rank_thread_start(void* argument) {
  auto& self = *static_cast<RankThread*>(argument);
  if (self.gate->wait()) run_rank(self);
  return nullptr;
}

/// Ends the process when the caller could not do so in time.
void* watchdog_start(void*) {
  job_end().watchdog_waits();
  if (!job_end().decided()) return nullptr;
  timespec left{patience_seconds, 0};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  _exit(job_end().exit_code());
}

/// Started with all signals blocked: this thread must not get signals of the process.
pthread_t start_watchdog() {
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_t thread{};
  const int error = pthread_create(&thread, nullptr, watchdog_start, nullptr);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (error != 0) throw system_error("cannot start a thread of the node process", error);
  return thread;
}

class ThreadAttributes {
 public:
  explicit ThreadAttributes(std::size_t stack_bytes) {
    pthread_attr_init(&attributes_);
    error_ = pthread_attr_setstacksize(&attributes_, stack_bytes);
  }
  ~ThreadAttributes() { pthread_attr_destroy(&attributes_); }
  ThreadAttributes(const ThreadAttributes&) = delete;
  ThreadAttributes& operator=(const ThreadAttributes&) = delete;
  /// Returns 0 or the reason why there is no thread.
  int start(RankThread& rank) const {
    return error_ != 0 ? error_ : pthread_create(&rank.thread, &attributes_, rank_thread_start, &rank);
  }

 private:
  pthread_attr_t attributes_;
  int error_;
};

std::string what_to_do(std::size_t stack_bytes) {
  return " with a stack of " + std::to_string(stack_bytes >> 10) +
         " KiB; lower -n, TAIHU_STACK_SIZE or raise 'ulimit -u' or 'ulimit -v'";
}

/// The threads of one call of run_ranks.
class RankThreads {
 public:
  RankThreads(const RankThreadSettings& settings, const std::function<int(memory::RankIdentity&)>& body,
              LateRanks* late)
      : settings_(settings), body_(body), late_(late), attributes_(settings.stack_bytes) {}

  /// Those that start together, or none.
  void start(std::span<memory::RankIdentity> identities) {
    running_ = static_cast<int>(identities.size());
    int error = 0;
    for (std::size_t k = 0; error == 0 && k < identities.size(); ++k)
      error = add(threads_, identities[k], settings_.binding.empty() ? nullptr : &settings_.binding[k], {});
    gate_.open(error == 0);
    if (error == 0) return;
    const std::size_t started = threads_.size();
    join();
    throw system_error("cannot start the thread of the process's rank " + std::to_string(started) + " of " +
                           std::to_string(identities.size()) + what_to_do(settings_.stack_bytes),
                       error);
  }

  void wait() {
    while (!job_end().decided()) {
      // In this order: who is closed has wanted all that he wants.
      const bool closed = late_ == nullptr || late_->is_closed();
      if (late_ != nullptr) start_late();
      if (running_ == 0 && closed) return join();
      join_ended();
      job_end().caller_waits();
    }
    if (settings_.abort_job) settings_.abort_job(job_end().exit_code());
    // Returning is not possible: ranks still run on stacks that this object owns.
    _exit(job_end().exit_code());
  }

 private:
  int add(std::list<RankThread>& threads, memory::RankIdentity& identity, const RankBinding* binding,
          std::function<void()> ended) {
    RankThread& rank = threads.emplace_back();
    rank.gate = &gate_;
    rank.identity = &identity;
    rank.binding = binding;
    rank.body = &body_;
    rank.running = &running_;
    rank.ended = std::move(ended);
    const int error = attributes_.start(rank);
    if (error != 0) threads.pop_back();
    return error;
  }

  void start_late() {
    for (LateRanks::Wanted& wanted : late_->take()) {
      ++running_;
      if (const int error = add(late_threads_, *wanted.identity, nullptr, std::move(wanted.ended));
          error != 0) {
        --running_;
        wanted.refused(system_error("cannot start the thread of rank " +
                                        std::to_string(wanted.identity->rank) +
                                        what_to_do(settings_.stack_bytes),
                                    error)
                           .what());
      }
    }
  }

  /// Late ranks that have ended give back their stacks, and perhaps their places.
  void join_ended() {
    for (auto rank = late_threads_.begin(); rank != late_threads_.end();) {
      if (!rank->has_ended) {
        ++rank;
        continue;
      }
      pthread_join(rank->thread, nullptr);
      const std::function<void()> ended = std::move(rank->ended);
      rank = late_threads_.erase(rank);
      if (ended != nullptr) ended();
    }
  }

  void join() {
    for (std::list<RankThread>* threads : {&threads_, &late_threads_}) {
      for (RankThread& rank : *threads) pthread_join(rank.thread, nullptr);
      threads->clear();
    }
  }

  const RankThreadSettings& settings_;
  const std::function<int(memory::RankIdentity&)>& body_;
  LateRanks* const late_;
  const ThreadAttributes attributes_;
  StartGate gate_;
  std::atomic<int> running_{0};
  std::list<RankThread> threads_, late_threads_;  ///< each thread has a reference to its own
};

}  // namespace

void LateRanks::start(memory::RankIdentity& identity, std::function<void(const std::string&)> refused,
                      std::function<void()> ended) {
  {
    const std::lock_guard hold(lock_);
    wanted_.push_back({&identity, std::move(refused), std::move(ended)});
  }
  job_end().wake_caller();
}

void LateRanks::close() {
  {
    const std::lock_guard hold(lock_);
    closed_ = true;
  }
  job_end().wake_caller();
}

std::vector<LateRanks::Wanted> LateRanks::take() {
  const std::lock_guard hold(lock_);
  return std::exchange(wanted_, {});
}

bool LateRanks::is_closed() {
  const std::lock_guard hold(lock_);
  return closed_;
}

int run_ranks(const RankThreadSettings& settings, std::span<memory::RankIdentity> identities,
              const std::function<int(memory::RankIdentity&)>& body, LateRanks* late) {
  expect(settings.binding.empty() || settings.binding.size() == identities.size(),
         "one binding for each rank, or none");
  job_end().reset();
  AlternateStack stack;
  RankThreads threads(settings, body, late);
  const CrashReports reports(settings.host, decide_in_handler);
  const pthread_t watchdog = start_watchdog();
  try {
    threads.start(identities);
  } catch (...) {
    job_end().release_watchdog();
    pthread_join(watchdog, nullptr);
    throw;
  }
  threads.wait();
  job_end().release_watchdog();
  pthread_join(watchdog, nullptr);
  return 0;
}

}  // namespace taihu::launch
