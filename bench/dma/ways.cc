// SPDX-License-Identifier: Apache-2.0
// Who should copy for an asynchronous transfer between memory and a scratchpad? Four answers, and no
// scratchpad at all, on the same stream of tiles: get tile t + 1, compute on tile t, wait, as kernels with
// two buffers do. All cores compute, or one does and the engine has a core of its own. A figure is the least
// of rounds in which the ways take turns; every way must give the same sum.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int rounds = 15;
constexpr std::size_t memory_bytes = std::size_t{256} << 20;  // far more than the caches of a thread hold
constexpr std::size_t bytes_of_round = std::size_t{16} << 20;

/// A get of `bytes` in blocks of `block`, whose starts are `stride` apart at the source.
struct Transfer {
  char* target = nullptr;
  const char* source = nullptr;
  std::size_t bytes = 0, block = 0, stride = 0;
  std::atomic<int>* reply = nullptr;

  void copy() const {
    if (block >= bytes) {
      std::memcpy(target, source, bytes);
    } else if (block == sizeof(double)) {
      for (std::size_t k = 0; k < bytes / sizeof(double); ++k) {
        std::memcpy(target + k * sizeof(double), source + k * stride, sizeof(double));
      }
    } else {
      for (std::size_t k = 0; k * block < bytes; ++k)
        std::memcpy(target + k * block, source + k * stride, block);
    }
    reply->fetch_add(1, std::memory_order_release);
  }
  void prefetch() const {
    constexpr std::size_t line = 64;
    const std::size_t step = std::max(block < bytes ? stride : line, line);
    const std::size_t reach = block < bytes ? bytes / block * stride : bytes;
    for (std::size_t at = 0; at < reach; at += step) __builtin_prefetch(source + at);
  }
};

/// A thread that copies what threads have put into its queues, one for each of them.
class Engine {
 public:
  struct alignas(64) Queue {
    static constexpr std::uint32_t places = 16;
    std::array<Transfer, places> transfers;
    alignas(64) std::atomic<std::uint32_t> put{0};
    alignas(64) std::atomic<std::uint32_t> taken{0};
  };

  explicit Engine(int threads) : queues_(static_cast<std::size_t>(threads)), thread_([this] { serve(); }) {}
  ~Engine() {
    stops_.store(true);
    thread_.join();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void put(int thread, const Transfer& transfer) {
    Queue& queue = queues_[static_cast<std::size_t>(thread)];
    const std::uint32_t at = queue.put.load(std::memory_order_relaxed);
    while (at - queue.taken.load(std::memory_order_acquire) == Queue::places) sched_yield();
    queue.transfers[at % Queue::places] = transfer;
    queue.put.store(at + 1, std::memory_order_release);
  }

 private:
  void serve() {
    for (int idle = 0; !stops_.load(std::memory_order_relaxed);) {
      ++idle;
      for (Queue& queue : queues_) {
        const std::uint32_t at = queue.taken.load(std::memory_order_relaxed);
        if (queue.put.load(std::memory_order_acquire) == at) continue;
        queue.transfers[at % Queue::places].copy();
        queue.taken.store(at + 1, std::memory_order_release);
        idle = 0;
      }
      if (idle > 1000) sched_yield();
    }
  }

  std::vector<Queue> queues_;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

enum class Way { none, in_call, at_wait, prefetched, engine };
constexpr std::array ways{Way::none, Way::in_call, Way::at_wait, Way::prefetched, Way::engine};
constexpr std::array names{"no scratchpad", "copy in the call", "copy at the wait",
                           "prefetch, copy at the wait", "engine"};

struct Case {
  const char* name;
  std::size_t tile_bytes, block, stride;  // block 0: whole tiles
  int operations;                         // for each double
  int threads;
};

double computed(const char* data, std::size_t count, std::size_t stride, int operations) {
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double value;
    std::memcpy(&value, data + k * stride, sizeof value);
    for (int j = 0; j < operations; ++j) value = value * 0.5 + 1;
    sum += value;
  }
  return sum;
}

/// What one thread does: its sum.
double stream(Way way, const Case& what, const char* memory, int thread, Engine* engine) {
  alignas(64) static thread_local std::array<char, std::size_t{64} << 10> scratchpad;
  const std::size_t block = what.block == 0 ? what.tile_bytes : what.block;
  const std::size_t stride = what.block == 0 ? what.tile_bytes : what.stride;
  const std::size_t count = what.tile_bytes / sizeof(double);
  const std::size_t tiles = bytes_of_round / (what.block == 0 ? 1 : 8) / what.tile_bytes;
  // Columns of a matrix, or one tile behind the other; each thread in a part of its own.
  const std::size_t step = what.block == 0 ? what.tile_bytes : block;
  const char* const start = memory + memory_bytes / 2 * static_cast<std::size_t>(thread);
  const std::size_t per_column = what.block == 0 ? tiles : stride / block;
  const auto source = [&](std::size_t tile) {
    return start + tile / per_column * (what.block == 0 ? 0 : what.tile_bytes / block * stride) +
           tile % per_column * step;
  };
  if (way == Way::none) {
    double sum = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
      for (std::size_t k = 0; k * block < what.tile_bytes; ++k) {
        sum += computed(source(t) + k * stride, block / sizeof(double), sizeof(double), what.operations);
      }
    }
    return sum;
  }
  const std::array buffers{scratchpad.data(), scratchpad.data() + what.tile_bytes};
  std::array<std::atomic<int>, 2> replies{};
  std::array<Transfer, 2> open;
  const auto get = [&](std::size_t tile) {
    const std::size_t side = tile % 2;
    replies[side].store(0, std::memory_order_relaxed);
    open[side] = {buffers[side], source(tile), what.tile_bytes, block, stride, &replies[side]};
    if (way == Way::in_call) open[side].copy();
    if (way == Way::prefetched) open[side].prefetch();
    if (way == Way::engine) engine->put(thread, open[side]);
  };
  const auto wait = [&](std::size_t tile) {
    const std::size_t side = tile % 2;
    if (way == Way::at_wait || way == Way::prefetched) open[side].copy();
    for (int k = 0; replies[side].load(std::memory_order_acquire) == 0; ++k) {
      if (k > 1000) sched_yield();
    }
  };
  double sum = 0;
  get(0);
  for (std::size_t t = 0; t < tiles; ++t) {
    wait(t);
    if (t + 1 < tiles) get(t + 1);
    sum += computed(buffers[t % 2], count, sizeof(double), what.operations);
  }
  return sum;
}

/// Nanoseconds for a tile of each thread.
double time_of(Way way, const Case& what, const char* memory, double* sum) {
  std::unique_ptr<Engine> engine;
  if (way == Way::engine) engine = std::make_unique<Engine>(what.threads);
  std::vector<double> sums(static_cast<std::size_t>(what.threads));
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int k = 1; k < what.threads; ++k) {
    others.emplace_back(
        [&, k] { sums[static_cast<std::size_t>(k)] = stream(way, what, memory, k, engine.get()); });
  }
  sums[0] = stream(way, what, memory, 0, engine.get());
  for (std::thread& each : others) each.join();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  *sum = 0;
  for (const double each : sums) *sum += each;
  return time.count() / static_cast<double>(bytes_of_round / (what.block == 0 ? 1 : 8) / what.tile_bytes);
}

}  // namespace

int main() {
  std::vector<double> values(memory_bytes / sizeof(double));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k % 1024);
  const auto* const memory = reinterpret_cast<const char*>(values.data());
  const Case cases[] = {
      {"1 KB", 1 << 10, 0, 0, 1, 1},
      {"4 KB", 4 << 10, 0, 0, 1, 1},
      {"16 KB", 16 << 10, 0, 0, 1, 1},
      {"32 KB", 32 << 10, 0, 0, 1, 1},
      {"16 KB, 16 operations", 16 << 10, 0, 0, 16, 1},
      {"4 KB in blocks of 8 B", 4 << 10, 8, 8 << 10, 1, 1},
      {"4 KB in blocks of 256 B", 4 << 10, 256, 8 << 10, 1, 1},
      {"4 KB, all cores", 4 << 10, 0, 0, 1, 2},
      {"16 KB, 16 operations, all cores", 16 << 10, 0, 0, 16, 2},
      {"4 KB in blocks of 8 B, all cores", 4 << 10, 8, 8 << 10, 1, 2},
  };
  std::printf("| nanoseconds for a tile | %s | %s | %s | %s | %s |\n|---|---|---|---|---|---|\n", names[0],
              names[1], names[2], names[3], names[4]);
  for (const Case& what : cases) {
    std::array<std::vector<double>, ways.size()> times;
    std::array<double, ways.size()> sums{};
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < ways.size(); ++k)
        times[k].push_back(time_of(ways[k], what, memory, &sums[k]));
    }
    std::printf("| %s |", what.name);
    for (std::size_t k = 0; k < ways.size(); ++k) {
      std::printf(" %.0f |", *std::min_element(times[k].begin(), times[k].end()));
      if (std::abs(sums[k] - sums[1]) > 1e-9 * std::abs(sums[1])) {
        std::fprintf(stderr, "ways: %s: '%s' has another sum\n", what.name, names[k]);
        return 1;
      }
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}
