// SPDX-License-Identifier: Apache-2.0
// Ping-pong between two ranks of one node process, one way, compared with a bare memcpy of the same size:
// with buffers that nobody touches between messages, as in the OSU benchmarks, and with buffers written
// before each send and read after each receive. On virtual machines the distance of two cores changes within
// minutes, and with it all times; so it is measured around each measurement, and the best times are shown
// apart for near cores (a cache line in less than 80 ns) and far ones (100 to 300 ns). Measurements in which
// it changed, or was larger, are dropped. Argument: how often to repeat everything (default 3).
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

constexpr int batches = 5;

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
  constexpr int rounds = 1000;
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
  return static_cast<int>(std::clamp<std::size_t>((16 << 20) / (bytes + 4096), 5, 2000));
}

/// Best microseconds one way, by distance and use of the buffers; huge: never measured.
struct Row {
  double memcpy_us = 1e9;
  double near_us[2] = {1e9, 1e9};
  double far_us[2] = {1e9, 1e9};
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

double message_us(std::size_t bytes, bool touch) {
  launch::Layout layout;
  layout.ranks = 2;
  layout.processes = 1;
  layout.first_rank = {0, 2};
  layout.node_of_process = {0};
  const auto node = Node::create(layout, nullptr, nullptr);
  double best = 0;
  on_two_cores([&] { best = play(node->endpoint(0), bytes, touch); },
               [&] { play(node->endpoint(1), bytes, touch); });
  return best;
}

void measure(std::size_t bytes, Row& row) {
  for (const bool touch : {false, true}) {
    const double before = cache_line_ns();
    const double us = message_us(bytes, touch);
    const double after = cache_line_ns();
    if (std::max(before, after) < 80) row.near_us[touch] = std::min(row.near_us[touch], us);
    if (std::min(before, after) > 100 && std::max(before, after) < 300)
      row.far_us[touch] = std::min(row.far_us[touch], us);
  }
  std::vector<std::byte> from(bytes, std::byte{1});
  std::vector<std::byte> to(bytes);
  for (int batch = 0; batch < batches; ++batch)
    row.memcpy_us = std::min(row.memcpy_us, memcpy_us(from, to, bytes));
}

void print_time(double us) {
  if (us < 1e9) {
    std::printf(" %12.3f", us);
  } else {
    std::printf(" %12s", "-");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  if (argc > 2 || repeats < 1) {
    std::fprintf(stderr, "usage: ping_pong [repeats]\n");
    return 2;
  }
  const std::vector<std::size_t> sizes{8,    64,    256,   512,    1024,    2048,   4096,
                                       8192, 16384, 65536, 262144, 1 << 20, 4 << 20};
  std::vector<Row> rows(sizes.size());
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < sizes.size(); ++i) measure(sizes[i], rows[i]);
  }
  std::printf("%10s %12s %12s %12s %12s %12s   (us one way)\n", "size", "memcpy", "near", "near touched",
              "far", "far touched");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::printf("%10s", format_bytes(static_cast<std::int64_t>(sizes[i])).c_str());
    print_time(rows[i].memcpy_us);
    for (const double us : rows[i].near_us) print_time(us);
    for (const double us : rows[i].far_us) print_time(us);
    std::printf("\n");
  }
  return 0;
}
