// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_traffic.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

using nlohmann::json;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

template <typename NodeOf>
NumaTraffic moved(const NumaTraffic& traffic, NodeOf node_of) {
  NumaTraffic result = traffic;
  for (std::size_t thread = 0; thread < traffic.bytes.size(); ++thread) {
    std::vector<double>& row = result.bytes[thread];
    row.assign(row.size(), 0.0);
    row[static_cast<std::size_t>(node_of(thread))] = sum(traffic.bytes[thread]);
  }
  return result;
}

void read_threads(const json& report, const std::string& file, int nodes, NumaTraffic& traffic) {
  for (const json& thread : report.at("threads")) {
    const json& given = thread.at("node");
    if (!given.is_number_integer()) throw std::invalid_argument("node");
    const auto node = given.get<std::int64_t>();  // as an int 2^32 would be 0
    check_input(node >= 0 && node < nodes, file + ": a thread runs on node " + std::to_string(node) +
                                               ", but the machine has " + std::to_string(nodes) + " nodes");
    traffic.home.push_back(static_cast<int>(node));
  }
  traffic.bytes.assign(traffic.home.size(), std::vector<double>(static_cast<std::size_t>(nodes), 0.0));
}

void read_bytes(const json& report, const std::string& file, int nodes, NumaTraffic& traffic) {
  for (const json& entry : report.at("thread_bytes")) {
    const auto thread = entry.at("thread").get<std::size_t>();
    check_input(thread < traffic.bytes.size(),
                file + ": thread " + std::to_string(thread) + " has bytes but no place");
    std::vector<double>& row = traffic.bytes[thread];
    double unknown = 0;
    for (const auto& [key, value] : entry.at("bytes_on_node").items()) {
      if (key == "untouched") continue;
      if (key == "unknown") {
        unknown = value;
        continue;
      }
      std::size_t end = 0;
      const int node = std::stoi(key, &end);
      if (end != key.size()) throw std::invalid_argument(key);
      check_input(node >= 0 && node < nodes, file + ": bytes lie on node " + key + ", but the machine has " +
                                                 std::to_string(nodes) + " nodes");
      row[static_cast<std::size_t>(node)] += value.get<double>();
    }
    const double known = sum(row);
    for (double& bytes : row) bytes *= known > 0 ? (known + unknown) / known : 1;
  }
}

}  // namespace

double NumaTraffic::total() const noexcept {
  double all = 0;
  for (const std::vector<double>& row : bytes) all += sum(row);
  return all;
}

NumaTraffic touched_by_first_thread(const NumaTraffic& traffic) {
  return moved(traffic, [&](std::size_t) { return traffic.home.front(); });
}

NumaTraffic all_local(const NumaTraffic& traffic) {
  return moved(traffic, [&](std::size_t thread) { return traffic.home[thread]; });
}

NumaTraffic partly_unplaced(const NumaTraffic& traffic, double share) {
  check_input(share >= 0 && share <= 1, "the unplaced share is not from 0 to 1");
  const NumaTraffic unplaced = touched_by_first_thread(traffic);
  NumaTraffic result = traffic;
  for (std::size_t thread = 0; thread < result.bytes.size(); ++thread)
    for (std::size_t node = 0; node < result.bytes[thread].size(); ++node)
      result.bytes[thread][node] =
          (1 - share) * traffic.bytes[thread][node] + share * unplaced.bytes[thread][node];
  return result;
}

NumaTraffic even_traffic(double bytes, int threads, int nodes, int cores_per_node) {
  check_input(threads >= 1 && threads <= nodes * cores_per_node,
              "the machine has " + std::to_string(nodes * cores_per_node) + " cores for " +
                  std::to_string(threads) + " threads; give from 1 to that many");
  NumaTraffic traffic;
  for (int thread = 0; thread < threads; ++thread) {
    traffic.home.push_back(thread / cores_per_node);
    traffic.bytes.emplace_back(static_cast<std::size_t>(nodes), 0.0);
    traffic.bytes.back()[static_cast<std::size_t>(traffic.home.back())] = bytes / threads;
  }
  return traffic;
}

NumaTraffic traffic_of_report(std::string_view text, const std::string& file, int nodes) {
  const json report = json::parse(text, nullptr, false);
  check_input(report.is_object() && report.value("format", "") == "taihu-locality 1",
              file + " is not a report of naalloc; write one with narun --json FILE or naalloc_report()");
  NumaTraffic traffic;
  try {
    read_threads(report, file, nodes, traffic);
    read_bytes(report, file, nodes, traffic);
  } catch (const json::exception& damage) {
    throw Error(file + " is a damaged report (" + damage.what() + "); write it again");
  } catch (const std::logic_error&) {
    throw Error(file + " is a damaged report (a node is not a number); write it again");
  }
  check_input(traffic.total() > 0,
              file + " tells of no bytes that threads own; report before the blocks are freed");
  return traffic;
}

}  // namespace taihu::model
