// SPDX-License-Identifier: Apache-2.0
// The cores on the network as collectives see them: a core does one thing after the other, and each costs
// cycles (costs.h). Actions wait in a queue of events in time; Machine handles them between the cycles of the
// network.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "taihu/noc/collectives/costs.h"
#include "taihu/noc/collectives/operation.h"
#include "taihu/noc/collectives/tree.h"
#include "taihu/noc/network/network.h"
#include "taihu/noc/traffic/traffic.h"

namespace taihu::noc {

/// learned: tables of the routers, filled by pseudo packets. mask: the header names the members (power-of-two
/// sets only); routers compute what a table would say, so nothing is learned and no table runs full.
enum class Membership : std::uint8_t { learned, mask };

struct MachineConfig {
  NetworkConfig network;  ///< unit.pipelined is taken from the costs
  int tree_root = -1;     ///< node of all trees; -1: the middle node
  Membership membership = Membership::learned;
  Costs costs;
  std::optional<TrafficConfig> background;
};

struct Communicator {
  int number = 0;
  std::vector<int> members;  ///< nodes
  Tree tree;
  bool hardware = false;   ///< the routers know it
  bool ready = false;      ///< learning has ended
  int learned_weight = 0;  ///< pseudo packets that have reached the root
  bool beyond_tables = false;
  Cycle ready_at = 0;
  Cycle learning_cycles = 0;
};

class Cores {
 public:
  /// Throws Error when a router cannot do what the configuration asks for.
  explicit Cores(const MachineConfig& config);

  const Communicator& communicator(int number) const {
    return *communicators_.at(static_cast<std::size_t>(number));
  }
  const Outcome& outcome(int number) const { return outcomes_.at(static_cast<std::size_t>(number)); }
  const Operation& operation(int number) const { return operations_.at(static_cast<std::size_t>(number)); }

  Network& network() noexcept { return network_; }
  const MachineConfig& config() const noexcept { return config_; }
  int tree_root() const noexcept { return config_.tree_root; }
  Cycle now() const noexcept { return network_.now(); }
  /// Time at the core whose event is being handled. At most one cycle behind `now()`: a core reacts in the
  /// next cycle to what arrives in this one.
  Cycle core_now() const noexcept { return core_now_; }

  using Action = std::function<void()>;
  void at(Cycle cycle, Action action);
  /// The core of `node` works for `cycles` as soon as it is free, then does `action`.
  void work(int node, Cycle cycles, Action action);
  /// Sends a message of any length from core to core: costs `send` at one and `receive` at the other end,
  /// then `action` is done there. Packets of up to 64 bytes.
  void message(int from, int to, std::size_t bytes, Action action);
  Slot make_packet(Kind kind, int from, int to);

  // For the two kinds of collectives.
  void member_ended(int operation, int member);
  /// Every member of the operation has ended its part.
  void finished(int operation);
  Communicator& communicator_state(int number) { return *communicators_[static_cast<std::size_t>(number)]; }
  Outcome& outcome_state(int number) { return outcomes_[static_cast<std::size_t>(number)]; }

  /// Called when set, at the time `core_now`, when a member has ended its part of an operation.
  std::function<void(int operation, int member)> on_member_end;

 protected:
  /// Handles all that is due in this cycle.
  void run_events();
  /// A packet of a message has arrived; the last one begins what its receiver does.
  void message_arrived(const Packet& packet);

  MachineConfig config_;
  Network network_;
  Cycle core_now_ = 0;
  std::vector<std::unique_ptr<Communicator>> communicators_;
  std::deque<Operation> operations_;
  std::deque<Outcome> outcomes_;
  std::size_t open_operations_ = 0;

  bool has_events() const noexcept { return !events_.empty(); }
  Cycle next_event() const noexcept { return events_.top().cycle; }

 private:
  struct Event {
    Cycle cycle;
    std::uint64_t order;
    Action action;
    bool operator<(const Event& other) const noexcept {
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };
  struct Message {
    int packets = 0;
    Action action;
  };

  std::priority_queue<Event> events_;
  std::uint64_t event_order_ = 0;
  std::vector<Cycle> core_free_;
  std::map<std::uint32_t, Message> messages_;
  std::uint32_t next_message_ = 0;
};

}  // namespace taihu::noc
