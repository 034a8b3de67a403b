// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/validation/validate.h"

#include <cmath>

#include "taihu/base/formatted.h"
#include "taihu/base/output_file.h"
#include "taihu/noc/output/charts.h"
#include "taihu/noc/validation/booksim_curves.h"

namespace taihu::noc {

int zero_load_faults(const NetworkConfig& config, int flits) {
  Network network(config);
  int faults = 0;
  for (int source = 0; source < config.mesh.nodes(); ++source) {
    for (int destination = 0; destination < config.mesh.nodes(); ++destination) {
      const Slot slot = network.make_packet();
      Packet& packet = network.packet(slot);
      packet.source = static_cast<std::uint16_t>(source);
      packet.destination = static_cast<std::uint16_t>(destination);
      packet.flits = static_cast<std::uint8_t>(flits);
      network.enqueue(slot);
      const Cycle start = network.now();
      Cycle arrived = -1;
      while (!network.idle()) {
        network.step();
        for (const Delivery& delivery : network.deliveries()) {
          arrived = delivery.node == destination ? network.now() - 1 : -2;
          network.drop(delivery.slot);
        }
      }
      const int hops = config.mesh.distance(source, destination);
      if (arrived - start != zero_load_latency(config, hops, flits)) ++faults;
    }
  }
  return faults;
}

MeasureConfig saturation_times(int size, bool quick) noexcept {
  const Cycle sample = (size <= 4 ? 13333 : size <= 8 ? 3333 : 1111) / (quick ? 5 : 1);
  return {sample, 3 * sample, 20000};
}

double load_bound(const NetworkConfig& config, const TrafficConfig& traffic_config) {
  const Mesh& mesh = config.mesh;
  TrafficConfig fixed = traffic_config;
  fixed.load = 0.5;
  Traffic traffic(mesh, fixed);
  std::vector<double> load(static_cast<std::size_t>(mesh.nodes() * output_ports));
  const auto walk_one = [&](int source, int destination, double share, Ties ties) {
    for (int here = source;;) {
      const int port = mesh.route(here, destination, ties);
      load[static_cast<std::size_t>(here * output_ports + port)] += share;
      if (port == local) return;
      here = mesh.neighbour(here, port);
    }
  };
  const auto walk = [&](int source, int destination, double share) {
    if (!mesh.torus()) return walk_one(source, destination, share, {});
    for (const bool x : {false, true})
      for (const bool y : {false, true}) walk_one(source, destination, share / 4, {x, y});
  };
  const bool random = fixed.pattern == Pattern::uniform || fixed.pattern == Pattern::hotspot;
  const double hot = fixed.pattern == Pattern::hotspot ? fixed.hot_share : 0;
  const std::vector<int> hot_nodes =
      fixed.hot_nodes.empty() ? std::vector<int>{middle_node(mesh)} : fixed.hot_nodes;
  for (int source = 0; source < mesh.nodes(); ++source) {
    if (!random) {
      walk(source, traffic.destination(source), 1);
      continue;
    }
    for (int other = 0; other < mesh.nodes(); ++other) walk(source, other, (1 - hot) / mesh.nodes());
    for (const int node : hot_nodes)
      if (hot > 0) walk(source, node, hot / static_cast<double>(hot_nodes.size()));
  }
  double most = 1;
  for (const double each : load) most = std::max(most, each);
  return 1 / most;
}

namespace {

/// Our latencies at the loads of BookSim's curve for this size and pattern, if there is one.
void compare(ValidationRow& row, NetworkConfig network, const MeasureConfig& times, bool quick) {
  network.bypass = true;
  for (const BooksimCurve& curve : booksim_curves) {
    if (curve.size != row.size || curve.pattern != row.pattern) continue;
    row.other_saturation = curve.saturation;
    row.lookahead_saturation = curve.lookahead;
    const MeasureConfig steady = saturation_times(row.size, quick);
    TrafficConfig any;
    any.pattern = row.pattern;
    network.route_at = RouteAt::write;
    row.write_saturation = saturation_load(network, any, steady);
    network.route_at = RouteAt::front;
    row.front_saturation = saturation_load(network, any, steady);
    for (const BooksimPoint& point : curve.points) {
      TrafficConfig traffic;
      traffic.pattern = row.pattern;
      traffic.load = point.load;
      MeasureConfig longer = times;  // for 10000 packets, whose mean is known to less than 1%
      longer.measure = std::max(times.measure, static_cast<Cycle>(10000 * traffic.packet_flits / point.load) /
                                                   network.mesh.nodes());
      row.compared.push_back(
          {point.load, measure_load(network, traffic, longer).mean, point.latency - booksim_extra_cycles});
    }
  }
}

ValidationRow validate_one(NetworkConfig network, int size, Pattern pattern, MeasureConfig times,
                           bool quick) {
  times.measure *= std::max(1, 64 / (size * size));  // few nodes make few packets
  network.mesh = Mesh(size, size, network.mesh.torus(), network.mesh.routing());
  TrafficConfig traffic;
  traffic.pattern = pattern;
  ValidationRow row;
  row.size = size;
  row.pattern = pattern;
  row.zero_load = mean_zero_load_latency(network, traffic);
  row.bound = load_bound(network, traffic);
  row.saturation = saturation_load(network, traffic, times);
  for (const double share : {0.02, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0}) {
    traffic.load = row.saturation * share;
    row.points.push_back(measure_load(network, traffic, times));
  }
  traffic.load = 1;
  row.accepted_at_full_load = measure_load(network, traffic, times).accepted;
  compare(row, network, times, quick);
  return row;
}

}  // namespace

Validation validate(const NetworkConfig& network, const std::vector<int>& sizes, const MeasureConfig& times,
                    bool quick, const Progress& progress) {
  Validation validation;
  NetworkConfig small = network;
  for (const int size : sizes) {
    if (size > 8) continue;
    small.mesh = Mesh(size, size, network.mesh.torus(), network.mesh.routing());
    for (const int flits : {1, 5}) validation.faults += zero_load_faults(small, flits);
  }
  validation.rows.resize(sizes.size() * patterns);
  in_parallel(
      static_cast<int>(validation.rows.size()),
      [&](int at) {
        const int size = sizes[static_cast<std::size_t>(at) / patterns];
        validation.rows[static_cast<std::size_t>(at)] =
            validate_one(network, size, static_cast<Pattern>(at % patterns), times, quick);
      },
      progress);
  return validation;
}

int Validation::deviations() const noexcept {
  int many = 0;
  for (const ValidationRow& row : rows)
    for (const Comparison& point : row.compared) many += std::abs(point.deviation()) > latency_tolerance;
  return many;
}

int Validation::saturation_deviations() const noexcept {
  int many = 0;
  for (const ValidationRow& row : rows) {
    if (row.compared.empty()) continue;
    many += std::abs(row.write_deviation()) > saturation_tolerance;
    many += std::abs(row.front_deviation()) > saturation_tolerance;
  }
  return many;
}

namespace {

/// Two saturations and the distance between them.
std::string pair_text(double ours, double theirs) {
  return formatted("  %9.3f %9.3f %+6.1f%%", ours, theirs, 100 * (ours / theirs - 1));
}

std::string compared_to_text(const Validation& validation) {
  std::string text = formatted(
      "\ncompared with BookSim 2, with bypass (a body flit can leave a buffer in the cycle that writes it, "
      "as "
      "there):\n"
      "saturation when the port of a head is found as it is written (BookSim: lookahead routing) and when it "
      "is in front;\n"
      "the latter's latency at 20%% 40%% 60%% 70%% of BookSim's saturation (less the cycle that its "
      "interfaces take more)\n%-24s %9s %9s %8s %9s %9s\n",
      "mesh   pattern", "written", "BookSim", "", "in front", "BookSim");
  for (const ValidationRow& row : validation.rows) {
    if (row.compared.empty()) continue;
    text += formatted("%2dx%-3d %-15s", row.size, row.size, to_text(row.pattern)) +
            pair_text(row.write_saturation, row.lookahead_saturation) +
            pair_text(row.front_saturation, row.other_saturation) + "  ";
    for (const Comparison& point : row.compared) text += formatted(" %+5.1f%%", 100 * point.deviation());
    text += "\n";
  }
  return text +
         formatted(
             "%d latencies are further than %.1f%% from BookSim's, %d saturations further than %.0f%%\n",
             validation.deviations(), 100 * latency_tolerance, validation.saturation_deviations(),
             100 * saturation_tolerance);
}

}  // namespace

std::string to_text(const Validation& validation) {
  std::string text =
      validation.faults == 0
          ? "zero-load law: holds for every pair of nodes, packets of 1 and 5 flits\n"
          : "zero-load law: broken for " + std::to_string(validation.faults) + " pairs of nodes\n";
  text += formatted("%-6s %-15s %9s %7s %10s %9s   latency at 20%% 40%% 60%% 70%% 80%% 90%% of saturation\n",
                    "mesh", "pattern", "zero load", "bound", "saturation", "accepted");
  for (const ValidationRow& row : validation.rows) {
    text += formatted("%2dx%-3d %-15s %9.2f %7.3f %10.3f %9.3f  ", row.size, row.size, to_text(row.pattern),
                      row.zero_load, row.bound, row.saturation, row.accepted_at_full_load);
    for (std::size_t point = 1; point <= 6; ++point) {
      text += formatted(" %7.2f", row.points[point].mean);
    }
    text += "\n";
  }
  return text + compared_to_text(validation);
}

void write_validation(const Validation& validation, const std::string& folder) {
  std::string csv = "size,pattern,zero_load,bound,saturation," + load_header();
  std::vector<Series> series;
  for (std::size_t at = 0; at < validation.rows.size(); ++at) {
    const ValidationRow& row = validation.rows[at];
    const std::string head = formatted("%d,%s,%.2f,%.4f,%.4f,", row.size, to_text(row.pattern), row.zero_load,
                                       row.bound, row.saturation);
    Series curve{to_text(row.pattern), {{0, row.zero_load}}};
    for (const LoadPoint& point : row.points) {
      csv += head + to_csv(point);
      curve.points.emplace_back(point.offered, point.mean);
    }
    series.push_back(curve);
    if (at + 1 < validation.rows.size() && validation.rows[at + 1].size == row.size) continue;
    const std::string name = std::to_string(row.size) + "x" + std::to_string(row.size);
    curves("latency over load, " + name + " mesh", "offered flits per node and cycle", "cycles", series,
           4 * row.zero_load)
        .save_png(folder + "/latency_" + name + ".png");
    series.clear();
  }
  write_file(folder + "/latency.csv", csv);
  std::string beside =
      "size,pattern,write_saturation,booksim_lookahead_saturation,front_saturation,booksim_saturation,load,"
      "latency,"
      "booksim_latency,deviation_percent\n";
  for (const ValidationRow& row : validation.rows)
    for (const Comparison& point : row.compared) {
      beside +=
          formatted("%d,%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.2f,%.2f,%.2f\n", row.size, to_text(row.pattern),
                    row.write_saturation, row.lookahead_saturation, row.front_saturation,
                    row.other_saturation, point.load, point.ours, point.theirs, 100 * point.deviation());
    }
  write_file(folder + "/booksim.csv", beside);
}

}  // namespace taihu::noc
