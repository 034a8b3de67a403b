// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_time.h"

#include <bit>
#include <cmath>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

/// Keeps the slowest resource.
struct Slowest {
  double seconds = 0;
  std::string limit;
  void offer(double candidate, const std::string& name) {
    if (candidate <= seconds) return;
    seconds = candidate;
    limit = name;
  }
};

void check(const NumaMachine& machine, const NumaTraffic& traffic, const NumaSolve& solve) {
  check_input(solve.sweeps > 0 && std::isfinite(solve.sweeps), "the number of sweeps is not above 0");
  check_input(solve.stream_share > 0 && solve.stream_share <= 1,
              "the streaming share is not above 0 and at most 1");
  check_input(!traffic.home.empty(), "there is no thread");
  for (std::size_t thread = 0; thread < traffic.home.size(); ++thread)
    check_input(traffic.home[thread] >= 0 && traffic.home[thread] < machine.nodes() &&
                    traffic.bytes[thread].size() == machine.memory.size(),
                "thread " + std::to_string(thread) + " is not on a node of the machine");
}

}  // namespace

NumaTime numa_time(const NumaMachine& machine, const NumaTraffic& traffic, const NumaSolve& solve) {
  check(machine, traffic, solve);
  const std::size_t nodes = machine.memory.size(), threads = traffic.home.size();
  std::vector<double> served(nodes, 0.0);
  std::vector<std::vector<double>> over_link(nodes, served);
  Slowest slowest;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    const auto home = static_cast<std::size_t>(traffic.home[thread]);
    double seconds = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
      const double bytes = traffic.bytes[thread][node];
      served[node] += bytes;
      if (node != home) over_link[home][node] += bytes;
      seconds += bytes / (node == home ? machine.core_local : machine.core_remote);
    }
    slowest.offer(seconds, "thread " + std::to_string(thread));
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    slowest.offer(served[node] / machine.memory[node], "memory of node " + std::to_string(node));
    for (std::size_t to = 0; to < nodes; ++to)
      if (to != node)
        slowest.offer(over_link[to][node] / machine.link[to][node],
                      "link from node " + std::to_string(node) + " to node " + std::to_string(to));
  }
  const auto barrier_steps = static_cast<double>(std::bit_width(threads - 1));
  NumaTime time{0, slowest.seconds + machine.barrier_seconds * barrier_steps, slowest.limit};
  const double alone = traffic.total() / machine.core_local;
  const double other = (1 / solve.stream_share - 1) * alone / static_cast<double>(threads);
  time.seconds = solve.sweeps * (time.sweep_seconds + other);
  return time;
}

}  // namespace taihu::model
