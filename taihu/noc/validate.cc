// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/validate.h"

#include <cstdio>

#include "taihu/noc/charts.h"

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

double load_bound(const NetworkConfig& config, const TrafficConfig& traffic_config) {
  const Mesh& mesh = config.mesh;
  TrafficConfig fixed = traffic_config;
  fixed.load = 0.5;
  Traffic traffic(mesh, fixed);
  std::vector<double> load(static_cast<std::size_t>(mesh.nodes() * output_ports));
  const auto walk = [&](int source, int destination, double share) {
    for (int here = source;;) {
      const int port = mesh.route(here, destination);
      load[static_cast<std::size_t>(here * output_ports + port)] += share;
      if (port == local) return;
      here = mesh.neighbour(here, port);
    }
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

ValidationRow validate_one(NetworkConfig network, int size, Pattern pattern, const MeasureConfig& times) {
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
  return row;
}

}  // namespace

Validation validate(const NetworkConfig& network, const std::vector<int>& sizes, const MeasureConfig& times,
                    const Progress& progress) {
  Validation validation;
  NetworkConfig small = network;
  for (const int size : sizes) {
    if (size > 8) continue;
    small.mesh = Mesh(size, size, network.mesh.torus(), network.mesh.routing());
    for (const int flits : {1, 5}) validation.faults += zero_load_faults(small, flits);
  }
  const int patterns = 5;
  validation.rows.resize(sizes.size() * patterns);
  in_parallel(
      static_cast<int>(validation.rows.size()),
      [&](int at) {
        const int size = sizes[static_cast<std::size_t>(at) / patterns];
        validation.rows[static_cast<std::size_t>(at)] =
            validate_one(network, size, static_cast<Pattern>(at % patterns), times);
      },
      progress);
  return validation;
}

std::string to_text(const Validation& validation) {
  char line[200];
  std::string text =
      validation.faults == 0
          ? "zero-load law: holds for every pair of nodes, packets of 1 and 5 flits\n"
          : "zero-load law: broken for " + std::to_string(validation.faults) + " pairs of nodes\n";
  std::snprintf(line, sizeof line,
                "%-6s %-15s %9s %7s %10s %9s   latency at 20%% 40%% 60%% 70%% 80%% 90%% of saturation\n",
                "mesh", "pattern", "zero load", "bound", "saturation", "accepted");
  text += line;
  for (const ValidationRow& row : validation.rows) {
    std::snprintf(line, sizeof line, "%2dx%-3d %-15s %9.2f %7.3f %10.3f %9.3f  ", row.size, row.size,
                  to_text(row.pattern), row.zero_load, row.bound, row.saturation, row.accepted_at_full_load);
    text += line;
    for (std::size_t point = 1; point <= 6; ++point) {
      std::snprintf(line, sizeof line, " %7.2f", row.points[point].mean);
      text += line;
    }
    text += "\n";
  }
  return text;
}

void write_validation(const Validation& validation, const std::string& folder) {
  std::string csv = "size,pattern,zero_load,bound,saturation," + load_header();
  std::vector<Series> series;
  for (std::size_t at = 0; at < validation.rows.size(); ++at) {
    const ValidationRow& row = validation.rows[at];
    char head[120];
    std::snprintf(head, sizeof head, "%d,%s,%.2f,%.4f,%.4f,", row.size, to_text(row.pattern), row.zero_load,
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
}

}  // namespace taihu::noc
