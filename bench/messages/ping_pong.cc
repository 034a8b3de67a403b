// SPDX-License-Identifier: Apache-2.0
// Ping-pong between two ranks of one node process, one way, beside a bare memcpy of the same size. The time
// of a cache line between the two cores is measured before and after; results of runs where it changed are
// not comparable. Buffers are not touched between messages, as in the OSU benchmarks; `--touch` writes and
// reads them every time.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/base/units.h"
#include "taihu/message/endpoint.h"

namespace {

using namespace taihu;
using namespace taihu::message;

constexpr int batches = 15;

void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
}

/// The first two cores this process may use; the same one twice when there is only one.
std::vector<int> two_cores() {
  cpu_set_t usable;
  sched_getaffinity(0, sizeof usable, &usable);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE && cores.size() < 2; ++core) {
    if (CPU_ISSET(core, &usable)) cores.push_back(core);
  }
  cores.resize(2, cores.front());
  return cores;
}

/// Runs `first` and `second` on two cores at once.
template <class First, class Second>
void on_two_cores(First&& first, Second&& second) {
  const std::vector<int> cores = two_cores();
  std::thread other([&] {
    pin(cores[1]);
    second();
  });
  std::thread one([&] {
    pin(cores[0]);
    first();
  });
  one.join();
  other.join();
}

double cache_line_ns() {
  constexpr int rounds = 20000;
  alignas(64) static std::atomic<int> flag;
  flag = 0;
  double best = 1e9;
  const auto await = [](int value) {
    for (int i = 0; flag.load(std::memory_order_acquire) != value; ++i) {
      if (i % 1000 == 999) sched_yield();
    }
  };
  on_two_cores(
      [&] {
        for (int batch = 0; batch < 5; ++batch) {
          const std::int64_t start = now_ns();
          for (int i = 0; i < rounds; ++i) {
            flag.store(1, std::memory_order_release);
            await(0);
          }
          best = std::min(best, static_cast<double>(now_ns() - start) / (2.0 * rounds));
        }
        flag.store(2, std::memory_order_release);
      },
      [&] {
        for (;;) {
          const int seen = flag.load(std::memory_order_acquire);
          if (seen == 2) return;
          if (seen == 1) flag.store(0, std::memory_order_release);
        }
      });
  return best;
}

int rounds_for(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>((64 << 20) / (bytes + 4096), 20, 4000));
}

struct Row {
  double memcpy_us = 1e9;
  double message_us = 1e9;
};

double memcpy_us(std::vector<std::byte>& from, std::vector<std::byte>& to, std::size_t bytes) {
  const int rounds = rounds_for(bytes);
  const std::int64_t start = now_ns();
  for (int i = 0; i < rounds; ++i) {
    std::memcpy(to.data(), from.data(), bytes);
    __asm__ volatile("" ::"r"(to.data()), "r"(from.data()) : "memory");
  }
  return static_cast<double>(now_ns() - start) / rounds / 1000;
}

std::uint64_t sum_of(const std::vector<std::byte>& data, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += 64) sum += static_cast<std::uint64_t>(data[i]);
  return sum;
}

/// One side; returns microseconds one way, the best of the batches. Ends the program when bytes are wrong.
double play(Endpoint& me, std::size_t bytes, bool touch) {
  const int other = 1 - me.rank();
  std::vector<std::byte> out(bytes, static_cast<std::byte>(me.rank() + 1));
  std::vector<std::byte> in(bytes);
  double best = 1e9;
  volatile std::uint64_t sink = 0;
  for (int batch = 0; batch < batches; ++batch) {
    const int rounds = rounds_for(bytes);
    const std::int64_t start = now_ns();
    for (int i = 0; i < rounds; ++i) {
      if (me.rank() == 1) {
        me.receive(other, user_context, 0, in.data(), bytes);
        if (touch) sink = sink + sum_of(in, bytes);
      }
      if (touch) std::memset(out.data(), me.rank() + 1, bytes);
      me.send(other, user_context, 0, out.data(), bytes);
      if (me.rank() == 0) {
        me.receive(other, user_context, 0, in.data(), bytes);
        if (touch) sink = sink + sum_of(in, bytes);
      }
    }
    best = std::min(best, static_cast<double>(now_ns() - start) / (2.0 * rounds) / 1000);
  }
  for (const std::byte byte : in) {
    if (byte == static_cast<std::byte>(other + 1)) continue;
    std::fprintf(stderr, "ping_pong: wrong bytes received\n");
    std::exit(1);
  }
  return best;
}

Row measure(std::size_t bytes, bool touch) {
  launch::Layout layout;
  layout.ranks = 2;
  layout.processes = 1;
  layout.first_rank = {0, 2};
  layout.node_of_process = {0};
  const auto node = Node::create(layout, nullptr, nullptr);
  Row row;
  on_two_cores([&] { row.message_us = play(node->endpoint(0), bytes, touch); },
               [&] { play(node->endpoint(1), bytes, touch); });
  std::vector<std::byte> from(bytes, std::byte{1});
  std::vector<std::byte> to(bytes);
  for (int batch = 0; batch < batches; ++batch)
    row.memcpy_us = std::min(row.memcpy_us, memcpy_us(from, to, bytes));
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  const bool touch = argc > 1 && std::strcmp(argv[1], "--touch") == 0;
  if (argc > 1 && !touch) {
    std::fprintf(stderr, "usage: ping_pong [--touch]\n");
    return 2;
  }
  const double before = cache_line_ns();
  std::printf("%10s %12s %12s\n", "size", "memcpy us", "message us");
  for (const std::size_t bytes : {8, 64, 1024, 2048, 4096, 8192, 65536, 262144, 1 << 20, 4 << 20}) {
    const Row row = measure(bytes, touch);
    std::printf("%10s %12.3f %12.3f\n", format_bytes(static_cast<std::int64_t>(bytes)).c_str(), row.memcpy_us,
                row.message_us);
  }
  std::printf("cache line between the cores: %.0f ns before, %.0f ns after\n", before, cache_line_ns());
  return 0;
}
