// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/traffic/traffic.h"

#include <cmath>

namespace taihu::noc {

namespace {

constexpr std::size_t wheel_cycles = 4096;

int tornado_ahead(int place, int length) {
  return (place + (length + 1) / 2 - 1) % length;
}

}  // namespace

const char* to_text(Pattern pattern) noexcept {
  return pattern_names[static_cast<int>(pattern)];
}

Traffic::Traffic(const Mesh& mesh, const TrafficConfig& config) : mesh_(mesh), config_(config) {
  if (config_.hot_nodes.empty()) config_.hot_nodes.push_back(middle_node(mesh));
  wheel_.resize(wheel_cycles);
  next_.assign(static_cast<std::size_t>(mesh.nodes()), 0);
  const double probability = config.load / config.packet_flits;
  if (probability <= 0) return;
  per_packet_ = probability >= 1 ? 0 : 1 / std::log1p(-probability);
  Random seeds(config.seed);
  for (int node = 0; node < mesh.nodes(); ++node) {
    random_.emplace_back(seeds.next());
    plan(node, gap(node) - 1);
  }
}

/// Cycles to the next packet, at least 1: geometric.
Cycle Traffic::gap(int node) {
  if (per_packet_ == 0) return 1;
  const double uniform = 1 - random_[static_cast<std::size_t>(node)].uniform();
  return 1 + static_cast<Cycle>(std::log(uniform) * per_packet_);
}

void Traffic::plan(int node, Cycle when) {
  next_[static_cast<std::size_t>(node)] = when;
  wheel_[static_cast<std::size_t>(when) % wheel_cycles].push_back(node);
}

int Traffic::destination(int source) {
  const int nodes = mesh_.nodes();
  Random& random = random_[static_cast<std::size_t>(source)];
  const auto any = [&] { return static_cast<int>(random.next() % static_cast<std::uint64_t>(nodes)); };
  switch (config_.pattern) {
    case Pattern::uniform:
      return any();
    case Pattern::transpose:
      return mesh_.node(mesh_.y(source), mesh_.x(source));
    case Pattern::bit_complement:
      return nodes - 1 - source;
    case Pattern::tornado:
      return mesh_.node(tornado_ahead(mesh_.x(source), mesh_.width()),
                        tornado_ahead(mesh_.y(source), mesh_.height()));
    case Pattern::hotspot:
      if (random.uniform() < config_.hot_share)
        return config_.hot_nodes[random.next() % config_.hot_nodes.size()];
      return any();
    case Pattern::neighbour:
      return mesh_.node((mesh_.x(source) + 1) % mesh_.width(), (mesh_.y(source) + 1) % mesh_.height());
  }
  return source;
}

void Traffic::make_packets(Network& network, bool measured) {
  if (random_.empty()) return;
  const Cycle now = network.now();
  std::vector<std::int32_t>& due = wheel_[static_cast<std::size_t>(now) % wheel_cycles];
  if (due.empty()) return;
  std::vector<std::int32_t> nodes;
  nodes.swap(due);
  for (const std::int32_t node : nodes) {
    if (next_[static_cast<std::size_t>(node)] != now) {  // a later turn of the wheel
      due.push_back(node);
      continue;
    }
    const int destination = this->destination(node);
    if (network.queue_length(node) < config_.queue_limit) {
      const Slot slot = network.make_packet();
      Packet& packet = network.packet(slot);
      packet.source = static_cast<std::uint16_t>(node);
      packet.destination = static_cast<std::uint16_t>(destination);
      packet.flits = static_cast<std::uint8_t>(config_.packet_flits);
      packet.measured = measured;
      if (mesh_.torus()) {
        const std::uint64_t coins = random_[static_cast<std::size_t>(node)].next();
        packet.ties = {(coins >> 62 & 1) != 0, (coins >> 63) != 0};
      }
      network.enqueue(slot);
    } else {
      ++refused_;
    }
    plan(node, now + gap(node));
  }
}

}  // namespace taihu::noc
