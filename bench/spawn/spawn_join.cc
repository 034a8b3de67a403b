// SPDX-License-Identifier: Apache-2.0
// Thread arrays compared with OpenMP and plain pthreads, all in one process and in turns; a figure is the
// least of the rounds, for the median the median of them. Members are once contexts and once threads of the
// system. Arguments: rounds, then numbers of threads. Prints a table in Markdown.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "contender.h"
#include "taihu/threads/lock_table.h"
#include "taihu/threads/thread_array.h"

namespace {

using taihu::threads::ArrayOptions;
using taihu::threads::current_member;
using taihu::threads::ThreadArray;

struct ArrayJob {
  Times times;
  int repeats = 0;
  taihu::threads::LockTable locks;
};

void barrier_and_lock(void* argument) {
  auto& job = *static_cast<ArrayJob*>(argument);
  taihu::threads::ArrayBarrier& barrier = current_member()->array->barrier();
  const auto me = static_cast<std::uint64_t>(current_member()->index);
  barrier.wait();
  double start = now_us();
  for (int k = 0; k < job.repeats; ++k) barrier.wait();
  if (me == 0) job.times.barrier = (now_us() - start) / job.repeats;
  barrier.wait();
  start = now_us();
  for (int k = 0; k < job.repeats; ++k) {
    job.locks.lock({0, 1}, {0, me + 1});
    job.locks.unlock({0, 1}, {0, me + 1});
  }
  barrier.wait();
  if (me == 0) job.times.lock = (now_us() - start) / job.repeats / current_member()->size;
}

struct Count {
  std::atomic<int> calls{0};
  /// Ends the program when a thread has not run, or twice.
  void check(int expected) const {
    if (calls == expected) return;
    std::fprintf(stderr, "spawn_join: %d calls of a kernel instead of %d\n", calls.load(), expected);
    std::exit(1);
  }
};

Times array_times(ThreadArray& array, int repeats) {
  ArrayJob job;
  job.repeats = repeats;
  Count count;
  array.run([](void* all) { ++static_cast<Count*>(all)->calls; }, &count);
  count.check(array.size());
  time_spawns(job.times, repeats, [&] { array.run([](void*) {}, nullptr); });
  array.run(barrier_and_lock, &job);
  return job.times;
}

Times one_by_one_times(ThreadArray& array_of_one, int threads, int repeats) {
  Times times;
  time_spawns(times, repeats, [&] {
    for (int k = 0; k < threads; ++k) array_of_one.run([](void*) {}, nullptr);
  });
  return times;
}

struct PthreadJob {
  pthread_barrier_t barrier;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int repeats = 0;
  int threads = 0;
  Times times;
};

void* pthread_body(void* argument) {
  auto& job = *static_cast<PthreadJob*>(argument);
  const bool is_timer = pthread_barrier_wait(&job.barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  double start = now_us();
  for (int k = 0; k < job.repeats; ++k) pthread_barrier_wait(&job.barrier);
  if (is_timer) job.times.barrier = (now_us() - start) / job.repeats;
  pthread_barrier_wait(&job.barrier);
  start = now_us();
  for (int k = 0; k < job.repeats; ++k) {
    pthread_mutex_lock(&job.mutex);
    pthread_mutex_unlock(&job.mutex);
  }
  pthread_barrier_wait(&job.barrier);
  if (is_timer) job.times.lock = (now_us() - start) / job.repeats / job.threads;
  return nullptr;
}

void on_pthreads(int threads, void* (*body)(void*), void* argument) {
  std::vector<pthread_t> all(static_cast<std::size_t>(threads));
  for (pthread_t& thread : all) {
    if (pthread_create(&thread, nullptr, body, argument) != 0) {
      std::fprintf(stderr, "spawn_join: cannot start %d threads\n", threads);
      std::exit(1);
    }
  }
  for (const pthread_t thread : all) pthread_join(thread, nullptr);
}

Times pthread_times(int threads, int repeats) {
  PthreadJob job;
  job.repeats = repeats;
  job.threads = threads;
  time_spawns(job.times, 10, [&] { on_pthreads(threads, [](void*) -> void* { return nullptr; }, nullptr); });
  pthread_barrier_init(&job.barrier, nullptr, static_cast<unsigned>(threads));
  on_pthreads(threads, pthread_body, &job);
  pthread_barrier_destroy(&job.barrier);
  return job.times;
}

struct Row {
  const char* name;
  Times best{1e30, 1e30, 0, 1e30, 1e30};
  std::vector<double> medians{};

  void take(const Times& times) {
    best.spawn_join = std::min(best.spawn_join, times.spawn_join);
    best.least_cycles = std::min(best.least_cycles, times.least_cycles);
    best.barrier = std::min(best.barrier, times.barrier);
    best.lock = std::min(best.lock, times.lock);
    medians.push_back(times.median_cycles);
    std::nth_element(medians.begin(), medians.begin() + static_cast<long>(medians.size() / 2), medians.end());
    best.median_cycles = medians[medians.size() / 2];
  }
};

void print_time(double time, int digits) {
  time > 0 ? static_cast<void>(std::printf(" %.*f |", digits, time)) : static_cast<void>(std::printf(" - |"));
}

void compare(int threads, int cores, int rounds) {
  const int repeats = threads > cores ? 500 : 2000;
  ArrayOptions options;
  options.size = threads;
  options.shares_cpus = true;
  ThreadArray of_system(options);
  options.cores = cores;
  ThreadArray of_contexts(options);
  options.size = 1;
  ThreadArray of_one(options);
  enum { at_once, one_by_one, system, openmp, pthreads };
  Row rows[] = {{"Taihu, at once"}, {"Taihu, one by one"}, {"Taihu, system"}, {"OpenMP"}, {"pthreads"}};
  for (int round = 0; round < rounds; ++round) {
    taihu::threads::set_wait_policy({2000, 20});
    rows[at_once].take(array_times(of_contexts, repeats));
    rows[one_by_one].take(one_by_one_times(of_one, threads, repeats));
    taihu::threads::set_wait_policy({threads + 1 > cores ? 0 : 2000, 20});
    rows[system].take(array_times(of_system, repeats));
    rows[openmp].take(openmp_times(threads, repeats));
    rows[pthreads].take(pthread_times(threads, repeats));
  }
  for (const Row& row : rows) {
    if (row.best.spawn_join == 0) continue;  // built without OpenMP
    std::printf("| %d | %s |", threads, row.name);
    print_time(row.best.least_cycles, 0);
    print_time(row.best.median_cycles, 0);
    print_time(row.best.spawn_join, 2);
    print_time(row.best.barrier, 2);
    print_time(row.best.lock, 3);
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  std::vector<int> sizes;
  for (int k = 2; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (argc <= 2) sizes = {1, 2, 4, 16, 64};
  if (rounds < 1 || std::ranges::any_of(sizes, [](int size) { return size < 1; })) {
    std::fprintf(stderr, "usage: spawn_join [ROUNDS [THREADS...]], all at least 1\n");
    return 2;
  }
  std::printf(
      "| threads | | spawn+join, least cycles | median cycles | mean, us | barrier, us | lock, us |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const int threads : sizes) compare(threads, cores, rounds);
}
