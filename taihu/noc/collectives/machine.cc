// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/machine.h"

#include <algorithm>
#include <set>

#include "taihu/noc/collectives/hardware_collectives.h"
#include "taihu/noc/collectives/model.h"
#include "taihu/noc/collectives/software_collectives.h"

namespace taihu::noc {

Machine::Machine(const MachineConfig& config) : Cores(config) {
  if (config_.background) traffic_.emplace(config_.network.mesh, *config_.background);
  hardware_ = std::make_unique<HardwareCollectives>(*this);
  software_ = std::make_unique<SoftwareCollectives>(*this);
}

Machine::~Machine() = default;

void Machine::send_pseudo_packets(Communicator& communicator, bool forget) {
  communicator.learned_weight = 0;
  for (const int member : communicator.members) {
    work(member, config_.costs.hardware_send, [this, &communicator, member, forget] {
      const Slot slot = make_packet(Kind::learn, member, tree_root());
      network_.packet(slot).communicator = static_cast<std::uint16_t>(communicator.number);
      network_.packet(slot).forget = forget;
      network_.enqueue(slot);
    });
  }
  const auto all = static_cast<int>(communicator.members.size());
  run_until([&communicator, all] { return communicator.learned_weight == all; }, now() + 10'000'000);
}

/// What software tells the routers after learning: the places of inputs, for fixed order.
void Machine::write_places(Communicator& communicator) {
  for (int router = 0; router < config_.network.mesh.nodes(); ++router) {
    CollectiveUnit* unit = network_.collective_unit(router);
    LearnedEntry* entry = unit == nullptr ? nullptr : unit->find(communicator.number);
    if (entry == nullptr) continue;
    entry->inputs = communicator.tree.entries[static_cast<std::size_t>(router)].inputs;
    entry->place = communicator.tree.entries[static_cast<std::size_t>(router)].place;
  }
}

int Machine::make_communicator(const std::vector<int>& members) {
  const Mesh& mesh = config_.network.mesh;
  check_input(members.size() >= 2, "a communicator needs at least 2 members");
  check_input(std::set<int>(members.begin(), members.end()).size() == members.size(),
              "a node is twice in a communicator");
  for (const int node : members)
    check_input(node >= 0 && node < mesh.nodes(),
                "node " + std::to_string(node) + " is not in the " + mesh.describe());
  check_input(communicators_.size() < 65536, "more than 65536 communicators");
  communicators_.push_back(std::make_unique<Communicator>());
  Communicator& communicator = *communicators_.back();
  communicator.number = static_cast<int>(communicators_.size()) - 1;
  communicator.members = members;
  std::vector<std::uint8_t> levels = config_.network.levels;
  levels.resize(static_cast<std::size_t>(mesh.nodes()));
  communicator.tree = make_tree(mesh, levels, members, tree_root());
  const Cycle begin = core_now_ = now();
  if (config_.network.levels.empty()) {
    communicator.ready = true;
  } else if (config_.membership == Membership::mask) {
    check_input(is_mask_set(mesh, members),
                "these members can not be named by a node and a mask; use learned membership");
    communicator.hardware = true;
    for (int router = 0; router < mesh.nodes(); ++router) {
      const LearnedEntry& computed = communicator.tree.entries[static_cast<std::size_t>(router)];
      CollectiveUnit* unit = network_.collective_unit(router);
      if (computed.total == 0) continue;
      if (unit == nullptr) {
        communicator.hardware = false;
        continue;
      }
      LearnedEntry* entry = unit->claim(communicator.number);
      *entry = computed;
      entry->communicator = communicator.number;
    }
    communicator.ready = true;
  } else {
    send_pseudo_packets(communicator, false);
    communicator.hardware = !communicator.beyond_tables;
    if (communicator.hardware)
      write_places(communicator);
    else
      send_pseudo_packets(communicator, true);
    communicator.ready = false;
    hardware_->announce(communicator);
    run_until([&communicator] { return communicator.ready; }, now() + 10'000'000);
  }
  communicator.ready_at = now();
  communicator.learning_cycles = now() - begin;
  return communicator.number;
}

void Machine::free_communicator(int number) {
  Communicator& communicator = *communicators_.at(static_cast<std::size_t>(number));
  check_input(open_operations_ == 0, "a communicator is freed while operations are open");
  if (communicator.hardware && config_.membership == Membership::learned)
    send_pseudo_packets(communicator, true);
  if (communicator.hardware && config_.membership == Membership::mask)
    for (int router = 0; router < config_.network.mesh.nodes(); ++router)
      if (CollectiveUnit* unit = network_.collective_unit(router)) unit->forget(number);
  communicator.hardware = false;
}

int Machine::start(Operation operation) {
  const Communicator& communicator = this->communicator(operation.communicator);
  const std::size_t members = communicator.members.size();
  const bool one_source = operation.collective == Collective::broadcast;
  check_input(operation.root >= 0 && static_cast<std::size_t>(operation.root) < members,
              "the root is not a member");
  check_input(operation.data.size() == members || operation.collective == Collective::barrier,
              "data of every member are needed");
  for (std::size_t member = 0; member < operation.data.size(); ++member)
    check_input(operation.data[member].size() == operation.bytes ||
                    (one_source && static_cast<int>(member) != operation.root),
                "data of a member have another length");
  const bool reduces =
      operation.collective == Collective::reduce || operation.collective == Collective::allreduce;
  check_input(!reduces || operation.bytes % 8 == 0, "a reduction needs a multiple of 8 bytes");
  check_input(operation.collective != Collective::barrier || operation.bytes == 0, "a barrier has no data");
  const int number = static_cast<int>(operations_.size());
  operations_.push_back(std::move(operation));
  Operation& kept = operations_.back();
  kept.start = std::max(kept.start, now());
  core_now_ = now();
  Outcome outcome;
  outcome.begin = kept.start;
  outcome.results.resize(members);
  bool hardware = communicator.hardware && kept.means != Means::software;
  if (hardware && kept.means == Means::automatic)
    hardware = predict_hardware(config(), communicator.tree, kept) <=
               predict_software(config(), static_cast<int>(members), kept);
  outcome.by_hardware = hardware;
  outcomes_.push_back(std::move(outcome));
  ++open_operations_;
  if (hardware)
    hardware_->start(number);
  else
    software_->start(number);
  return number;
}

void Machine::call(int number, int member) {
  if (outcome(number).by_hardware)
    hardware_->call(number, member);
  else
    software_->call(number, member);
}

void Machine::forget_data(int number) {
  operations_[static_cast<std::size_t>(number)].data = {};
  outcomes_[static_cast<std::size_t>(number)].results = {};
}

void Machine::run(Cycle limit) {
  run_until([this] { return open_operations_ == 0; }, now() + limit);
}

void Machine::run_traffic(Cycle cycles) {
  const Cycle end = now() + cycles;
  while (now() < end) advance();
}

void Machine::run_until(const std::function<bool()>& done, Cycle limit) {
  while (true) {
    run_events();
    if (done()) return;
    if (network_.idle() && !traffic_) {
      if (!has_events()) throw Error("operations can not end: nothing is under way", network_.dump());
      network_.skip_to(std::min(limit, next_event()));
      if (now() < limit) continue;
    }
    if (now() >= limit) throw Error("the run has passed its limit of cycles", network_.dump());
    advance();
  }
}

void Machine::advance() {
  run_events();
  if (traffic_) traffic_->make_packets(network_, true);
  network_.step();
  if (on_cycle) on_cycle();
  core_now_ = now() - 1;
  for (const Delivery& delivery : network_.deliveries()) deliver(delivery);
  core_now_ = now();
}

void Machine::learned(const Packet& packet) {
  Communicator& communicator = *communicators_[packet.communicator];
  if (packet.beyond_tables && !packet.forget) communicator.beyond_tables = true;
  ++communicator.learned_weight;
}

/// The tail of a packet has arrived in the cycle before the present one.
void Machine::deliver(const Delivery& delivery) {
  const Packet packet = network_.packet(delivery.slot);
  network_.drop(delivery.slot);
  switch (packet.kind) {
    case Kind::plain:
      ++background_packets_;
      background_cycles_ += static_cast<double>(now() - 1 - packet.created);
      break;
    case Kind::message:
      message_arrived(packet);
      break;
    case Kind::learn:
      learned(packet);
      break;
    default:
      hardware_->arrived(packet, delivery.node);
      break;
  }
}

}  // namespace taihu::noc
