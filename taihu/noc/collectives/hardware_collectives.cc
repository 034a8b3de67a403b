// SPDX-License-Identifier: Apache-2.0
// The members' side.
#include "taihu/noc/collectives/hardware_collectives.h"

#include <algorithm>
#include <cstring>

namespace taihu::noc {
namespace {

bool goes_up(Collective collective) {
  return collective != Collective::broadcast;
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

void HardwareCollectives::arrived(const Packet& packet, int node) {
  if (packet.kind == Kind::broadcast)
    broadcast_arrived(packet, node);
  else
    at_root(packet);
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
