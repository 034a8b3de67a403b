// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/cores.h"

#include <algorithm>

namespace taihu::noc {

namespace {

MachineConfig completed(MachineConfig config) {
  if (config.tree_root < 0) config.tree_root = middle_node(config.network.mesh);
  config.network.unit.pipelined = config.costs.pipelined;
  const UnitConfig& unit = config.network.unit;
  check_input(unit.communicators >= 1 && unit.operations >= unit.communicators,
              "a router needs at least one open operation (CSBA) for each communicator (LSBA)");
  if (config.membership == Membership::mask) {  // tables are computed, not stored: they cannot run full
    const int window = unit.window();
    config.network.unit.communicators = 4096;
    config.network.unit.operations = 4096 * window;
  }
  if (config.network.levels.empty()) return config;
  check_input(config.network.depth >= 5, "collective routers need VCs of at least 5 flits (a whole packet)");
  check_input(
      config.network.reuse != Reuse::wormhole,
      "collective routers need reuse cut-through or atomic (a broadcast must fit into the next buffer)");
  const int needed = config.network.mesh.torus() ? 4 : 2;
  check_input(config.network.vcs >= needed, "collective routers need " + std::to_string(needed) +
                                                " VCs (broadcasts run against the routing order)");
  return config;
}

}  // namespace

Cores::Cores(const MachineConfig& config) : config_(completed(config)), network_(config_.network) {
  core_free_.resize(static_cast<std::size_t>(config_.network.mesh.nodes()));
}

void Cores::at(Cycle cycle, Action action) {
  events_.push({cycle, event_order_++, std::move(action)});
}

void Cores::work(int node, Cycle cycles, Action action) {
  Cycle& free = core_free_[static_cast<std::size_t>(node)];
  free = std::max(free, core_now_) + cycles;
  at(free, std::move(action));
}

Slot Cores::make_packet(Kind kind, int from, int to) {
  const Slot slot = network_.make_packet();
  Packet& packet = network_.packet(slot);
  packet.kind = kind;
  packet.source = static_cast<std::uint16_t>(from);
  packet.destination = static_cast<std::uint16_t>(to);
  return slot;
}

void Cores::message(int from, int to, std::size_t bytes, Action action) {
  const std::uint32_t number = next_message_++;
  const int packets = static_cast<int>(std::max<std::size_t>(1, (bytes + max_bytes - 1) / max_bytes));
  messages_[number] = {packets,
                       [this, to, action = std::move(action)] { work(to, config_.costs.receive, action); }};
  work(from, config_.costs.send, [this, from, to, bytes, packets, number] {
    for (int part = 0; part < packets; ++part) {
      const Slot slot = make_packet(Kind::message, from, to);
      Packet& packet = network_.packet(slot);
      const std::size_t offset = static_cast<std::size_t>(part) * max_bytes;
      packet.bytes =
          static_cast<std::uint8_t>(bytes == 0 ? 0 : std::min<std::size_t>(max_bytes, bytes - offset));
      packet.flits = static_cast<std::uint8_t>(flits_for_bytes(packet.bytes));
      packet.operation = number;
      network_.enqueue(slot);
    }
  });
}

void Cores::member_ended(int operation, int member) {
  Outcome& outcome = outcomes_[static_cast<std::size_t>(operation)];
  outcome.end = std::max(outcome.end, core_now());
  if (on_member_end) on_member_end(operation, member);
}

void Cores::finished(int operation) {
  outcomes_[static_cast<std::size_t>(operation)].done = true;
  --open_operations_;
}

void Cores::run_events() {
  while (!events_.empty() && events_.top().cycle <= now()) {
    Action action = events_.top().action;
    core_now_ = events_.top().cycle;
    events_.pop();
    action();
  }
}

void Cores::message_arrived(const Packet& packet) {
  const auto found = messages_.find(packet.operation);
  if (--found->second.packets > 0) return;
  const Action action = std::move(found->second.action);
  messages_.erase(found);
  action();
}

}  // namespace taihu::noc
