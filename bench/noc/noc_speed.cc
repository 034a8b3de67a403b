// SPDX-License-Identifier: Apache-2.0
// How fast the network is simulated: median over alternating repeats, in processor time of the one thread.
// Fails when flits get lost or the law of latency at no load is broken.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <vector>

#include "taihu/noc/validation/validate.h"

namespace {

using namespace taihu::noc;

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Simulated cycles per second; the network is warm when the clock starts.
double speed(int size, double load) {
  NetworkConfig config;
  config.mesh = Mesh(size, size, false, Routing::yx);
  TrafficConfig traffic_config;
  traffic_config.load = load;
  Network network(config);
  Traffic traffic(config.mesh, traffic_config);
  const auto run = [&](Cycle cycles) {
    for (Cycle cycle = 0; cycle < cycles; ++cycle) {
      traffic.make_packets(network, false);
      network.step();
      for (const Delivery& delivery : network.deliveries()) network.drop(delivery.slot);
    }
  };
  run(2000);
  const Cycle cycles = load < 0.02 ? 100000 : 640000 / (size * size);
  const double start = processor_seconds();
  run(cycles);
  const double seconds = processor_seconds() - start;
  network.check_invariants();
  return static_cast<double>(cycles) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  if (repeats < 1) {
    std::fprintf(stderr, "usage: noc_speed [REPEATS]\n");
    return 2;
  }
  NetworkConfig small;
  small.mesh = Mesh(4, 4, false, Routing::yx);
  if (zero_load_faults(small, 5) != 0) {
    std::fprintf(stderr, "noc_speed: the zero-load law is broken\n");
    return 1;
  }
  std::map<std::pair<int, double>, std::vector<double>> speeds;
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (const int size : {8, 16})
      for (const double load : {0.0, 0.005, 0.05, 0.1, 0.2, 0.3, 1.0})
        speeds[{size, load}].push_back(speed(size, load));
  std::printf(
      "{\"benchmark\": \"noc_speed\", \"traffic\": \"uniform, packets of 5 flits\", \"results\": [\n");
  std::size_t left = speeds.size();
  for (auto& [what, values] : speeds) {
    std::sort(values.begin(), values.end());
    const double median = values[values.size() / 2];
    std::printf(
        "  {\"mesh\": \"%dx%d\", \"load\": %.3f, \"cycles_per_s\": %.0f, \"router_cycles_per_s\": %.0f}%s\n",
        what.first, what.first, what.second, median, median * what.first * what.first,
        --left == 0 ? "" : ",");
  }
  std::printf("]}\n");
}
