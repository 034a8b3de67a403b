// SPDX-License-Identifier: Apache-2.0
// The threads of one rank. A team runs a function once per thread and returns when all are done. An exception
// of a thread is thrown again by the caller.
//
// The threads are the team's own, not OpenMP's: while OpenMP's wait for each other they keep their processors
// busy for milliseconds, which on a loaded machine makes the solver a hundred times slower, and what they do
// is settled before the program starts (OMP_WAIT_POLICY). How many they are and where they are bound is told
// by OpenMP (OMP_NUM_THREADS, OMP_PROC_BIND, OMP_PLACES), as naalloc asks it too.
#pragma once

#include <memory>

namespace taihu::parallel {

/// Threads of OpenMP's default team: OMP_NUM_THREADS, the CPUs of the process.
int default_threads();

/// Used by one thread at a time.
class Team {
 public:
  /// `threads` threads; 0: default_threads(). More than there are CPUs, or than the system gives, share them.
  explicit Team(int threads = 0);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  int size() const { return size_; }

  /// Runs body(thread) for thread = 0 .. size() - 1, each on its own thread; the caller is thread 0.
  template <class Body>
  void run(const Body& body) const {
    if (size_ == 1) return body(0);
    run_on_all([](const void* b, int thread) { (*static_cast<const Body*>(b))(thread); }, &body);
  }

  /// Runs body(begin, end, thread) for each part of the partition that has rows, where only the first has
  /// some on the caller alone. A partition has size() parts: rows begin(part) .. end(part) - 1 of rows(), and
  /// tells with single() whether all are in the first part.
  template <class Partition, class Body>
  void run(const Partition& partition, const Body& body) const {
    if (partition.single()) return body(0, partition.rows(), 0);
    run([&](int thread) {
      if (partition.begin(thread) < partition.end(thread))
        body(partition.begin(thread), partition.end(thread), thread);
    });
  }

 private:
  class Workers;
  using Function = void (*)(const void* body, int thread);
  void run_on_all(Function function, const void* body) const;

  int size_;
  mutable std::unique_ptr<Workers> workers_;  // from the first run on
};

}  // namespace taihu::parallel
