// SPDX-License-Identifier: Apache-2.0
// Switch allocation (SA), switch traversal (ST) and link traversal (LT).
#include <algorithm>
#include <bit>

#include "taihu/noc/network/network.h"
#include "taihu/noc/network/round_robin.h"

namespace taihu::noc {

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

/// The VC of an input port that may cross the switch, out of `waiting`: the port chooses an output that one
/// of them can send to, then one of those that can. So a busy output holds up the VCs for other outputs for
/// one turn only, however many VCs want it.
Network::Nominee Network::nominate(int router, int port, std::uint64_t waiting) const noexcept {
  const int shift = port << vc_shift_;
  std::uint64_t able[output_ports] = {};  // VCs, by output
  std::uint8_t ports[8];
  unsigned outputs = 0;
  for (; waiting != 0; waiting &= waiting - 1) {
    const int vc = std::countr_zero(waiting);
    if (!may_send(router, shift + vc, ports[vc])) continue;
    outputs |= ports[vc];
    for (unsigned rest = ports[vc]; rest != 0; rest &= rest - 1)
      able[std::countr_zero(rest)] |= std::uint64_t{1} << vc;
  }
  if (outputs == 0) return {};
  const auto place = static_cast<std::size_t>(router * input_ports + port);
  const int output = next_bit(outputs, nominee_output_pointer_[place]);
  const int vc = next_bit(able[output], nominee_vc_pointer_[place]);
  return {static_cast<std::int8_t>(vc), static_cast<std::int8_t>(output), ports[vc]};
}

/// Switch allocation: each input port nominates one VC, each output port takes one input port; all choices
/// are round robin.
void Network::allocate_switch(int router) {
  const auto at = static_cast<std::size_t>(router);
  std::uint8_t requests[output_ports] = {};
  Nominee nominees[input_ports];
  std::uint64_t waiting = wants_switch_[at];
  const std::uint64_t port_bits = (std::uint64_t{1} << (1 << vc_shift_)) - 1;
  while (waiting != 0) {
    const int port = std::countr_zero(waiting) >> vc_shift_;
    const int shift = port << vc_shift_;
    nominees[port] = nominate(router, port, waiting >> shift & port_bits);
    waiting &= ~(port_bits << shift);
    for (unsigned rest = nominees[port].ports; rest != 0; rest &= rest - 1)
      requests[std::countr_zero(rest)] |= static_cast<std::uint8_t>(1 << port);
  }
  for (int port = 0; port < output_ports; ++port) {
    if (requests[port] == 0) continue;
    std::uint8_t& pointer = output_pointer_[at * output_ports + static_cast<std::size_t>(port)];
    const int winner = next_bit(requests[port], pointer);
    pointer = static_cast<std::uint8_t>((winner + 1) % input_ports);
    const Nominee& nominee = nominees[winner];
    const std::size_t place = at * input_ports + static_cast<std::size_t>(winner);
    nominee_vc_pointer_[place] = static_cast<std::uint8_t>((nominee.vc + 1) % config_.vcs);
    nominee_output_pointer_[place] = static_cast<std::uint8_t>((nominee.output + 1) % output_ports);
    const int index = (winner << vc_shift_) + nominee.vc;
    if (is_multicast_[input(router, index)] == 0)
      send(router, index, port);
    else
      send_branch(router, index, port);
  }
}

/// Puts a flit on the link: ST, LT, then it is written at the other end.
void Network::traverse_switch(int router, int port, int vc, Flit flit) {
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
  traverse_switch(router, port, next_vc, flit);
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
  traverse_switch(router, port, copies.vc[port], flit);
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

/// The tail has left the VC: the packet behind it comes to the front.
void Network::finish_packet(int router, int index) {
  const std::size_t vc = input(router, index);
  out_port_[vc] = -1;
  out_vc_[vc] = -1;
  wants_switch_[static_cast<std::size_t>(router)] &= ~(std::uint64_t{1} << index);
  if (count_[vc] == 0) return;
  if (config_.route_at == RouteAt::front)
    unrouted_[static_cast<std::size_t>(router)] |= std::uint64_t{1} << index;
  else
    route_head(router, index);
}

}  // namespace taihu::noc
