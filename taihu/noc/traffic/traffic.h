// SPDX-License-Identifier: Apache-2.0
// Ordinary traffic: every node makes packets at random times (a Bernoulli process per cycle) for destinations
// of a pattern. Each node has its own stream of random numbers from (seed, node), so a run is a function of
// its configuration. Cost: only nodes that make a packet in a cycle are visited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/base/random.h"
#include "taihu/noc/network/network.h"

namespace taihu::noc {

enum class Pattern : std::uint8_t { uniform, transpose, bit_complement, tornado, hotspot, neighbour };
inline constexpr int patterns = 6;
/// In the order of Pattern.
inline constexpr const char* pattern_names[patterns] = {"uniform", "transpose", "bit-complement",
                                                        "tornado", "hotspot",   "neighbour"};

struct TrafficConfig {
  Pattern pattern = Pattern::uniform;
  double load = 0;  ///< flits per node and cycle that are offered
  int packet_flits = 5;
  std::uint64_t seed = 1;
  std::vector<int> hot_nodes;  ///< hotspot: empty means the middle node
  double hot_share = 0.1;      ///< hotspot: share of packets for the hot nodes, the others are uniform
  int queue_limit = 256;  ///< a node whose source queue has this length makes no further packet (saturation)
};

const char* to_text(Pattern pattern) noexcept;

/// Uniform: any node, oneself included. Transpose: (x, y) to (y, x), on square networks. Bit-complement: node
/// i to node n - 1 - i. Tornado: half a ring less one ahead in both dimensions. Neighbour: one ahead in both,
/// from the last to the first.
class Traffic {
 public:
  Traffic(const Mesh& mesh, const TrafficConfig& config);

  /// Makes the packets of the present cycle and hands them to the network. To be called once per cycle,
  /// before `step`. `measured` marks the packets as measured.
  void make_packets(Network& network, bool measured);
  /// Packets that were not made because a source queue was full.
  std::uint64_t refused() const noexcept { return refused_; }
  int destination(int source);

 private:
  Cycle gap(int node);
  void plan(int node, Cycle when);

  Mesh mesh_;
  TrafficConfig config_;
  double per_packet_ = 0;  ///< 1 / log(1 - probability of a packet per cycle)
  std::vector<Random> random_;
  std::vector<Cycle> next_;
  std::vector<std::vector<std::int32_t>> wheel_;  ///< nodes by cycle modulo its size
  std::uint64_t refused_ = 0;
};

/// What a run with ordinary traffic measures. Loads are in flits per node and cycle, latencies in cycles from
/// the making of a packet to the arrival of its tail.
struct LoadPoint {
  double offered = 0, accepted = 0;
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;
  Cycle largest = 0;
  double mean_hops = 0;
  std::uint64_t packets = 0;
  bool saturated = false;  ///< less is accepted than offered, or packets take more than 500 cycles
  Cycle cycles = 0;        ///< simulated
  double seconds = 0;      ///< of this computer's time
};

/// The names of the columns, and a row; each ends its line.
std::string load_header();
std::string to_csv(const LoadPoint& point);

struct MeasureConfig {
  Cycle warm_up = 2000, measure = 10000, drain = 50000;
};

/// Called for each measured packet that has arrived.
struct PacketObserver {
  virtual ~PacketObserver() = default;
  virtual void arrived(const Packet& packet, int hops, Cycle cycle) = 0;
};

LoadPoint measure_load(const NetworkConfig& network, const TrafficConfig& traffic,
                       const MeasureConfig& times);
/// The same on a network that the caller keeps, to look at its links afterwards.
LoadPoint measure_load(Network& network, const TrafficConfig& traffic, const MeasureConfig& times,
                       PacketObserver* observer);

/// Load, to within 0.5%, at which the mean latency is `saturation_factor` times that of an empty network.
inline constexpr double saturation_factor = 3;
double saturation_load(const NetworkConfig& network, TrafficConfig traffic, const MeasureConfig& times);

/// Latency of a packet that meets no other one: 1 + hop_cycles (hops + 1) + flits - 1.
Cycle zero_load_latency(const NetworkConfig& network, int hops, int flits) noexcept;
/// Its mean over all sources and the pattern's destinations.
double mean_zero_load_latency(const NetworkConfig& network, const TrafficConfig& traffic);

}  // namespace taihu::noc
