// SPDX-License-Identifier: Apache-2.0
// The side of the core at the root of the tree: what it broadcasts, and what it does with the packets that
// come up.
#include <algorithm>
#include <cstring>

#include "taihu/noc/collectives/hardware_collectives.h"

namespace taihu::noc {

void HardwareCollectives::start_broadcast(int number) {
  const Operation& operation = cores_.operation(number);
  const int node =
      cores_.communicator(operation.communicator).members[static_cast<std::size_t>(operation.root)];
  const int top = cores_.tree_root();
  const Cycle cost = cores_.config().costs.hardware_send;
  if (node == top) return cores_.work(node, cost, [this, number] { broadcast_all(number); });
  cores_.message(node, top, operation.bytes, [this, number, top, cost] {
    cores_.work(top, cost, [this, number] { broadcast_all(number); });
  });
  // The broadcast also comes back to the root, which has the data already.
  Progress& progress = progress_[number];
  progress.missing[static_cast<std::size_t>(operation.root)] = 0;
  cores_.outcome_state(number).results[static_cast<std::size_t>(operation.root)] =
      operation.data[static_cast<std::size_t>(operation.root)];
  try_end(number, operation.root, cores_.config().costs.send);
}

void HardwareCollectives::broadcast_all(int number) {
  const Operation& operation = cores_.operation(number);
  const Bytes& source = operation.data[static_cast<std::size_t>(operation.root)];
  Progress& progress = progress_[number];
  for (int index = 0; index < progress.segments; ++index) {
    const std::uint32_t segment = progress.first_segment + static_cast<std::uint32_t>(index);
    const Segment& part = group(operation.communicator).down[segment];
    broadcast(operation.communicator, data, segment, source.data() + part.offset, part.bytes);
  }
  const int top = root_member(operation.communicator);
  if (top < 0) return;
  const auto at = static_cast<std::size_t>(top);
  cores_.outcome_state(number).results[at] = source;
  progress.missing[at] = 0;
  try_end(number, top, 0);
}

void HardwareCollectives::broadcast(int number, Content content, std::uint32_t segment,
                                    const std::byte* bytes, std::size_t length) {
  const Slot slot = cores_.make_packet(Kind::broadcast, cores_.tree_root(), cores_.tree_root());
  Packet& packet = cores_.network().packet(slot);
  packet.communicator = static_cast<std::uint16_t>(number);
  packet.operation = segment;
  packet.part = content;
  packet.bytes = static_cast<std::uint8_t>(length);
  packet.flits = static_cast<std::uint8_t>(flits_for_bytes(packet.bytes));
  if (length != 0) std::memcpy(bytes_of(packet), bytes, length);
  cores_.network().enqueue(slot);
}

/// The root's core takes a packet. One that the routers have completed costs nothing here (hardware_receive
/// comes at the end); for others software pays as for any message.
void HardwareCollectives::at_root(const Packet& packet) {
  const Communicator& communicator = cores_.communicator(packet.communicator);
  const Costs& costs = cores_.config().costs;
  Cycle cost = 0;
  if (packet.kind != Kind::reduce) {
    cost = costs.fetch;
  } else if (packet.weight != communicator.members.size()) {
    cost = costs.receive + costs.word * packet.words();
  }
  cores_.work(cores_.tree_root(), cost, [this, packet] { root_took(packet); });
}

void HardwareCollectives::root_took(const Packet& packet) {
  Group& own = group(packet.communicator);
  Segment& segment = own.up[packet.operation];
  segment.weight += packet.weight;
  const bool fixed = cores_.network().config().unit.fixed_order;
  if (segment.packets.empty() || fixed || packet.kind != Kind::reduce) {
    segment.packets.push_back(packet);
  } else {
    for (std::size_t word = 0; word < static_cast<std::size_t>(packet.words()); ++word)
      segment.packets[0].data[word] =
          combine(packet.arithmetic, segment.packets[0].data[word], packet.data[word]);
  }
  const auto members = cores_.communicator(packet.communicator).members.size();
  if (segment.weight == static_cast<int>(members)) segment_ended(packet.communicator, packet.operation);
}

/// Combines the packets that routers did not combine, in the order of their sources.
Packet HardwareCollectives::combined(std::vector<Packet>& packets) {
  std::sort(packets.begin(), packets.end(),
            [](const Packet& left, const Packet& right) { return left.source < right.source; });
  Packet result = packets.front();
  for (std::size_t number = 1; number < packets.size(); ++number)
    for (std::size_t word = 0; word < static_cast<std::size_t>(result.words()); ++word)
      result.data[word] = combine(result.arithmetic, result.data[word], packets[number].data[word]);
  return result;
}

/// Puts the pieces of a gather's packet where they belong.
void HardwareCollectives::unpack(const Packet& packet, const Communicator& communicator,
                                 std::size_t piece_bytes, std::size_t offset, std::size_t segment_bytes,
                                 Bytes& result) {
  const auto place = [&](std::size_t member, const std::byte* piece) {
    std::copy_n(piece, segment_bytes, result.data() + member * piece_bytes + offset);  // of nothing, too
  };
  const std::size_t direct = communicator.tree.entries[packet.source].direct;
  const bool alone = packet.bytes == segment_bytes && packet.weight == 1 &&
                     communicator.members[packet.part] == packet.source;
  if (alone || direct == 0) return place(packet.part, bytes_of(packet));
  for (std::size_t member = 0; member < communicator.members.size(); ++member)
    if (communicator.tree.first_unit[member] == packet.source)
      place(member,
            bytes_of(packet) + static_cast<std::size_t>(communicator.tree.place[member]) * segment_bytes);
}

void HardwareCollectives::segment_ended(int number, std::uint32_t segment_number) {
  Segment& segment = group(number).up[segment_number];
  const Operation& operation = cores_.operation(segment.operation);
  Progress& progress = progress_[segment.operation];
  segment.ended = true;
  if (operation.collective == Collective::gather && segment.bytes != 0) {
    for (const Packet& packet : segment.packets)
      unpack(packet, cores_.communicator(number), operation.bytes, segment.offset, segment.bytes,
             progress.at_root);
  } else if (segment.bytes != 0) {
    const Packet result = combined(segment.packets);
    std::memcpy(progress.at_root.data() + segment.offset, bytes_of(result), segment.bytes);
  }
  segment.packets = {};
  const bool last = --progress.segments_left == 0;
  if (results_everywhere(operation.collective)) {
    cores_.work(cores_.tree_root(), cores_.config().costs.restart, [this, number, segment_number] {
      const Segment& own = group(number).up[segment_number];
      const Bytes& sums = progress_[own.operation].at_root;
      broadcast(number, result, segment_number, sums.data() + own.offset, own.bytes);
      const int top = root_member(number);
      if (top < 0) return;
      take_part(own.operation, top, own, sums.data() + own.offset);
      learn_ended(number, top, segment_number);
    });
  } else if (last) {
    result_at_root(segment.operation);
  }
  notify(number, segment_number);
}

/// When all segments of a window have ended and members cannot know it from results, the root tells them.
void HardwareCollectives::notify(int number, std::uint32_t segment_number) {
  Group& own = group(number);
  const auto window = static_cast<std::uint32_t>(cores_.network().config().unit.window());
  const std::uint32_t first = segment_number / window * window;
  bool needed = false;
  for (std::uint32_t each = first; each < first + window; ++each) {
    if (each >= own.up.size() || !own.up[each].ended) return;
    needed = needed || !results_everywhere(cores_.operation(own.up[each].operation).collective);
  }
  if (!needed) return;
  cores_.work(cores_.tree_root(), cores_.config().costs.hardware_send, [this, number, first, window] {
    broadcast(number, notice, first, nullptr, 0);
    const int top = root_member(number);
    for (std::uint32_t each = first; top >= 0 && each < first + window; ++each)
      learn_ended(number, top, each);
  });
}

/// The result of a reduce or gather is with the core of the tree's root: it goes to the operation's root.
void HardwareCollectives::result_at_root(int number) {
  const Operation& operation = cores_.operation(number);
  const int node =
      cores_.communicator(operation.communicator).members[static_cast<std::size_t>(operation.root)];
  const auto take = [this, number, root = operation.root] {
    Progress& progress = progress_[number];
    cores_.outcome_state(number).results[static_cast<std::size_t>(root)] = progress.at_root;
    progress.missing[static_cast<std::size_t>(root)] = 0;
    try_end(number, root, 0);
  };
  cores_.work(cores_.tree_root(), cores_.config().costs.hardware_receive, [this, number, node, take] {
    if (node == cores_.tree_root()) return take();
    cores_.message(cores_.tree_root(), node, progress_[number].at_root.size(), take);
  });
}

}  // namespace taihu::noc
