// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/software_collectives.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "taihu/schedule/algorithms.h"

namespace taihu::noc {

namespace {

constexpr std::size_t long_bytes = 8192;

/// Orders `nodes` (indices of members) with `leader` first: the block of the leader, of a power of two
/// members, then the rest with the member nearest to the leader first.
std::vector<int> arranged(const Mesh& mesh, const std::vector<int>& members, std::vector<int> part,
                          int leader) {
  if (part.size() <= 1) return part;
  std::size_t block = 1;
  while (block * 2 < part.size()) block *= 2;
  const auto x = [&](int index) { return mesh.x(members[static_cast<std::size_t>(index)]); };
  const auto y = [&](int index) { return mesh.y(members[static_cast<std::size_t>(index)]); };
  const auto [west, east] =
      std::minmax_element(part.begin(), part.end(), [&](int a, int b) { return x(a) < x(b); });
  const auto [top, bottom] =
      std::minmax_element(part.begin(), part.end(), [&](int a, int b) { return y(a) < y(b); });
  const bool wide = x(*east) - x(*west) > y(*bottom) - y(*top);
  const auto key = [&](int index) {
    return wide ? std::pair(x(index), y(index)) : std::pair(y(index), x(index));
  };
  std::sort(part.begin(), part.end(), [&](int a, int b) { return key(a) < key(b); });
  const auto place = static_cast<std::size_t>(std::find(part.begin(), part.end(), leader) - part.begin());
  if (place >= block) std::reverse(part.begin(), part.end());
  if (static_cast<std::size_t>(std::find(part.begin(), part.end(), leader) - part.begin()) >= block)
    std::iter_swap(std::find(part.begin(), part.end(), leader), part.begin());
  std::vector<int> near(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(block));
  std::vector<int> far(part.begin() + static_cast<std::ptrdiff_t>(block), part.end());
  const auto distance = [&](int index) {
    return mesh.distance(members[static_cast<std::size_t>(index)], members[static_cast<std::size_t>(leader)]);
  };
  const int far_leader =
      *std::min_element(far.begin(), far.end(), [&](int a, int b) { return distance(a) < distance(b); });
  std::vector<int> order = arranged(mesh, members, near, leader);
  const std::vector<int> rest = arranged(mesh, members, far, far_leader);
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace

std::vector<int> near_order(const Mesh& mesh, const std::vector<int>& members, int root) {
  std::vector<int> all(members.size());
  std::iota(all.begin(), all.end(), 0);
  return arranged(mesh, members, all, root);
}

/// The programs of the operation's present phase.
void SoftwareCollectives::make_programs(int number, Run& run) {
  const Operation& operation = cores_.operation(number);
  const int members = static_cast<int>(run.order.size());
  const int root =
      static_cast<int>(std::find(run.order.begin(), run.order.end(), operation.root) - run.order.begin());
  const std::size_t bytes = operation.bytes;
  const bool second_phase = operation.collective == Collective::allreduce && run.phases_left == 1 &&
                            cores_.config().costs.allreduce_as_two;
  const auto program = [&](schedule::Place place) {
    using namespace schedule;
    switch (operation.collective) {
      case Collective::reduce:
        return reduce_binomial(place, bytes, root, Operands::commutative);
      case Collective::broadcast:
        return bytes > long_bytes ? bcast_scatter_allgather(place, bytes, root)
                                  : bcast_binomial(place, bytes, root);
      case Collective::gather:
        return gather_binomial(place, equal_blocks(members, bytes), root);
      case Collective::barrier:
        return barrier(place);
      case Collective::allreduce:
        break;
    }
    if (second_phase) return bcast_binomial(place, bytes, root);
    if (run.phases_left == 2) return reduce_binomial(place, bytes, root, Operands::commutative);
    return bytes > long_bytes ? allreduce_ring(place, bytes, 8) : allreduce_recursive_doubling(place, bytes);
  };
  run.left = members;
  for (int position = 0; position < members; ++position) {
    Member& member = run.members[static_cast<std::size_t>(position)];
    member.program = program({members, position});
    member.scratch.assign(member.program.scratch, std::byte{0});
    member.step = 0;
    member.waiting = false;
  }
}

void SoftwareCollectives::start(int number) {
  const Operation& operation = cores_.operation(number);
  const Communicator& communicator = cores_.communicator(operation.communicator);
  const auto members = communicator.members.size();
  Run& run = runs_[number];
  const bool knows_mesh = cores_.config().costs.trees_know_mesh;
  if (knows_mesh) {
    run.order = near_order(cores_.network().config().mesh, communicator.members, operation.root);
  } else {
    run.order.resize(members);
    std::iota(run.order.begin(), run.order.end(), 0);
  }
  if (operation.collective == Collective::allreduce && cores_.config().costs.allreduce_as_two)
    run.phases_left = 2;
  run.members.resize(members);
  make_programs(number, run);
  for (std::size_t position = 0; position < members; ++position) {
    const auto member = static_cast<std::size_t>(run.order[position]);
    Member& own = run.members[position];
    const bool is_root = run.order[position] == operation.root;
    if (!operation.data.empty()) own.source = operation.data[member];
    const bool gathers = operation.collective == Collective::gather;
    own.result.resize(gathers ? (is_root ? operation.bytes * members : 0) : operation.bytes);
    if (operation.collective == Collective::broadcast && is_root) own.result = own.source;
    if (operation.called_later) continue;
    const Cycle late = operation.late.empty() ? 0 : operation.late[member];
    cores_.at(operation.start + late, [this, number, member] { call(number, static_cast<int>(member)); });
  }
}

void SoftwareCollectives::call(int number, int member) {
  Run& run = runs_[number];
  const auto position = std::find(run.order.begin(), run.order.end(), member) - run.order.begin();
  run.members[static_cast<std::size_t>(position)].called = true;
  go_on(number, static_cast<int>(position));
}

/// Runs a member's steps until it has to wait.
void SoftwareCollectives::go_on(int number, int position) {
  while (true) {
    Run& run = runs_[number];
    Member& member = run.members[static_cast<std::size_t>(position)];
    if (!member.called || member.working) return;
    if (member.step == member.program.steps.size()) return end_member(number, position);
    if (!member.program.steps[member.step].is_transfer()) {
      if (!local_step(number, position)) return;
      continue;
    }
    if (!member.waiting) post(number, position);
    if (!receive(run, position)) return;
  }
}

/// Starts the sends of the present round.
void SoftwareCollectives::post(int number, int position) {
  Run& run = runs_[number];
  Member& member = run.members[static_cast<std::size_t>(position)];
  const std::vector<int>& nodes = cores_.communicator(cores_.operation(number).communicator).members;
  const auto node = [&](int at) {
    return nodes[static_cast<std::size_t>(run.order[static_cast<std::size_t>(at)])];
  };
  member.waiting = true;
  const int round = member.program.steps[member.step].round;
  for (std::size_t at = member.step; at < member.program.steps.size(); ++at) {
    const schedule::Step& step = member.program.steps[at];
    if (!step.is_transfer() || step.round != round) break;
    if (step.action != schedule::Action::send) continue;
    const Bytes& memory = step.buffer == schedule::Buffer::source   ? member.source
                          : step.buffer == schedule::Buffer::result ? member.result
                                                                    : member.scratch;
    Bytes data(memory.begin() + static_cast<std::ptrdiff_t>(step.offset),
               memory.begin() + static_cast<std::ptrdiff_t>(step.offset + step.count));
    cores_.message(node(position), node(step.peer), step.count,
                   [this, number, position, to = step.peer, data = std::move(data)] {
                     runs_[number].members[static_cast<std::size_t>(to)].inbox[position].push_back(data);
                     go_on(number, to);
                   });
  }
}

/// Takes the messages that the receives of the present round wait for. True when all have come and the round
/// is over.
bool SoftwareCollectives::receive(Run& run, int position) {
  Member& member = run.members[static_cast<std::size_t>(position)];
  const int round = member.program.steps[member.step].round;
  std::map<int, std::size_t> wanted;
  std::size_t end = member.step;
  for (; end < member.program.steps.size(); ++end) {
    const schedule::Step& step = member.program.steps[end];
    if (!step.is_transfer() || step.round != round) break;
    if (step.action == schedule::Action::receive) ++wanted[step.peer];
  }
  for (const auto& [peer, count] : wanted)
    if (member.inbox[peer].size() < count) return false;
  for (; member.step < end; ++member.step) {
    const schedule::Step& step = member.program.steps[member.step];
    if (step.action != schedule::Action::receive) continue;
    Bytes& memory = step.buffer == schedule::Buffer::result ? member.result : member.scratch;
    const Bytes data = std::move(member.inbox[step.peer].front());
    member.inbox[step.peer].pop_front();
    if (!data.empty()) std::memcpy(memory.data() + step.offset, data.data(), data.size());
  }
  member.waiting = false;
  return true;
}

/// A copy or a combination; false when the core works on it and goes on later.
bool SoftwareCollectives::local_step(int number, int position) {
  const Operation& operation = cores_.operation(number);
  Member& member = runs_[number].members[static_cast<std::size_t>(position)];
  const schedule::Step step = member.program.steps[member.step++];
  const auto memory = [&](schedule::Buffer buffer) -> Bytes& {
    if (buffer == schedule::Buffer::source) return member.source;
    return buffer == schedule::Buffer::result ? member.result : member.scratch;
  };
  std::byte* target = memory(step.buffer).data() + step.offset;
  const std::byte* operand = memory(step.operand_buffer).data() + step.operand_offset;
  if (step.action == schedule::Action::copy) {
    if (target != operand && step.count != 0) std::memmove(target, operand, step.count);
    return true;
  }
  for (std::size_t place = 0; place < step.count; place += 8) {
    std::uint64_t own, other;
    std::memcpy(&own, target + place, 8);
    std::memcpy(&other, operand + place, 8);
    own = combine(operation.arithmetic, other, own);
    std::memcpy(target + place, &own, 8);
  }
  const Cycle cost = static_cast<Cycle>(step.count / 8) * cores_.config().costs.word;
  if (cost == 0) return true;
  member.working = true;
  const auto at = static_cast<std::size_t>(runs_[number].order[static_cast<std::size_t>(position)]);
  cores_.work(cores_.communicator(operation.communicator).members[at], cost, [this, number, position] {
    runs_[number].members[static_cast<std::size_t>(position)].working = false;
    go_on(number, position);
  });
  return false;
}

void SoftwareCollectives::end_member(int number, int position) {
  Run& run = runs_[number];
  const auto at = static_cast<std::size_t>(run.order[static_cast<std::size_t>(position)]);
  const int node = cores_.communicator(cores_.operation(number).communicator).members[at];
  run.members[static_cast<std::size_t>(position)].working = true;  // its list is at the end
  // A member whose sends still take its core's time ends behind them.
  cores_.work(node, 0, [this, number, member = run.order[static_cast<std::size_t>(position)]] {
    Run& own = runs_[number];
    if (own.phases_left == 1) cores_.member_ended(number, member);
    if (--own.left == 0) end_run(number);
  });
}

void SoftwareCollectives::end_run(int number) {
  Run& run = runs_[number];
  if (--run.phases_left > 0) {
    make_programs(number, run);
    for (std::size_t position = 0; position < run.members.size(); ++position) {
      run.members[position].working = false;
      go_on(number, static_cast<int>(position));
    }
    return;
  }
  const Operation& operation = cores_.operation(number);
  Outcome& outcome = cores_.outcome_state(number);
  for (std::size_t position = 0; position < run.members.size(); ++position) {
    const auto member = static_cast<std::size_t>(run.order[position]);
    const bool root_only =
        operation.collective == Collective::reduce || operation.collective == Collective::gather;
    if (root_only && run.order[position] != operation.root) continue;
    outcome.results[member] = run.members[position].result;
    if (operation.collective != Collective::gather || operation.bytes == 0) continue;
    for (std::size_t piece = 0; piece < run.order.size(); ++piece)  // from positions to members
      std::copy_n(
          run.members[position].result.data() + piece * operation.bytes, operation.bytes,
          outcome.results[member].data() + static_cast<std::size_t>(run.order[piece]) * operation.bytes);
  }
  runs_.erase(number);
  cores_.finished(number);
}

}  // namespace taihu::noc
