// SPDX-License-Identifier: Apache-2.0
// Latency of collectives among the ranks of one node process. Calls follow each other without pause, as in
// the OSU benchmarks; the time is that of the slowest rank, the best of several batches. Prints "operation
// bytes microseconds"; bytes are those of one block. Results of every operation and size are checked once;
// the program fails when they are wrong.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/collective/collectives.h"

namespace {

using namespace taihu;
using namespace taihu::collective;

constexpr int batches = 10;
constexpr std::size_t sizes[] = {0, 8, 64, 256, 1024, 4096, 8192, 32768, 65536, 262144, 1048576};

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

/// One rank's buffers: floats, so that the reductions have something to add.
struct Buffers {
  explicit Buffers(std::size_t bytes) : source(bytes / 4), result(bytes / 4) {}
  std::vector<float> source;
  std::vector<float> result;
};

struct Operation {
  const char* name;
  void (*call)(GroupHandle& handle, Buffers& buffers, std::size_t bytes);
  /// Element k of the result when element k of the source of rank r is 1000 r + k / (elements of a block).
  float (*expected)(int ranks, int rank, std::size_t block);
  bool is_at_root;    ///< only the root has a result
  bool has_blocks;    ///< the result has a block per rank
  bool is_in_source;  ///< the result is the source
};

const Reduction sum = *find_reduction(M_FLOAT, M_SUM);

float sum_of_all(int ranks, int, std::size_t) {
  return 500.0f * static_cast<float>(ranks) * static_cast<float>(ranks - 1);
}
float first_of_block(int, int, std::size_t block) {
  return 1000.0f * static_cast<float>(block);
}

const Operation operations[] = {
    {"bcast", [](GroupHandle& h, Buffers& b, std::size_t n) { bcast(h, b.source.data(), n, 0); },
     [](int, int, std::size_t) { return 0.0f; }, false, false, true},
    {"reduce",
     [](GroupHandle& h, Buffers& b, std::size_t n) {
       reduce(h, b.source.data(), b.result.data(), n / 4, sum, 0);
     },
     sum_of_all, true, false, false},
    {"allreduce",
     [](GroupHandle& h, Buffers& b, std::size_t n) {
       allreduce(h, b.source.data(), b.result.data(), n / 4, sum);
     },
     sum_of_all, false, false, false},
    {"gather",
     [](GroupHandle& h, Buffers& b, std::size_t n) { gather(h, b.source.data(), b.result.data(), n, 0); },
     first_of_block, true, true, false},
    {"allgather",
     [](GroupHandle& h, Buffers& b, std::size_t n) { allgather(h, b.source.data(), b.result.data(), n); },
     first_of_block, false, true, false},
    {"scatter",
     [](GroupHandle& h, Buffers& b, std::size_t n) { scatter(h, b.source.data(), b.result.data(), n, 0); },
     [](int, int rank, std::size_t) { return static_cast<float>(rank); }, false, false, false},
    {"alltoall",
     [](GroupHandle& h, Buffers& b, std::size_t n) { alltoall(h, b.source.data(), b.result.data(), n); },
     [](int, int rank, std::size_t block) {
       return 1000.0f * static_cast<float>(block) + static_cast<float>(rank);
     },
     false, true, false},
};

class Bench {
 public:
  Bench(int ranks, double budget_s)
      : ranks_(ranks),
        budget_ns_(static_cast<std::int64_t>(budget_s * 1e9)),
        node_(message::Node::create(layout_of(ranks), nullptr, nullptr)),
        groups_(*node_) {}

  /// All measurements, by every rank.
  void run() {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks_; ++rank) threads.emplace_back([this, rank] { run_rank(rank); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void run_rank(int rank) {
    pin(rank);
    GroupHandle handle = groups_.join(node_->endpoint(rank), launch::Scope::all);
    Buffers buffers(std::end(sizes)[-1] * static_cast<std::size_t>(ranks_));
    measure(handle, "barrier", 0, [&] { barrier(handle); });
    for (const Operation& operation : operations) {
      for (const std::size_t bytes : sizes) {
        check(handle, operation, buffers, bytes);
        measure(handle, operation.name, bytes, [&] { operation.call(handle, buffers, bytes); });
      }
    }
  }

  void check(GroupHandle& handle, const Operation& operation, Buffers& buffers, std::size_t bytes) const {
    const std::size_t elements = bytes / 4;
    const std::size_t blocks = operation.has_blocks ? static_cast<std::size_t>(ranks_) : 1;
    for (std::size_t k = 0; k < elements * static_cast<std::size_t>(ranks_); ++k) {
      buffers.source[k] = 1000.0f * static_cast<float>(handle.rank()) + static_cast<float>(k / elements);
      buffers.result[k] = -1;
    }
    operation.call(handle, buffers, bytes);
    if (operation.is_at_root && handle.rank() != 0) return;
    const std::vector<float>& result = operation.is_in_source ? buffers.source : buffers.result;
    for (std::size_t k = 0; k < elements * blocks; ++k) {
      if (result[k] == operation.expected(ranks_, handle.rank(), k / elements)) continue;
      std::fprintf(stderr, "collective_latency: wrong result of %s\n", operation.name);
      std::exit(1);
    }
  }

  template <class Call>
  void measure(GroupHandle& handle, const char* name, std::size_t bytes, Call&& call) {
    call();
    barrier(handle);
    std::int64_t start = now_ns();
    for (int k = 0; k < 5; ++k) call();
    barrier(handle);
    const std::int64_t each_ns = std::max<std::int64_t>(1, (now_ns() - start) / 5);
    auto rounds = static_cast<int>(std::clamp<std::int64_t>(budget_ns_ / batches / each_ns, 3, 20000));
    bcast(handle, &rounds, sizeof rounds, 0);
    double least = 1e12;
    for (int batch = 0; batch < batches; ++batch) {
      barrier(handle);
      start = now_ns();
      for (int k = 0; k < rounds; ++k) call();
      const double time = static_cast<double>(now_ns() - start) / rounds / 1000;
      double slowest = 0;
      allreduce(handle, &time, &slowest, 1, M_DOUBLE, M_MAX);
      least = std::min(least, slowest);
    }
    if (handle.rank() == 0) std::printf("%s %zu %.3f\n", name, bytes, least);
  }

  int ranks_;
  std::int64_t budget_ns_;
  std::unique_ptr<message::Node> node_;
  Groups groups_;
};

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  const double budget_s = argc > 2 ? std::atof(argv[2]) : 0.02;
  if (ranks < 1 || ranks > 1024 || !(budget_s > 0)) {
    std::fprintf(stderr, "usage: collective_latency [RANKS] [SECONDS]  (per measurement; default 2 0.02)\n");
    return 2;
  }
  if (ranks > Groups::usable_cores()) threads::set_wait_policy({50, 2});
  Bench(ranks, budget_s).run();
  return 0;
}
