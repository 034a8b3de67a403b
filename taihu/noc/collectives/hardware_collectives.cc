// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/hardware_collectives.h"

#include <algorithm>
#include <cstring>

namespace taihu::noc {

namespace {

std::byte* bytes_of(Packet& packet) {
  return reinterpret_cast<std::byte*>(packet.data.data());
}
const std::byte* bytes_of(const Packet& packet) {
  return reinterpret_cast<const std::byte*>(packet.data.data());
}

bool goes_up(Collective collective) {
  return collective != Collective::broadcast;
}
bool results_everywhere(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::barrier;
}

}  // namespace

HardwareCollectives::Group& HardwareCollectives::group(int number) {
  const auto [place, made] = groups_.try_emplace(number);
  Group& group = place->second;
  if (made) {
    const Communicator& communicator = cores_.communicator(number);
    group.member_at.assign(static_cast<std::size_t>(cores_.network().config().mesh.nodes()), -1);
    for (std::size_t member = 0; member < communicator.members.size(); ++member)
      group.member_at[static_cast<std::size_t>(communicator.members[member])] = static_cast<int>(member);
    group.next.resize(communicator.members.size());
    group.known.resize(communicator.members.size());
  }
  return group;
}

int HardwareCollectives::root_member(int communicator) {
  return group(communicator).member_at[static_cast<std::size_t>(cores_.tree_root())];
}

void HardwareCollectives::announce(Communicator& communicator) {
  Group& own = group(communicator.number);
  own.announced = root_member(communicator.number) >= 0 ? 1 : 0;
  if (communicator.hardware) {
    cores_.work(cores_.tree_root(), cores_.config().costs.hardware_send,
                [this, number = communicator.number] { broadcast(number, go, 0, nullptr, 0); });
    return;
  }
  for (const int node : communicator.members) {
    if (node == cores_.tree_root()) continue;
    cores_.message(cores_.tree_root(), node, 0, [&communicator, &own] {
      if (++own.announced == static_cast<int>(communicator.members.size())) communicator.ready = true;
    });
  }
}

/// Cuts the operation's data into segments of one packet, at least one.
void HardwareCollectives::cut(int number, std::deque<Segment>& list, Progress& progress) {
  const Operation& operation = cores_.operation(number);
  progress.first_segment = static_cast<std::uint32_t>(list.size());
  std::size_t offset = 0;
  do {
    Segment segment;
    segment.operation = number;
    segment.offset = offset;
    segment.bytes = std::min<std::size_t>(max_bytes, operation.bytes - offset);
    list.push_back(segment);
    offset += segment.bytes;
  } while (offset < operation.bytes);
  progress.segments = progress.segments_left = static_cast<int>(list.size() - progress.first_segment);
}

void HardwareCollectives::start(int number) {
  const Operation& operation = cores_.operation(number);
  const Communicator& communicator = cores_.communicator(operation.communicator);
  const auto members = communicator.members.size();
  Group& own = group(operation.communicator);
  Progress& progress = progress_[number];
  cut(number, goes_up(operation.collective) ? own.up : own.down, progress);
  progress.called.resize(members);
  progress.ended.resize(members);
  progress.members_left = static_cast<int>(members);
  const bool everywhere =
      results_everywhere(operation.collective) || operation.collective == Collective::broadcast;
  progress.missing.assign(members, everywhere ? progress.segments : 0);
  if (!everywhere) progress.missing[static_cast<std::size_t>(operation.root)] = 1;
  progress.at_root.resize(operation.collective == Collective::gather ? operation.bytes * members
                                                                     : operation.bytes);
  if (everywhere && operation.collective != Collective::barrier)
    for (Bytes& result : cores_.outcome_state(number).results) result.resize(operation.bytes);
  for (std::size_t member = 0; member < members && !operation.called_later; ++member) {
    const Cycle late = operation.late.empty() ? 0 : operation.late[member];
    cores_.at(operation.start + late, [this, number, member] { call(number, static_cast<int>(member)); });
  }
}

void HardwareCollectives::call(int number, int member) {
  const Operation& operation = cores_.operation(number);
  Progress& progress = progress_[number];
  progress.called[static_cast<std::size_t>(member)] = true;
  if (goes_up(operation.collective)) return try_send(operation.communicator, member);
  if (member == operation.root) return start_broadcast(number);
  try_end(number, member, 0);
}

/// Sends the member's contributions to all segments that it has called and that the window allows.
void HardwareCollectives::try_send(int communicator, int member) {
  Group& own = group(communicator);
  const auto at = static_cast<std::size_t>(member);
  const auto window = static_cast<std::uint32_t>(cores_.network().config().unit.window());
  const int node = cores_.communicator(communicator).members[at];
  while (own.next[at] < own.up.size()) {
    const std::uint32_t number = own.next[at];
    const int operation = own.up[number].operation;
    Progress& progress = progress_[operation];
    if (!progress.called[at]) return;
    const std::vector<bool>& known = own.known[at];
    if (number >= window && (known.size() <= number - window || !known[number - window])) return;
    ++own.next[at];
    const Cycle cost = number == progress.first_segment ? cores_.config().costs.hardware_send : 0;
    cores_.work(node, cost,
                [this, communicator, number, member] { contribute(communicator, number, member); });
  }
}

/// Whether the pieces of the member's group fit into one packet at its first level-1 router.
bool HardwareCollectives::combines_gather(const Communicator& communicator, int member,
                                          std::size_t bytes) const {
  const int unit = communicator.tree.first_unit[static_cast<std::size_t>(member)];
  return unit >= 0 && communicator.tree.entries[static_cast<std::size_t>(unit)].direct * bytes <= max_bytes;
}

void HardwareCollectives::contribute(int number, std::uint32_t segment_number, int member) {
  const Communicator& communicator = cores_.communicator(number);
  const Segment& segment = group(number).up[segment_number];
  const Operation& operation = cores_.operation(segment.operation);
  const auto at = static_cast<std::size_t>(member);
  const Slot slot = cores_.make_packet(Kind::reduce, communicator.members[at], cores_.tree_root());
  Packet& packet = cores_.network().packet(slot);
  packet.communicator = static_cast<std::uint16_t>(number);
  packet.operation = segment_number;
  packet.arithmetic = operation.arithmetic;
  packet.bytes = static_cast<std::uint8_t>(segment.bytes);
  packet.flits = static_cast<std::uint8_t>(flits_for_bytes(packet.bytes));
  packet.place = static_cast<std::uint16_t>(communicator.tree.place[at]);
  if (operation.collective == Collective::gather) {
    packet.part = static_cast<std::uint32_t>(member);
    packet.kind = combines_gather(communicator, member, segment.bytes) ? Kind::gather : Kind::gathered;
  }
  if (segment.bytes != 0)
    std::memcpy(bytes_of(packet), operation.data[at].data() + segment.offset, segment.bytes);
  cores_.network().enqueue(slot);
  Progress& progress = progress_[segment.operation];
  const bool last =
      segment_number + 1 == progress.first_segment + static_cast<std::uint32_t>(progress.segments);
  if (last) try_end(segment.operation, member, 0);
}

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

void HardwareCollectives::arrived(const Packet& packet, int node) {
  if (packet.kind == Kind::broadcast)
    broadcast_arrived(packet, node);
  else
    at_root(packet);
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

namespace {

/// Combines the packets that routers did not combine, in the order of their sources.
Packet combined(std::vector<Packet>& packets) {
  std::sort(packets.begin(), packets.end(),
            [](const Packet& left, const Packet& right) { return left.source < right.source; });
  Packet result = packets.front();
  for (std::size_t number = 1; number < packets.size(); ++number)
    for (std::size_t word = 0; word < static_cast<std::size_t>(result.words()); ++word)
      result.data[word] = combine(result.arithmetic, result.data[word], packets[number].data[word]);
  return result;
}

/// Puts the pieces of a gather's packet where they belong.
void unpack(const Packet& packet, const Communicator& communicator, std::size_t piece_bytes,
            std::size_t offset, std::size_t segment_bytes, Bytes& result) {
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

}  // namespace

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

void HardwareCollectives::broadcast_arrived(const Packet& packet, int node) {
  Group& own = group(packet.communicator);
  const int member = own.member_at[static_cast<std::size_t>(node)];
  const auto window = static_cast<std::uint32_t>(cores_.network().config().unit.window());
  switch (static_cast<Content>(packet.part)) {
    case go: {
      Communicator& communicator = cores_.communicator_state(packet.communicator);
      if (++own.announced == static_cast<int>(communicator.members.size())) communicator.ready = true;
      return;
    }
    case notice:
      for (std::uint32_t each = packet.operation; each < packet.operation + window; ++each)
        learn_ended(packet.communicator, member, each);
      return;
    case result: {
      const Segment& segment = own.up[packet.operation];
      take_part(segment.operation, member, segment, bytes_of(packet));
      return learn_ended(packet.communicator, member, packet.operation);
    }
    case data: {
      const Segment& segment = own.down[packet.operation];
      const Operation& operation = cores_.operation(segment.operation);
      if (member != operation.root) take_part(segment.operation, member, segment, bytes_of(packet));
    }
  }
}

void HardwareCollectives::learn_ended(int number, int member, std::uint32_t segment) {
  std::vector<bool>& known = group(number).known[static_cast<std::size_t>(member)];
  if (known.size() <= segment) known.resize(segment + 1);
  known[segment] = true;
  try_send(number, member);
}

void HardwareCollectives::take_part(int number, int member, const Segment& segment, const std::byte* bytes) {
  const auto at = static_cast<std::size_t>(member);
  if (segment.bytes != 0)
    std::memcpy(cores_.outcome_state(number).results[at].data() + segment.offset, bytes, segment.bytes);
  const bool is_top = member == root_member(cores_.operation(number).communicator);
  if (--progress_[number].missing[at] == 0)
    try_end(number, member, is_top ? 0 : cores_.config().costs.hardware_receive);
}

/// A member's part ends when the member has called, has sent all its contributions and has all of its result.
void HardwareCollectives::try_end(int number, int member, Cycle cost) {
  const Operation& operation = cores_.operation(number);
  Progress& progress = progress_[number];
  const auto at = static_cast<std::size_t>(member);
  if (progress.ended[at] || !progress.called[at] || progress.missing[at] != 0) return;
  if (goes_up(operation.collective) &&
      group(operation.communicator).next[at] <
          progress.first_segment + static_cast<std::uint32_t>(progress.segments))
    return;
  progress.ended[at] = true;
  const int node = cores_.communicator(operation.communicator).members[at];
  cores_.work(node, cost, [this, number, member] { end_member(number, member); });
}

void HardwareCollectives::end_member(int number, int member) {
  cores_.member_ended(number, member);
  Progress& progress = progress_[number];
  if (--progress.members_left != 0) return;
  progress_.erase(number);
  cores_.finished(number);
}

}  // namespace taihu::noc
