// SPDX-License-Identifier: Apache-2.0
// The threads of one rank: OpenMP's. A team runs a function once per thread and returns when all are done. An
// exception of a thread is thrown again by the caller. Work with rows for one thread only runs on the caller
// alone.
#pragma once

#include "taihu/amg/parallel/partition.h"

namespace taihu::amg {

class Team {
 public:
  /// `threads` threads; 0: as many as OpenMP would take (OMP_NUM_THREADS, the CPUs of the process).
  explicit Team(int threads = 0);

  int size() const { return size_; }

  /// Runs body(thread) for thread = 0 .. size() - 1, each on its own thread; the caller is thread 0.
  template <class Body>
  void run(const Body& body) const {
    if (size_ == 1) return body(0);
    run_on_all([](const void* b, int thread) { (*static_cast<const Body*>(b))(thread); }, &body);
  }

  /// Runs body(begin, end, thread) for each part of the partition that has rows; the partition has size()
  /// parts.
  template <class Body>
  void run(const Partition& partition, const Body& body) const {
    if (partition.single()) return body(0, partition.rows(), 0);
    run([&](int thread) {
      if (partition.begin(thread) < partition.end(thread))
        body(partition.begin(thread), partition.end(thread), thread);
    });
  }

 private:
  using Function = void (*)(const void* body, int thread);
  void run_on_all(Function function, const void* body) const;

  int size_;
};

}  // namespace taihu::amg
