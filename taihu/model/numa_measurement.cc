// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_measurement.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t least_bytes = std::size_t{64} << 20;
constexpr int barriers_of_one_run = 500;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Memory whose pages come from one node.
class NodeMemory {
 public:
  NodeMemory(std::size_t bytes, int node, memory::PageSystem& pages)
      : bytes_(bytes),
        begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (begin_ == MAP_FAILED) throw system_error("cannot get memory to read, give a smaller --bytes", errno);
    try {
      touch(node, pages);
    } catch (...) {
      munmap(begin_, bytes_);
      throw;
    }
  }
  ~NodeMemory() { munmap(begin_, bytes_); }
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  const void* begin() const noexcept { return begin_; }

 private:
  void touch(int node, memory::PageSystem& pages) {
    const std::string name = "node " + std::to_string(node);
    if (const int refusal = pages.prefer(begin_, bytes_, node); refusal != 0)
      throw system_error("cannot place memory on " + name, refusal);
    madvise(begin_, bytes_,
            MADV_HUGEPAGE);  // programs that stream have large pages, where the system gives any
    std::memset(begin_, 1, bytes_);
    // A few pages tell: a full node passes all that come behind on to its neighbours.
    void* const samples[] = {begin_, static_cast<char*>(begin_) + bytes_ / 2,
                             static_cast<char*>(begin_) + bytes_ - 1};
    int status[std::size(samples)];
    if (const int refusal = pages.locate(samples, status); refusal != 0)
      throw system_error("the system does not tell where memory lies", refusal);
    for (const int place : status)
      check_input(place == node, name + " has not enough free memory; give a smaller --bytes");
  }

  const std::size_t bytes_;
  void* const begin_;
};

/// The sum keeps the compiler from leaving the reading out.
std::uint64_t read_all(const void* begin, std::size_t bytes) {
  using Vector [[gnu::vector_size(64)]] = std::uint64_t;
  const auto* from = static_cast<const Vector*>(begin);
  Vector sums[4] = {};
  for (const Vector* const end = from + bytes / sizeof(Vector); from < end; from += std::size(sums))
    for (std::size_t i = 0; i < std::size(sums); ++i) sums[i] += from[i];
  const Vector sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

/// Runs `work(thread)` on one thread per core, each bound to its core. `work` must not throw. Throws Error
/// when a thread cannot be bound.
template <typename Work>
void on_cores(const std::vector<topology::CpuSet>& cores, const Work& work) {
  std::atomic<bool> bound = true;
  std::barrier all_bound(static_cast<std::ptrdiff_t>(cores.size()));
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < cores.size(); ++i)
      threads.emplace_back([&, i] {
        if (!topology::bind_this_thread(cores[i])) bound = false;
        all_bound.arrive_and_wait();
        if (bound) work(i);
      });
  }
  check_input(bound, "the system does not let threads run on the cores that this process may use");
}

/// Bytes per second that these cores read together, each its own memory, from first begin to last end.
double read_rate(const std::vector<topology::CpuSet>& cores, const std::vector<const void*>& memory,
                 const NumaMeasurement& measurement) {
  const auto runs = static_cast<std::size_t>(measurement.runs);
  std::vector<Clock::time_point> begins(runs), ends(runs);
  std::atomic<std::uint64_t> sum = 0;
  // The last to arrive notes the time: of the beginning at even steps, of the end at odd ones.
  std::size_t step = 0;
  std::barrier together(static_cast<std::ptrdiff_t>(cores.size()), [&]() noexcept {
    (step % 2 == 0 ? begins : ends)[step / 2] = Clock::now();
    ++step;
  });
  on_cores(cores, [&](std::size_t thread) {
    sum += read_all(memory[thread], measurement.bytes_per_thread);  // fills the tables of addresses
    for (std::size_t i = 0; i < runs; ++i) {
      together.arrive_and_wait();
      sum += read_all(memory[thread], measurement.bytes_per_thread);
      together.arrive_and_wait();
    }
  });
  const double bytes = static_cast<double>(measurement.bytes_per_thread) * static_cast<double>(cores.size());
  double best = 0;
  for (std::size_t run = 0; run < runs; ++run)
    best = std::max(best, bytes / std::chrono::duration<double>(ends[run] - begins[run]).count());
  return best;
}

/// Seconds of a barrier of two threads that wait awake.
double barrier_seconds(const topology::CpuSet& one, const topology::CpuSet& other, int runs) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    std::atomic<int> arrived[2] = {0, 0};
    Clock::time_point begin, end;
    on_cores({one, other}, [&](std::size_t thread) {
      if (thread == 0) begin = Clock::now();
      for (int round = 1; round <= barriers_of_one_run; ++round) {
        arrived[thread].store(round, std::memory_order_release);
        while (arrived[1 - thread].load(std::memory_order_acquire) < round) __builtin_ia32_pause();
      }
      if (thread == 0) end = Clock::now();
    });
    best = std::min(best, std::chrono::duration<double>(end - begin).count() / barriers_of_one_run);
  }
  return best;
}

/// A node to measure.
struct Node {
  int number;  ///< of the system
  std::vector<topology::CpuSet> cores;
};

std::vector<Node> nodes_of(const topology::Machine& machine) {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < machine.numa_nodes.size(); ++i) {
    if (machine.numa_nodes[i].memory_bytes == 0) continue;
    Node node{machine.numa_nodes[i].os_index, {}};
    for (const topology::Core& core : machine.cores)
      if (core.numa_node == static_cast<int>(i))
        node.cores.push_back(topology::CpuSet({core.cpus.cpus().front()}));
    if (!node.cores.empty()) nodes.push_back(std::move(node));
  }
  return nodes;
}

class Measuring {
 public:
  Measuring(std::vector<Node> nodes, NumaMeasurement measurement, memory::PageSystem& pages)
      : nodes_(std::move(nodes)), measurement_(std::move(measurement)), pages_(pages) {}

  void measure(NumaMachine& machine) const {
    const std::size_t count = nodes_.size();
    std::vector<double> local, remote;
    machine.memory.assign(count, 0);
    machine.link.assign(count, std::vector<double>(count, 0));
    for (std::size_t cores = 0; cores < count; ++cores)
      for (std::size_t memory = 0; memory < count; ++memory) {
        const Rates rates = pair(nodes_[cores], nodes_[memory]);
        machine.link[cores][memory] = rates.all;
        if (cores == memory) machine.memory[cores] = rates.all;
        (cores == memory ? local : remote).push_back(rates.one);
      }
    machine.core_local = median(local);
    machine.core_remote = remote.empty() ? machine.core_local : median(remote);
  }

 private:
  struct Rates {
    double all = 0, one = 0;
  };

  Rates pair(const Node& cores, const Node& memory) const {
    if (measurement_.progress)
      measurement_.progress("cores of node " + std::to_string(cores.number) + " read memory of node " +
                            std::to_string(memory.number));
    std::vector<std::unique_ptr<NodeMemory>> parts;
    std::vector<const void*> begins;
    for (std::size_t i = 0; i < cores.cores.size(); ++i) {
      parts.push_back(std::make_unique<NodeMemory>(measurement_.bytes_per_thread, memory.number, pages_));
      begins.push_back(parts.back()->begin());
    }
    return {read_rate(cores.cores, begins, measurement_), read_rate({cores.cores[0]}, begins, measurement_)};
  }

  const std::vector<Node> nodes_;
  const NumaMeasurement measurement_;
  memory::PageSystem& pages_;
};

/// A pass reads whole pages.
std::size_t bytes_of_pass(const topology::Machine& machine, std::size_t asked) {
  const std::size_t page = page_bytes();
  const auto cache = static_cast<std::size_t>(machine.last_level_cache_bytes());
  const std::size_t bytes = asked != 0 ? asked : std::max(least_bytes, 2 * cache);
  return (bytes + page - 1) / page * page;
}

double three_digits(double value) {
  const double scale = std::pow(10, 2 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

}  // namespace

NumaMachine measure_numa_machine(const topology::Machine& machine, const NumaMeasurement& measurement,
                                 memory::PageSystem& pages) {
  const std::vector<Node> nodes = nodes_of(machine);
  check_input(!nodes.empty(),
              "the system shows no node that has memory and cores which this process may use");
  NumaMeasurement rounded = measurement;
  rounded.bytes_per_thread = bytes_of_pass(machine, measurement.bytes_per_thread);
  NumaMachine result;
  std::size_t cores = nodes.front().cores.size();
  for (const Node& node : nodes) cores = std::min(cores, node.cores.size());
  result.cores_per_node = static_cast<int>(cores);
  const std::string& model = machine.packages.front().model;
  result.name = std::to_string(nodes.size()) + (nodes.size() == 1 ? " node" : " nodes") + " of " +
                std::to_string(cores) + (cores == 1 ? " core" : " cores") +
                (model.empty() ? "" : ", " + model);
  Measuring(nodes, rounded, pages).measure(result);
  if (machine.cores.size() > 1)
    result.barrier_seconds = barrier_seconds(machine.cores[0].cpus, machine.cores[1].cpus, measurement.runs);
  return result;
}

std::string json_of(const NumaMachine& machine, const std::string& source) {
  const auto gigabytes = [](double rate) { return three_digits(rate * 1e-9); };
  nlohmann::ordered_json object;
  object["name"] = machine.name;
  object["source"] = source;
  object["nodes"] = machine.nodes();
  object["cores_per_node"] = machine.cores_per_node;
  for (const double rate : machine.memory) object["memory_gb_s"].push_back(gigabytes(rate));
  for (const auto& row : machine.link) {
    nlohmann::ordered_json rates;
    for (const double rate : row) rates.push_back(gigabytes(rate));
    object["link_gb_s"].push_back(rates);
  }
  object["core_local_gb_s"] = gigabytes(machine.core_local);
  object["core_remote_gb_s"] = gigabytes(machine.core_remote);
  object["barrier_us"] = machine.barrier_seconds > 0 ? three_digits(machine.barrier_seconds * 1e6) : 0;
  return object.dump(2) + "\n";
}

}  // namespace taihu::model
