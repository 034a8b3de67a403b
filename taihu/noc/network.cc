// SPDX-License-Identifier: Apache-2.0
// A cycle: interfaces send, then each active router does its switch (SA), its collective unit and its VC
// allocation (VA) on the state of the cycle before, then arriving flits and credits are written (BW/RC).
#include "taihu/noc/network.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace taihu::noc {

namespace {

/// First set bit of `bits` at or behind `start`, going around; `bits` is not zero.
int next_bit(std::uint64_t bits, int start) noexcept {
  const std::uint64_t behind = bits >> start << start;
  return std::countr_zero(behind != 0 ? behind : bits);
}

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
  uncovered_.resize(nodes);
  input_pointer_.resize(nodes * input_ports);
  output_pointer_.resize(nodes * output_ports);
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
      work(static_cast<int>(word * 64) + std::countr_zero(rest));
  }
  deliver();
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

/// One flit of the first packet of the queue; its VC is the lowest free one with enough credits.
void Network::inject_from(int node) {
  const auto at = static_cast<std::size_t>(node);
  const Slot slot = queue_head_[at];
  const Packet& packet = packets_[slot];
  const std::size_t vcs = at << vc_shift_;
  if (sending_vc_[at] < 0) {
    const int needed = credits_needed(packet);
    for (int vc = 0; vc < config_.vcs && sending_vc_[at] < 0; ++vc) {
      const std::size_t place = vcs + static_cast<std::size_t>(vc);
      if (source_owned_[place] == 0 && source_credits_[place] >= needed)
        sending_vc_[at] = static_cast<std::int8_t>(vc);
    }
    if (sending_vc_[at] < 0) return;
    source_owned_[vcs + static_cast<std::size_t>(sending_vc_[at])] = 1;
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

void Network::work(int router) {
  const auto at = static_cast<std::size_t>(router);
  exposed_ = exposed_to_unit_ = 0;
  released_.clear();
  for (std::uint64_t rest = std::exchange(uncovered_[at], 0); rest != 0; rest &= rest - 1)
    expose(router, std::countr_zero(rest));
  if (wants_switch_[at] != 0) traverse(router);
  CollectiveUnit* unit = collective_unit(router);
  if (unit != nullptr) run_unit(router, *unit);
  if (wants_vc_[at] != 0) allocate(router);
  for (const std::size_t vc : released_) owned_[vc] = 0;
  if (unit != nullptr) emit(router, *unit);
  wants_vc_[at] |= exposed_;
  wants_unit_[at] |= exposed_to_unit_;
  const std::uint64_t wanted = wants_switch_[at] | wants_vc_[at] | wants_unit_[at] | uncovered_[at];
  if (wanted == 0 && (unit == nullptr || !unit->busy())) active_[at >> 6] &= ~(std::uint64_t{1} << (at & 63));
}

/// Whether the input VC can send a flit now, and to which output ports.
bool Network::may_send(int router, int index, std::uint8_t& ports) const noexcept {
  const std::size_t vc = input(router, index);
  const unsigned stalled = stalls == nullptr ? 0 : (*stalls)[static_cast<std::size_t>(router)];
  if (is_multicast_[vc] == 0) {
    const int port = out_port_[vc];
    ports = static_cast<std::uint8_t>(1 << port);
    return (stalled >> port & 1) == 0 && (port == local || credits_[output(router, port, out_vc_[vc])] != 0);
  }
  // The flit is the first one that a branch with a VC still needs: a late branch catches up, the others wait
  // for it.
  const Multicast& copies = multicast_[vc];
  int flit = 255;
  ports = 0;
  for (unsigned rest = copies.have & ~stalled; rest != 0; rest &= rest - 1) {
    const int port = std::countr_zero(rest);
    if (port != local && credits_[output(router, port, copies.vc[port])] == 0) continue;
    if (copies.sent[port] > flit) continue;
    if (copies.sent[port] < flit) ports = 0;
    flit = copies.sent[port];
    ports = static_cast<std::uint8_t>(ports | 1 << port);
  }
  return ports != 0 && flit < copies.freed + count_[vc];
}

/// Switch allocation: each input port nominates one VC, each output port takes one input port; both round
/// robin.
void Network::traverse(int router) {
  const auto at = static_cast<std::size_t>(router);
  std::uint8_t requests[output_ports] = {};
  std::int8_t nominee[input_ports];
  std::uint64_t waiting = wants_switch_[at];
  const std::uint64_t port_bits = (std::uint64_t{1} << (1 << vc_shift_)) - 1;
  while (waiting != 0) {
    const int port = std::countr_zero(waiting) >> vc_shift_;
    const int shift = port << vc_shift_;
    std::uint64_t able = 0;
    std::uint8_t ports[8];
    for (std::uint64_t rest = waiting >> shift & port_bits; rest != 0; rest &= rest - 1) {
      const int vc = std::countr_zero(rest);
      if (may_send(router, shift + vc, ports[vc])) able |= std::uint64_t{1} << vc;
    }
    waiting &= ~(port_bits << shift);
    if (able == 0) continue;
    const int vc = next_bit(able, input_pointer_[at * input_ports + static_cast<std::size_t>(port)]);
    nominee[port] = static_cast<std::int8_t>(vc);
    for (unsigned rest = ports[vc]; rest != 0; rest &= rest - 1)
      requests[std::countr_zero(rest)] |= static_cast<std::uint8_t>(1 << port);
  }
  for (int port = 0; port < output_ports; ++port) {
    if (requests[port] == 0) continue;
    std::uint8_t& pointer = output_pointer_[at * output_ports + static_cast<std::size_t>(port)];
    const int winner = next_bit(requests[port], pointer);
    pointer = static_cast<std::uint8_t>((winner + 1) % input_ports);
    input_pointer_[at * input_ports + static_cast<std::size_t>(winner)] =
        static_cast<std::uint8_t>((nominee[winner] + 1) % config_.vcs);
    const int index = (winner << vc_shift_) + nominee[winner];
    if (is_multicast_[input(router, index)] == 0)
      send(router, index, port);
    else
      send_branch(router, index, port);
  }
}

/// Puts a flit on the link: ST, LT, then it is written at the other end.
void Network::launch(int router, int port, int vc, Flit flit) {
  ++link_flits_[static_cast<std::size_t>(router * output_ports + port)];
  if (moves != nullptr)
    moves->push_back({router, static_cast<std::int8_t>(port), static_cast<std::int8_t>(vc), flit});
  last_move_ = now_;
  ++buffer_reads_;
  std::uint32_t target = static_cast<std::uint32_t>(router) | to_core;
  if (port != local) {
    --credits_[output(router, port, vc)];
    ++flit_hops_;
    if (is_head(flit)) ++packet_hops_[static_cast<int>(packets_[slot_of(flit)].kind)];
    target = static_cast<std::uint32_t>(
        input(config_.mesh.neighbour(router, port), (opposite(port) << vc_shift_) + vc));
  }
  // With bypass it is in the buffer at the beginning of the cycle that writes it.
  const Cycle when = now_ + 2 + config_.link_cycles - (config_.bypass && port != local ? 1 : 0);
  arrivals_[static_cast<std::size_t>(when % static_cast<Cycle>(arrivals_.size()))].push_back({target, flit});
}

void Network::send(int router, int index, int port) {
  const std::size_t vc = input(router, index);
  const Flit flit = front(vc);
  const int next_vc = out_vc_[vc];
  launch(router, port, next_vc, flit);
  pop(router, index);
  if (!is_tail(flit)) {
    if (count_[vc] == 0) wants_switch_[static_cast<std::size_t>(router)] &= ~(std::uint64_t{1} << index);
    return;
  }
  released_.push_back(output(router, port, next_vc));
  finish_packet(router, index);
}

/// One copy of a flit of a broadcast. The flit leaves the buffer when the last branch has sent it.
void Network::send_branch(int router, int index, int port) {
  const std::size_t vc = input(router, index);
  Multicast& copies = multicast_[vc];
  const auto place =
      static_cast<std::size_t>((first_[vc] + copies.sent[port] - copies.freed) % config_.depth);
  const Flit flit = buffer_[vc * static_cast<std::size_t>(config_.depth) + place];
  ++in_network_;
  launch(router, port, copies.vc[port], flit);
  ++copies.sent[port];
  if (is_tail(flit)) {
    released_.push_back(output(router, port, copies.vc[port]));
    copies.have = static_cast<std::uint8_t>(copies.have & ~(1u << port));
  }
  int needed = packets_[slot_of(flit)].flits;
  if (copies.want != 0) needed = 0;
  for (unsigned rest = copies.have; rest != 0; rest &= rest - 1)
    needed = std::min<int>(needed, copies.sent[std::countr_zero(rest)]);
  const bool done = copies.want == 0 && copies.have == 0;
  while (copies.freed < needed) {
    ++copies.freed;
    --in_network_;
    pop(router, index);
  }
  if (done) {
    is_multicast_[vc] = 0;
    finish_packet(router, index);
  }
}

/// Takes the first flit out of the buffer and sends its credit back.
void Network::pop(int router, int index) {
  const std::size_t vc = input(router, index);
  first_[vc] = static_cast<std::uint8_t>(first_[vc] + 1 == config_.depth ? 0 : first_[vc] + 1);
  --count_[vc];
  const int port = index >> vc_shift_;
  if (port == unit) return;
  const int number = index & ((1 << vc_shift_) - 1);
  std::uint32_t credit = first_source_credit_ + static_cast<std::uint32_t>((router << vc_shift_) + number);
  if (port != local)
    credit = static_cast<std::uint32_t>(output(config_.mesh.neighbour(router, port), opposite(port), number));
  const Cycle when = now_ + 1 + (port == local ? 1 : config_.link_cycles);
  credit_returns_[static_cast<std::size_t>(when % static_cast<Cycle>(credit_returns_.size()))].push_back(
      credit);
  ++pending_credits_;
}

/// The tail has left the VC: what is behind comes to the front.
void Network::finish_packet(int router, int index) {
  const std::size_t vc = input(router, index);
  out_port_[vc] = -1;
  out_vc_[vc] = -1;
  wants_switch_[static_cast<std::size_t>(router)] &= ~(std::uint64_t{1} << index);
  if (count_[vc] == 0) return;
  if (config_.route_at == RouteAt::front)
    uncovered_[static_cast<std::size_t>(router)] |= std::uint64_t{1} << index;
  else
    expose(router, index);
}

Flit Network::front(std::size_t vc) const noexcept {
  return buffer_[vc * static_cast<std::size_t>(config_.depth) + first_[vc]];
}

void Network::push(std::size_t vc, Flit flit) noexcept {
  TAIHU_EXPECT(count_[vc] < config_.depth);
  int place = first_[vc] + count_[vc];
  if (place >= config_.depth) place -= config_.depth;
  buffer_[vc * static_cast<std::size_t>(config_.depth) + static_cast<std::size_t>(place)] = flit;
  ++count_[vc];
}

int Network::credits_needed(const Packet& packet) const noexcept {
  if (config_.reuse == Reuse::wormhole) return 1;
  return config_.reuse == Reuse::cut_through ? packet.flits : config_.depth;
}

/// VCs of the next router that the packet may take, as bits. Down packets keep off the VCs that are the way
/// out of every waiting for packets that go up (README.md, "Freedom from deadlock").
int Network::allowed_vcs(int router, int port, const Packet& packet) const noexcept {
  if (port == local) return vc_mask_;
  const Way way = is_down(packet.kind) ? Way::down : Way::up;
  if (!config_.mesh.torus()) return way == Way::down ? vc_mask_ & ~1 : vc_mask_;
  const int anchor = way == Way::down ? packet.source : packet.destination;
  const int ring = config_.mesh.ring_class(router, port, anchor, way);
  const int of_class = (ring == 0 ? 0x55 : 0xaa) & vc_mask_;
  return way == Way::down ? of_class & ~3 : of_class;
}

std::uint64_t Network::collect_requests(int router, std::uint64_t (&requests)[output_ports]) const noexcept {
  std::uint64_t ports = 0;
  for (std::uint64_t rest = wants_vc_[static_cast<std::size_t>(router)]; rest != 0; rest &= rest - 1) {
    const int index = std::countr_zero(rest);
    const std::size_t vc = input(router, index);
    const unsigned wanted = is_multicast_[vc] != 0 ? multicast_[vc].want : 1u << out_port_[vc];
    ports |= wanted;
    for (unsigned more = wanted; more != 0; more &= more - 1)
      requests[std::countr_zero(more)] |= std::uint64_t{1} << index;
  }
  return ports;
}

/// VC allocation: each free output VC chooses one of the input VCs that may take it, round robin, and gives
/// itself to it when it has the credits that the packet needs; if not, it keeps waiting for this one. Lower
/// VCs choose first.
void Network::allocate(int router) {
  std::uint64_t requests[output_ports] = {};
  for (std::uint64_t ports = collect_requests(router, requests); ports != 0; ports &= ports - 1) {
    const int port = std::countr_zero(ports);
    for (int vc = 0; vc < config_.vcs && requests[port] != 0; ++vc) {
      const std::size_t place = output(router, port, vc);
      if (owned_[place] != 0) continue;
      std::uint64_t able = 0;
      for (std::uint64_t rest = requests[port]; rest != 0; rest &= rest - 1) {
        const int index = std::countr_zero(rest);
        const Packet& packet = packets_[slot_of(front(input(router, index)))];
        if ((allowed_vcs(router, port, packet) >> vc & 1) != 0) able |= std::uint64_t{1} << index;
      }
      if (able == 0) continue;
      const int winner = next_bit(able, grant_pointer_[place]);
      const Packet& packet = packets_[slot_of(front(input(router, winner)))];
      if (port != local && credits_[place] < credits_needed(packet)) continue;
      grant_pointer_[place] = static_cast<std::uint8_t>((winner + 1) % input_stride_);
      requests[port] &= ~(std::uint64_t{1} << winner);
      grant(router, winner, port, vc);
    }
  }
}

void Network::grant(int router, int index, int port, int vc) {
  const auto at = static_cast<std::size_t>(router);
  const std::size_t place = input(router, index);
  owned_[output(router, port, vc)] = 1;
  wants_switch_[at] |= std::uint64_t{1} << index;
  if (is_multicast_[place] == 0) {
    out_vc_[place] = static_cast<std::int8_t>(vc);
    wants_vc_[at] &= ~(std::uint64_t{1} << index);
    return;
  }
  Multicast& copies = multicast_[place];
  copies.vc[port] = static_cast<std::uint8_t>(vc);
  copies.sent[port] = 0;
  copies.have = static_cast<std::uint8_t>(copies.have | 1u << port);
  copies.want = static_cast<std::uint8_t>(copies.want & ~(1u << port));
  if (copies.want == 0) wants_vc_[at] &= ~(std::uint64_t{1} << index);
}

void Network::deliver() {
  std::vector<Arrival>& now =
      arrivals_[static_cast<std::size_t>(now_ % static_cast<Cycle>(arrivals_.size()))];
  for (const Arrival& arrival : now) arrive(arrival);
  now.clear();
}

void Network::arrive(const Arrival& arrival) {
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
    uncovered_[static_cast<std::size_t>(router)] |= std::uint64_t{1} << index;
  } else if (count_[vc] == 1 && is_head(arrival.flit)) {
    exposed_ = exposed_to_unit_ = 0;
    expose(router, index);
    wants_vc_[static_cast<std::size_t>(router)] |= exposed_;
    wants_unit_[static_cast<std::size_t>(router)] |= exposed_to_unit_;
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

void Network::route_single(int router, int index, int destination) {
  out_port_[input(router, index)] = static_cast<std::int8_t>(config_.mesh.route(router, destination));
  exposed_ |= std::uint64_t{1} << index;
}

void Network::check_progress() {
  if (in_network_ == 0) {
    last_move_ = now_;
    return;
  }
  throw DeadlockError("deadlock: no flit has moved for " + std::to_string(config_.watchdog_cycles) +
                      " cycles, cycle " + std::to_string(now_) + "\n" + dump());
}

}  // namespace taihu::noc
