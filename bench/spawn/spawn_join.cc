// SPDX-License-Identifier: Apache-2.0
// Thread arrays beside OpenMP and plain pthreads, all in one process and in turns; a figure is the least of
// the rounds. More threads than cores are once contexts and once threads of the system.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "contender.h"
#include "taihu/threads/lock_table.h"
#include "taihu/threads/thread_array.h"

namespace {

using taihu::threads::ArrayOptions;
using taihu::threads::current_member;
using taihu::threads::ThreadArray;

constexpr int rounds = 7;

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

Times array_times(ThreadArray& array, int repeats) {
  ArrayJob job;
  job.repeats = repeats;
  const auto nothing = [](void*) {};
  array.run(nothing, nullptr);
  const double start = now_us();
  for (int k = 0; k < repeats; ++k) array.run(nothing, nullptr);
  job.times.spawn_join = (now_us() - start) / repeats;
  array.run(barrier_and_lock, &job);
  return job.times;
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
  const double start = now_us();
  for (int k = 0; k < 10; ++k) on_pthreads(threads, [](void*) -> void* { return nullptr; }, nullptr);
  pthread_barrier_init(&job.barrier, nullptr, static_cast<unsigned>(threads));
  const double spawn_join = (now_us() - start) / 10;
  on_pthreads(threads, pthread_body, &job);
  pthread_barrier_destroy(&job.barrier);
  job.times.spawn_join = spawn_join;
  return job.times;
}

struct Row {
  std::string name;
  Times best{1e30, 1e30, 1e30};

  void take(const Times& times) {
    best.spawn_join = std::min(best.spawn_join, times.spawn_join);
    best.barrier = std::min(best.barrier, times.barrier);
    best.lock = std::min(best.lock, times.lock);
  }
};

void compare(int threads, int cores) {
  taihu::threads::set_wait_policy({threads + 1 > cores ? 0 : 2000, 20});
  const int repeats = threads > cores ? 200 : 2000;
  ArrayOptions options;
  options.size = threads;
  options.shares_cpus = true;
  ThreadArray of_system(options);
  options.cores = cores;
  ThreadArray of_contexts(options);
  Row rows[] = {{"Taihu"}, {"Taihu, threads of the system"}, {"OpenMP"}, {"pthreads"}};
  for (int round = 0; round < rounds; ++round) {
    rows[0].take(array_times(of_contexts, repeats));
    rows[1].take(array_times(of_system, repeats));
    rows[2].take(openmp_times(threads, repeats));
    rows[3].take(pthread_times(threads, repeats));
  }
  for (const Row& row : rows) {
    if (row.name == "Taihu, threads of the system" && threads <= cores) continue;  // the same
    std::printf("%8d  %-28s %12.2f %10.2f %10.3f\n", threads, row.name.c_str(), row.best.spawn_join,
                row.best.barrier, row.best.lock);
  }
}

}  // namespace

int main() {
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::printf("%d cores; microseconds\n%8s  %-28s %12s %10s %10s\n", cores, "threads", "", "spawn+join",
              "barrier", "lock");
  for (const int threads : {1, 2, 4, 64}) compare(threads, cores);
}
