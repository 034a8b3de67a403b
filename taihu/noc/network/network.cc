// SPDX-License-Identifier: Apache-2.0
// A cycle: interfaces send, then each active router does its switch (SA, network_switch.cc), its collective
// unit (network_unit.cc) and its VC allocation (VA, network_vcs.cc) on the state of the cycle before, then
// arriving flits and credits are written (BW) and heads get their output ports (RC).
#include "taihu/noc/network/network.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "taihu/base/contract.h"

namespace taihu::noc {

namespace {

int log2_up(int value) noexcept {
  return std::bit_width(static_cast<unsigned>(value - 1));
}

}  // namespace

Network::Network(const NetworkConfig& config) : config_(config) {
#ifdef TAIHU_NOC_CHECKED
  config_.checked = true;
#endif
  check_input(!config.bypass || config.levels.empty(), "collective routers do not work with bypass");
  const auto nodes = static_cast<std::size_t>(config.mesh.nodes());
  routers_ = config.mesh.nodes();
  vc_shift_ = log2_up(config.vcs);
  vc_mask_ = (1 << config.vcs) - 1;
  input_stride_ = input_ports << vc_shift_;
  const std::size_t inputs = nodes * static_cast<std::size_t>(input_stride_);
  const std::size_t outputs = (nodes * output_ports) << vc_shift_;
  buffer_.resize(inputs * static_cast<std::size_t>(config.depth));
  first_.resize(inputs);
  count_.resize(inputs);
  out_port_.assign(inputs, -1);
  out_vc_.assign(inputs, -1);
  credits_.assign(outputs, static_cast<std::uint8_t>(config.depth));
  owned_.resize(outputs);
  grant_pointer_.resize(outputs);
  wants_vc_.resize(nodes);
  wants_switch_.resize(nodes);
  wants_unit_.resize(nodes);
  unrouted_.resize(nodes);
  nominee_vc_pointer_.resize(nodes * input_ports);
  nominee_output_pointer_.resize(nodes * input_ports);
  output_pointer_.resize(nodes * output_ports);
  first_vc_.resize(inputs);
  source_first_vc_.resize(nodes);
  active_.resize((nodes + 63) / 64);
  is_multicast_.resize(inputs);
  queue_head_.resize(nodes);
  queue_tail_.resize(nodes);
  queue_length_.resize(nodes);
  sending_vc_.assign(nodes, -1);
  sending_flit_.resize(nodes);
  source_credits_.assign(nodes << vc_shift_, static_cast<std::uint8_t>(config.depth));
  source_owned_.resize(nodes << vc_shift_);
  sending_nodes_.resize((nodes + 63) / 64);
  arrivals_.resize(static_cast<std::size_t>(3 + config.link_cycles));
  credit_returns_.resize(static_cast<std::size_t>(3 + config.link_cycles));
  first_source_credit_ = static_cast<std::uint32_t>(outputs);
  link_flits_.resize(nodes * output_ports);
  if (config.levels.empty()) return;
  multicast_.resize(inputs);
  for (std::size_t router = 0; router < nodes; ++router) {
    const int level = config.levels[router];
    units_.push_back(level == 0 ? nullptr : std::make_unique<CollectiveUnit>(level, config.unit));
  }
}

Slot Network::make_packet() {
  if (!free_.empty()) {
    const Slot slot = free_.back();
    free_.pop_back();
    packets_[slot] = Packet{};
    return slot;
  }
  check_input(packets_.size() < max_slots, "more than " + std::to_string(max_slots) +
                                               " packets under way (the load is far above saturation)");
  packets_.emplace_back();
  return static_cast<Slot>(packets_.size() - 1);
}

void Network::drop(Slot slot) {
  if (--packets_[slot].references != 0) return;
  if (packets_[slot].measured) --measured_alive_;
  free_.push_back(slot);
}

void Network::enqueue(Slot slot) {
  const auto node = static_cast<std::size_t>(packets_[slot].source);
  packets_[slot].created = now_;
  if (handed != nullptr) handed->push_back(slot);
  if (packets_[slot].measured) ++measured_alive_;
  if (queue_length_[node]++ == 0)
    queue_head_[node] = slot;
  else
    packets_[queue_tail_[node]].next = slot;
  queue_tail_[node] = slot;
  sending_nodes_[node >> 6] |= std::uint64_t{1} << (node & 63);
  ++queued_;
  if (queued_ == 1 && in_network_ == 0) last_move_ = now_;
}

void Network::step() {
  deliveries_.clear();
  inject();
  for (std::size_t word = 0; word < active_.size(); ++word) {
    for (std::uint64_t rest = active_[word]; rest != 0; rest &= rest - 1)
      step_router(static_cast<int>(word * 64) + std::countr_zero(rest));
  }
  write_buffers();
  return_credits();
  if (config_.checked) check_invariants();
  if (now_ - last_move_ > config_.watchdog_cycles) check_progress();
  ++now_;
}

void Network::inject() {
  for (std::size_t word = 0; word < sending_nodes_.size(); ++word) {
    for (std::uint64_t rest = sending_nodes_[word]; rest != 0; rest &= rest - 1)
      inject_from(static_cast<int>(word * 64) + std::countr_zero(rest));
  }
}

/// One flit of the first packet of the queue; its VC is the emptiest free one with enough credits.
void Network::inject_from(int node) {
  const auto at = static_cast<std::size_t>(node);
  const Slot slot = queue_head_[at];
  const Packet& packet = packets_[slot];
  const std::size_t vcs = at << vc_shift_;
  if (sending_vc_[at] < 0) {
    int free = 0;
    for (int vc = 0; vc < config_.vcs; ++vc)
      free |= source_owned_[vcs + static_cast<std::size_t>(vc)] == 0 ? 1 << vc : 0;
    if (free == 0) return;
    const int vc = emptiest_vc(free, &source_credits_[vcs], source_first_vc_[at]);
    if (source_credits_[vcs + static_cast<std::size_t>(vc)] < std::max(1, credits_needed(packet))) return;
    sending_vc_[at] = static_cast<std::int8_t>(vc);
    source_first_vc_[at] = static_cast<std::uint8_t>(vc + 1 == config_.vcs ? 0 : vc + 1);
    source_owned_[vcs + static_cast<std::size_t>(vc)] = 1;
    sending_flit_[at] = 0;
  }
  const int vc = sending_vc_[at];
  if (source_credits_[vcs + static_cast<std::size_t>(vc)] == 0) return;
  --source_credits_[vcs + static_cast<std::size_t>(vc)];
  const int number = sending_flit_[at]++;
  const bool tail = number + 1 == packet.flits;
  const auto target = static_cast<std::uint32_t>(input(node, (local << vc_shift_) + vc));
  const Flit flit = make_flit(slot, number, tail);
  const Cycle when = now_ + (config_.bypass ? 0 : 1);
  arrivals_[static_cast<std::size_t>(when % static_cast<Cycle>(arrivals_.size()))].push_back({target, flit});
  if (moves != nullptr) moves->push_back({node, FlitMove::from_core, static_cast<std::int8_t>(vc), flit});
  ++in_network_;
  last_move_ = now_;
  if (!tail) return;
  source_owned_[vcs + static_cast<std::size_t>(vc)] = 0;
  sending_vc_[at] = -1;
  queue_head_[at] = packet.next;
  --queued_;
  if (--queue_length_[at] == 0) sending_nodes_[at >> 6] &= ~(std::uint64_t{1} << (at & 63));
}

void Network::step_router(int router) {
  const auto at = static_cast<std::size_t>(router);
  routed_ = routed_to_unit_ = 0;
  released_.clear();
  for (std::uint64_t rest = std::exchange(unrouted_[at], 0); rest != 0; rest &= rest - 1)
    route_head(router, std::countr_zero(rest));
  if (wants_switch_[at] != 0) allocate_switch(router);
  CollectiveUnit* unit = collective_unit(router);
  if (unit != nullptr) run_unit(router, *unit);
  if (wants_vc_[at] != 0) allocate_vcs(router);
  for (const std::size_t vc : released_) owned_[vc] = 0;
  if (unit != nullptr) emit(router, *unit);
  wants_vc_[at] |= routed_;
  wants_unit_[at] |= routed_to_unit_;
  const std::uint64_t wanted = wants_switch_[at] | wants_vc_[at] | wants_unit_[at] | unrouted_[at];
  if (wanted == 0 && (unit == nullptr || !unit->busy())) active_[at >> 6] &= ~(std::uint64_t{1} << (at & 63));
}

void Network::push(std::size_t vc, Flit flit) noexcept {
  expect(count_[vc] < config_.depth, "a credit was there for the flit");
  int place = first_[vc] + count_[vc];
  if (place >= config_.depth) place -= config_.depth;
  buffer_[vc * static_cast<std::size_t>(config_.depth) + static_cast<std::size_t>(place)] = flit;
  ++count_[vc];
}

void Network::write_buffers() {
  std::vector<Arrival>& now =
      arrivals_[static_cast<std::size_t>(now_ % static_cast<Cycle>(arrivals_.size()))];
  for (const Arrival& arrival : now) write_buffer(arrival);
  now.clear();
}

void Network::write_buffer(const Arrival& arrival) {
  if ((arrival.target & to_core) != 0) {
    --in_network_;
    ++ejected_flits_;
    if (is_tail(arrival.flit))
      deliveries_.push_back({slot_of(arrival.flit), static_cast<std::int32_t>(arrival.target & ~to_core)});
    return;
  }
  const std::size_t vc = arrival.target;
  const int router = static_cast<int>(vc) / input_stride_;
  const int index = static_cast<int>(vc) % input_stride_;
  push(vc, arrival.flit);
  activate(router);
  if (count_[vc] == 1 && is_head(arrival.flit) && config_.bypass) {
    unrouted_[static_cast<std::size_t>(router)] |= std::uint64_t{1} << index;
  } else if (count_[vc] == 1 && is_head(arrival.flit)) {
    routed_ = routed_to_unit_ = 0;
    route_head(router, index);
    wants_vc_[static_cast<std::size_t>(router)] |= routed_;
    wants_unit_[static_cast<std::size_t>(router)] |= routed_to_unit_;
  } else if (out_vc_[vc] >= 0) {
    wants_switch_[static_cast<std::size_t>(router)] |= std::uint64_t{1} << index;
  }
}

void Network::return_credits() {
  std::vector<std::uint32_t>& now =
      credit_returns_[static_cast<std::size_t>(now_ % static_cast<Cycle>(credit_returns_.size()))];
  for (const std::uint32_t credit : now) {
    if (credit < first_source_credit_)
      ++credits_[credit];
    else
      ++source_credits_[credit - first_source_credit_];
  }
  pending_credits_ -= static_cast<std::int64_t>(now.size());
  now.clear();
}

void Network::route_packet(int router, int index, const Packet& packet) {
  out_port_[input(router, index)] =
      static_cast<std::int8_t>(config_.mesh.route(router, packet.destination, packet.ties));
  routed_ |= std::uint64_t{1} << index;
}

void Network::check_progress() {
  if (in_network_ == 0) {
    last_move_ = now_;
    return;
  }
  throw DeadlockError("deadlock: no flit has moved for " + std::to_string(config_.watchdog_cycles) +
                          " cycles, cycle " + std::to_string(now_),
                      dump());
}

}  // namespace taihu::noc
