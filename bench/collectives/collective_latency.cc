// SPDX-License-Identifier: Apache-2.0
// Latency of collectives among the ranks of one node process: barrier, bcast, allreduce, alltoall. Calls
// follow each other without pause, as in the OSU benchmarks; the time is that of the slowest rank, the best
// of several batches. Results are checked; the program fails when they are wrong.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/collective/collectives.h"

namespace {

using namespace taihu;
using namespace taihu::collective;

constexpr int batches = 15;

// Rank k on the k-th usable core, round about.
void pin(int rank) {
  cpu_set_t usable;
  sched_getaffinity(0, sizeof usable, &usable);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &usable)) cores.push_back(core);
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cores[static_cast<std::size_t>(rank) % cores.size()], &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

launch::Layout layout_of(int ranks) {
  launch::Layout layout;
  layout.ranks = ranks;
  layout.processes = 1;
  layout.first_rank = {0, ranks};
  layout.node_of_process = {0};
  layout.sizes = {ranks, ranks, ranks};
  return layout;
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "collective_latency: wrong result of %s\n", what);
  std::exit(1);
}

class Bench {
 public:
  explicit Bench(int ranks)
      : ranks_(ranks), node_(message::Node::create(layout_of(ranks), nullptr, nullptr)), groups_(*node_) {}

  /// Microseconds per call of call(handle), made `rounds` times in a batch by every rank.
  template <class Call>
  double measure(int rounds, Call&& call) {
    std::vector<double> best(static_cast<std::size_t>(batches), 0);
    std::vector<std::vector<double>> times(static_cast<std::size_t>(ranks_), best);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks_; ++rank) {
      threads.emplace_back([&, rank] {
        pin(rank);
        GroupHandle handle = groups_.join(node_->endpoint(rank), launch::Scope::all);
        for (double& time : times[static_cast<std::size_t>(rank)]) {
          barrier(handle);
          const std::int64_t start = now_ns();
          for (int k = 0; k < rounds; ++k) call(handle);
          time = static_cast<double>(now_ns() - start) / rounds / 1000;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    double least = 1e12;
    for (std::size_t batch = 0; batch < best.size(); ++batch) {
      double slowest = 0;
      for (const auto& of_rank : times) slowest = std::max(slowest, of_rank[batch]);
      least = std::min(least, slowest);
    }
    return least;
  }

  double allreduce_us(std::size_t bytes) {
    const std::size_t count = bytes / sizeof(float);
    std::vector<std::vector<float>> sources(static_cast<std::size_t>(ranks_), std::vector<float>(count, 1));
    auto results = sources;
    const double time = measure(rounds_for(bytes), [&](GroupHandle& handle) {
      const auto me = static_cast<std::size_t>(handle.rank());
      allreduce(handle, sources[me].data(), results[me].data(), static_cast<long>(count), M_FLOAT, M_SUM);
    });
    for (const auto& result : results) {
      check(
          std::all_of(result.begin(), result.end(), [&](float v) { return v == static_cast<float>(ranks_); }),
          "allreduce");
    }
    return time;
  }

  double bcast_us(std::size_t bytes) {
    std::vector<std::vector<char>> buffers(static_cast<std::size_t>(ranks_), std::vector<char>(bytes));
    std::fill(buffers[0].begin(), buffers[0].end(), 7);
    const double time = measure(rounds_for(bytes), [&](GroupHandle& handle) {
      bcast(handle, buffers[static_cast<std::size_t>(handle.rank())].data(), bytes, 0);
    });
    for (const auto& buffer : buffers) check(buffer == buffers[0], "bcast");
    return time;
  }

  double alltoall_us(std::size_t bytes) {
    const std::size_t n = static_cast<std::size_t>(ranks_);
    std::vector<std::vector<char>> sources(n, std::vector<char>(bytes * n));
    auto results = sources;
    for (std::size_t k = 0; k < n; ++k) std::fill(sources[k].begin(), sources[k].end(), static_cast<char>(k));
    const double time = measure(rounds_for(bytes * n), [&](GroupHandle& handle) {
      const auto me = static_cast<std::size_t>(handle.rank());
      alltoall(handle, sources[me].data(), results[me].data(), bytes);
    });
    for (const auto& result : results) {
      for (std::size_t k = 0; k < result.size(); ++k)
        check(result[k] == static_cast<char>(k / bytes), "alltoall");
    }
    return time;
  }

  double barrier_us() {
    return measure(rounds_for(0), [](GroupHandle& handle) { barrier(handle); });
  }

 private:
  int rounds_for(std::size_t bytes) const {
    const bool crowded =
        ranks_ > Groups::usable_cores();  // every call waits for the operating system's scheduler
    const std::size_t most = crowded ? 200 : 4000;
    const std::size_t work = (std::size_t{32} << 20) / (bytes + 4096) / static_cast<std::size_t>(ranks_);
    return static_cast<int>(std::clamp<std::size_t>(work, 20, most));
  }

  int ranks_;
  std::unique_ptr<message::Node> node_;
  Groups groups_;
};

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc == 2 ? std::atoi(argv[1]) : argc == 1 ? 2 : 0;
  if (ranks < 1 || ranks > 1024) {
    std::fprintf(stderr, "usage: collective_latency [RANKS]  (1 to 1024, default 2)\n");
    return 2;
  }
  if (ranks > Groups::usable_cores()) threads::set_wait_policy({50, 2});
  Bench bench(ranks);
  std::printf("ranks %d on %d cores\nbarrier %8.2f us\n", ranks, Groups::usable_cores(), bench.barrier_us());
  std::printf("%9s %12s %12s %12s\n", "bytes", "bcast us", "allreduce us", "alltoall us");
  for (const std::size_t bytes : {8, 256, 1024, 8192, 65536, 1 << 20}) {
    std::printf("%9zu %12.2f %12.2f %12.2f\n", bytes, bench.bcast_us(bytes), bench.allreduce_us(bytes),
                bench.alltoall_us(bytes));
    std::fflush(stdout);
  }
  return 0;
}
