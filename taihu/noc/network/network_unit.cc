// SPDX-License-Identifier: Apache-2.0
// Route computation of heads, and the cycles of the collective units.
#include <algorithm>
#include <bit>
#include <cstring>

#include "taihu/noc/network/network.h"
#include "taihu/noc/network/round_robin.h"

namespace taihu::noc {

/// A head has come to the front of its VC: where does it go? (RC; for broadcasts the access to the learned
/// table.)
void Network::route_head(int router, int index) {
  const Slot slot = slot_of(front(input(router, index)));
  Packet& packet = packets_[slot];
  if (packet.kind == Kind::plain || packet.kind == Kind::message || packet.kind == Kind::gathered)
    return route_packet(router, index, packet);
  if (is_down(packet.kind)) return route_broadcast(router, index, slot);
  CollectiveUnit* unit = collective_unit(router);
  const bool for_unit =
      unit != nullptr && index >> vc_shift_ != Port::unit &&
      (packet.kind == Kind::learn || (unit->level() == 1 && unit->find(packet.communicator) != nullptr));
  if (for_unit) {
    routed_to_unit_ |= std::uint64_t{1} << index;
    return;
  }
  if (packet.kind == Kind::learn) packet.beyond_tables = true;
  route_packet(router, index, packet);
}

void Network::route_broadcast(int router, int index, Slot slot) {
  CollectiveUnit* unit = collective_unit(router);
  Packet& packet = packets_[slot];
  const unsigned ports = unit == nullptr ? 0 : unit->broadcast_ports(packet.communicator, index >> vc_shift_);
  if (ports == 0)
    throw Error("a broadcast of communicator " + std::to_string(packet.communicator) + " came to router " +
                std::to_string(router) + ", which has not learned its tree");
  packet.references = static_cast<std::uint16_t>(packet.references + std::popcount(ports) - 1);
  const std::size_t vc = input(router, index);
  routed_ |= std::uint64_t{1} << index;
  is_multicast_[vc] = 1;
  out_vc_[vc] = 0;
  multicast_[vc] = Multicast{};
  multicast_[vc].want = static_cast<std::uint8_t>(ports);
}

namespace {

/// Puts a piece at its place among those of the gather's result.
void place_piece(Packet& result, const Packet& packet) {
  auto* bytes = reinterpret_cast<std::byte*>(result.data.data());
  std::memcpy(bytes + packet.place * packet.bytes, packet.data.data(), packet.bytes);
}

/// Adds the data of packet `slot` to the partial result and gives the packet back.
void combine_into(Network& network, OpenOperation& operation, Slot slot) {
  Packet& result = network.packet(operation.result);
  const Packet& packet = network.packet(slot);
  if (packet.kind == Kind::gather) {
    place_piece(result, packet);
  } else {
    for (std::size_t word = 0; word < static_cast<std::size_t>(packet.words()); ++word)
      result.data[word] = combine(packet.arithmetic, result.data[word], packet.data[word]);
  }
  result.weight = static_cast<std::uint16_t>(result.weight + packet.weight);
  ++operation.merged;
  network.drop(slot);
}

/// The packet becomes the partial result.
void start_result(Network& network, OpenOperation& operation, Slot slot) {
  operation.result = slot;
  operation.merged = 1;
  Packet& result = network.packet(slot);
  if (result.kind != Kind::gather) return;
  const Packet piece = result;
  result.data.fill(0);
  place_piece(result, piece);
}

void park(CollectiveUnit& unit, OpenOperation& operation, Slot slot, std::size_t place) {
  if (operation.parked.size() <= place) {
    operation.parked.resize(place + 1);
    operation.is_parked.resize(place + 1);
  }
  operation.parked[place] = slot;
  operation.is_parked[place] = true;
  const auto parked = std::count(operation.is_parked.begin(), operation.is_parked.end(), true);
  unit.parked_most = std::max(unit.parked_most, static_cast<int>(parked));
}

/// Combines the unit's current packet with the partial result. Returns the cycles for the parked packets that
/// can follow it.
Cycle merge(CollectiveUnit& unit, Network& network, OpenOperation& operation) {
  const Slot slot = unit.taken_slot;
  const Packet& packet = network.packet(slot);
  const bool ordered = unit.config().fixed_order && packet.kind == Kind::reduce;
  operation.weight += packet.weight;
  if (ordered && packet.place != operation.merged) {
    park(unit, operation, slot, packet.place);
    return 0;
  }
  if (operation.merged == 0)
    start_result(network, operation, slot);
  else
    combine_into(network, operation, slot);
  Cycle more = 0;
  while (ordered && static_cast<std::size_t>(operation.merged) < operation.parked.size() &&
         operation.is_parked[static_cast<std::size_t>(operation.merged)]) {
    const auto place = static_cast<std::size_t>(operation.merged);
    operation.is_parked[place] = false;
    more += unit.config().combine_cycles(network.packet(operation.parked[place]).words());
    combine_into(network, operation, operation.parked[place]);
  }
  return more;
}

}  // namespace

/// A cycle of the unit: takes a flit of the current packet, ends the packet when its last word is done,
/// begins another one.
void Network::run_unit(int router, CollectiveUnit& unit) {
  if (unit.working) {
    take_flit(router, unit);
    if (unit.done == now_) end_packet(unit);
  }
  if (!unit.working && wants_unit_[static_cast<std::size_t>(router)] != 0) begin_next(router, unit);
}

/// Chooses an input VC round robin: stages "LSBA write" for a pseudo packet, which then goes on to the root,
/// and "CSBA write" for others.
void Network::begin_next(int router, CollectiveUnit& unit) {
  const auto at = static_cast<std::size_t>(router);
  const std::uint64_t waiting = wants_unit_[at];
  const int index = next_bit(waiting, unit.pointer);
  unit.pointer = (index + 1) % input_stride_;
  wants_unit_[at] &= ~(std::uint64_t{1} << index);
  last_move_ = now_;
  const Slot slot = slot_of(front(input(router, index)));
  Packet& packet = packets_[slot];
  if (packet.kind == Kind::learn) {
    unit.learn(packet, index >> vc_shift_);
    return route_packet(router, index, packet);
  }
  OpenOperation& operation = unit.operation(*unit.find(packet.communicator), packet.operation);
  if (operation.open && operation.number != packet.operation)
    throw Error("two operations of communicator " + std::to_string(packet.communicator) +
                " need one place of router " + std::to_string(router) + " (the window was not kept)");
  unit.computes = operation.merged > 0 && packet.kind == Kind::reduce && packet.bytes != 0 &&
                  (!config_.unit.fixed_order || packet.place == operation.merged);
  operation.open = true;
  operation.number = packet.operation;
  unit.working = true;
  unit.merged = false;
  unit.source_index = index;
  unit.taken_slot = slot;
  unit.taken_flits = unit.issued_words = 0;
  unit.next_issue = now_ + 1;
  unit.done = -1;
  ++busy_units_;
}

/// Takes the next flit of the packet out of its buffer, if it has come, and gives its words to the arithmetic
/// unit.
void Network::take_flit(int router, CollectiveUnit& unit) {
  const Packet& packet = packets_[unit.taken_slot];
  const std::size_t vc = input(router, unit.source_index);
  if (unit.taken_flits == packet.flits || count_[vc] == 0) return;
  const int words = unit.taken_flits == 0 ? 1 : 2;
  for (int word = 0; unit.computes && word < words && unit.issued_words < packet.words(); ++word) {
    const Cycle issue = std::max(unit.next_issue, now_);
    unit.next_issue = issue + (config_.unit.pipelined ? 1 : config_.unit.arithmetic_cycles);
    ++unit.issued_words;
    ++unit_words_;
  }
  ++unit.taken_flits;
  ++buffer_reads_;
  --in_network_;
  last_move_ = now_;
  pop(router, unit.source_index);
  if (unit.taken_flits < packet.flits) return;
  unit.done = now_;
  if (unit.computes) {
    const Cycle last_issue = unit.next_issue - (config_.unit.pipelined ? 1 : config_.unit.arithmetic_cycles);
    unit.done = last_issue + config_.unit.arithmetic_cycles - 1;
  }
  finish_packet(router, unit.source_index);
}

/// The current packet has been stored or combined. When it was the last of its operation, the result is
/// ready.
void Network::end_packet(CollectiveUnit& unit) {
  last_move_ = now_;
  if (!unit.merged) {
    const Packet& packet = packets_[unit.taken_slot];
    unit.merged = true;
    unit.communicator = packet.communicator;
    unit.operation_number = packet.operation;
    unit.gathers = packet.kind == Kind::gather;
    unit.done += merge(unit, *this, unit.operation(*unit.find(unit.communicator), unit.operation_number));
    if (unit.done != now_) return;
  }
  unit.working = false;
  --busy_units_;
  const LearnedEntry& learned = *unit.find(unit.communicator);
  OpenOperation& operation = unit.operation(learned, unit.operation_number);
  if (operation.weight != (unit.gathers ? learned.direct : learned.total)) return;
  unit.finished.push_back(operation.result);
  operation = OpenOperation{};
  ++busy_units_;
}

/// A result enters the router by the port of the unit as soon as the buffer there is empty.
void Network::emit(int router, CollectiveUnit& unit) {
  const int index = Port::unit << vc_shift_;
  const std::size_t vc = input(router, index);
  if (unit.finished.empty() || count_[vc] != 0 || out_port_[vc] >= 0) return;
  const Slot slot = unit.finished.front();
  unit.finished.pop_front();
  Packet& packet = packets_[slot];
  const LearnedEntry& entry = *unit.find(packet.communicator);
  packet.source = static_cast<std::uint16_t>(router);
  if (packet.kind == Kind::gather) {
    packet.kind = Kind::gathered;
    packet.bytes = static_cast<std::uint8_t>(packet.bytes * entry.direct);
    packet.flits = static_cast<std::uint8_t>(flits_for_bytes(packet.bytes));
  }
  packet.place = entry.place;
  for (int number = 0; number < packet.flits; ++number)
    push(vc, make_flit(slot, number, number + 1 == packet.flits));
  in_network_ += packet.flits;
  --busy_units_;
  last_move_ = now_;
  route_head(router, index);
}

}  // namespace taihu::noc
