// SPDX-License-Identifier: Apache-2.0
// Latency and throughput under ordinary traffic: warm up, mark the packets of the measured time, go on until
// all of them have arrived.
#include <algorithm>
#include <cmath>

#include "taihu/base/clock.h"
#include "taihu/base/formatted.h"
#include "taihu/noc/traffic/traffic.h"

namespace taihu::noc {

namespace {

constexpr Cycle saturated_latency = 500;

/// Latencies counted cycle by cycle; those beyond the last place share it.
class Histogram {
 public:
  void add(Cycle latency) {
    ++counts_[static_cast<std::size_t>(std::min<Cycle>(latency, static_cast<Cycle>(counts_.size()) - 1))];
    sum_ += static_cast<double>(latency);
    largest_ = std::max(largest_, latency);
    ++number_;
  }
  std::uint64_t number() const { return number_; }
  Cycle largest() const { return largest_; }
  double mean() const { return number_ == 0 ? 0 : sum_ / static_cast<double>(number_); }
  double quantile(double share) const {
    std::uint64_t seen = 0;
    for (std::size_t latency = 0; latency < counts_.size(); ++latency) {
      seen += counts_[latency];
      if (static_cast<double>(seen) >= share * static_cast<double>(number_))
        return static_cast<double>(latency);
    }
    return static_cast<double>(largest_);
  }

 private:
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(1 << 16);
  double sum_ = 0;
  Cycle largest_ = 0;
  std::uint64_t number_ = 0;
};

struct Counts {
  Histogram latencies;
  double hops = 0;
};

void take_deliveries(Network& network, Counts& counts, PacketObserver* observer) {
  for (const Delivery& delivery : network.deliveries()) {
    const Packet& packet = network.packet(delivery.slot);
    if (packet.measured) {
      const Cycle cycle = network.now() - 1;
      const int hops = network.config().mesh.distance(packet.source, packet.destination);
      counts.latencies.add(cycle - packet.created);
      counts.hops += hops;
      if (observer != nullptr) observer->arrived(packet, hops, cycle);
    }
    network.drop(delivery.slot);
  }
}

}  // namespace

LoadPoint measure_load(Network& network, const TrafficConfig& traffic_config, const MeasureConfig& times,
                       PacketObserver* observer) {
  const std::int64_t start_ns = now_ns();
  Traffic traffic(network.config().mesh, traffic_config);
  Counts counts;
  const auto run = [&](Cycle cycles, bool measured) {
    for (Cycle left = cycles; left > 0; --left) {
      traffic.make_packets(network, measured);
      network.step();
      take_deliveries(network, counts, observer);
    }
  };
  run(times.warm_up, false);
  const std::uint64_t before = network.ejected_flits();
  const std::uint64_t refused_before = traffic.refused();
  run(times.measure, true);
  LoadPoint point;
  point.offered = traffic_config.load;
  const double node_cycles = static_cast<double>(times.measure) * network.config().mesh.nodes();
  point.accepted = static_cast<double>(network.ejected_flits() - before) / node_cycles;
  // New packets keep coming while the measured ones drain, so that the measured ones see the same load to
  // their end. Packets come at random: accepted load may fall short of offered load by three standard
  // deviations and 2%.
  const double spread = std::sqrt(point.offered * traffic_config.packet_flits / node_cycles);
  point.saturated = traffic.refused() != refused_before || point.accepted < point.offered * 0.98 - 3 * spread;
  Cycle drained = 0;
  while (!point.saturated && drained < times.drain && network.measured_alive() != 0) {
    run(64, false);
    drained += 64;
  }
  point.saturated = point.saturated || network.measured_alive() != 0;
  point.mean = counts.latencies.mean();
  point.saturated = point.saturated || point.mean > saturated_latency;
  point.p50 = counts.latencies.quantile(0.5);
  point.p95 = counts.latencies.quantile(0.95);
  point.p99 = counts.latencies.quantile(0.99);
  point.largest = counts.latencies.largest();
  point.packets = counts.latencies.number();
  point.mean_hops = point.packets == 0 ? 0 : counts.hops / static_cast<double>(point.packets);
  point.cycles = network.now();
  point.seconds = static_cast<double>(now_ns() - start_ns) * 1e-9;
  return point;
}

LoadPoint measure_load(const NetworkConfig& network_config, const TrafficConfig& traffic,
                       const MeasureConfig& times) {
  Network network(network_config);
  return measure_load(network, traffic, times, nullptr);
}

double saturation_load(const NetworkConfig& network, TrafficConfig traffic, const MeasureConfig& times) {
  const double limit = saturation_factor * mean_zero_load_latency(network, traffic);
  double good = 0, bad = 1;
  while (bad - good > 0.005 * bad) {
    traffic.load = (good + bad) / 2;
    const LoadPoint point = measure_load(network, traffic, times);
    (point.saturated || point.mean > limit ? bad : good) = traffic.load;
  }
  return (good + bad) / 2;
}

std::string load_header() {
  return "offered,accepted,mean,p50,p95,p99,largest,hops,packets,saturated\n";
}

std::string to_csv(const LoadPoint& point) {
  return formatted("%.4f,%.4f,%.2f,%.0f,%.0f,%.0f,%ld,%.3f,%lu,%s\n", point.offered, point.accepted,
                   point.mean, point.p50, point.p95, point.p99, static_cast<long>(point.largest),
                   point.mean_hops, static_cast<unsigned long>(point.packets),
                   point.saturated ? "yes" : "no");
}

Cycle zero_load_latency(const NetworkConfig& network, int hops, int flits) noexcept {
  return 1 + static_cast<Cycle>(network.hop_cycles()) * (hops + 1) + flits - 1;
}

double mean_zero_load_latency(const NetworkConfig& network, const TrafficConfig& config) {
  const Mesh& mesh = network.mesh;
  TrafficConfig fixed = config;
  fixed.load = 0.5;
  Traffic traffic(mesh, fixed);
  double hops = 0;
  const bool random = config.pattern == Pattern::uniform || config.pattern == Pattern::hotspot;
  const double hot = config.pattern == Pattern::hotspot ? config.hot_share : 0;
  const std::vector<int> hot_nodes =
      config.hot_nodes.empty() ? std::vector<int>{middle_node(mesh)} : config.hot_nodes;
  for (int source = 0; source < mesh.nodes(); ++source) {
    if (!random) {
      hops += mesh.distance(source, traffic.destination(source));
      continue;
    }
    for (int other = 0; other < mesh.nodes(); ++other)
      hops += (1 - hot) / mesh.nodes() * mesh.distance(source, other);
    for (const int node : hot_nodes)
      hops += hot / static_cast<double>(hot_nodes.size()) * mesh.distance(source, node);
  }
  const double mean_hops = hops / mesh.nodes();
  return 1 + network.hop_cycles() * (mean_hops + 1) + config.packet_flits - 1;
}

}  // namespace taihu::noc
