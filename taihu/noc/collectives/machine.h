// SPDX-License-Identifier: Apache-2.0
// Cores on the network: communicators, collectives in the routers or in software, with ordinary traffic at
// the same time. A core does one thing after the other, and each costs cycles (costs.h). Results are
// computed, not assumed: packets carry data, and routers or the steps of software combine them.
//
// How a run goes: a queue of events in time (a core ends a piece of work, a member calls) is interleaved with
// the cycles of the network; while the network is idle, time jumps to the next event.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>

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

class HardwareCollectives;
class SoftwareCollectives;

class Machine {
 public:
  explicit Machine(const MachineConfig& config);
  ~Machine();

  /// Makes a communicator of these nodes (at least 2, no node twice) and lets the routers learn it; runs
  /// until they have. Returns its number. Throws Error.
  int make_communicator(const std::vector<int>& members);
  /// Makes the routers forget it. No operation of it may be open.
  void free_communicator(int number);
  const Communicator& communicator(int number) const {
    return *communicators_.at(static_cast<std::size_t>(number));
  }

  /// Appends an operation to the list; members call their operations in the order of the list. Returns its
  /// number.
  int start(Operation operation);
  /// A member calls an operation with `called_later`, at the time of the event that is being handled.
  void call(int number, int member);
  /// Gives the data and results of an operation that has ended back.
  void forget_data(int number);
  /// Runs until all operations have ended. Throws Error when one cannot (`limit` cycles, deadlock).
  void run(Cycle limit = 100'000'000);
  /// Runs `cycles` with ordinary traffic only.
  void run_traffic(Cycle cycles);
  const Outcome& outcome(int number) const { return outcomes_.at(static_cast<std::size_t>(number)); }
  const Operation& operation(int number) const { return operations_.at(static_cast<std::size_t>(number)); }

  Network& network() noexcept { return network_; }
  const MachineConfig& config() const noexcept { return config_; }
  Cycle now() const noexcept { return network_.now(); }
  /// Time at the core whose event is being handled. At most one cycle behind `now()`: a core reacts in the
  /// next cycle to what arrives in this one.
  Cycle core_now() const noexcept { return core_now_; }
  /// Latencies of the ordinary packets that have arrived during the operations.
  std::uint64_t background_packets() const noexcept { return background_packets_; }
  double background_latency() const noexcept {
    return background_packets_ == 0 ? 0 : background_cycles_ / static_cast<double>(background_packets_);
  }

  /// Called when set, at the time `core_now`, when a member has ended its part of an operation.
  std::function<void(int operation, int member)> on_member_end;
  /// Runs until `done`, which is looked at every cycle. Throws Error as `run` does.
  void run_until(const std::function<bool()>& done, Cycle limit);
  /// Nothing is under way and no event is left.
  bool idle() const noexcept { return network_.idle() && events_.empty(); }

  /// Called after every simulated cycle when set, for animations.
  std::function<void()> on_cycle;

  // For the two kinds of collectives.
  using Action = std::function<void()>;
  void at(Cycle cycle, Action action);
  /// The core of `node` works for `cycles` as soon as it is free, then does `action`.
  void work(int node, Cycle cycles, Action action);
  /// Sends a message of any length from core to core: costs `send` at one and `receive` at the other end,
  /// then `action` is done there. Packets of up to 64 bytes.
  void message(int from, int to, std::size_t bytes, Action action);
  Slot make_packet(Kind kind, int from, int to);
  void member_ended(int operation, int member);
  /// Every member of the operation has ended its part.
  void finished(int operation);
  Communicator& communicator_state(int number) { return *communicators_[static_cast<std::size_t>(number)]; }
  Outcome& outcome_state(int number) { return outcomes_[static_cast<std::size_t>(number)]; }
  int tree_root() const noexcept { return config_.tree_root; }

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

  void run_events();
  void advance();
  void deliver(const Delivery& delivery);
  void learned(const Packet& packet);
  void send_pseudo_packets(Communicator& communicator, bool forget);
  void write_places(Communicator& communicator);

  MachineConfig config_;
  Network network_;
  std::optional<Traffic> traffic_;
  std::priority_queue<Event> events_;
  std::uint64_t event_order_ = 0;
  std::vector<Cycle> core_free_;
  std::map<std::uint32_t, Message> messages_;
  std::uint32_t next_message_ = 0;
  std::vector<std::unique_ptr<Communicator>> communicators_;
  std::deque<Operation> operations_;
  std::deque<Outcome> outcomes_;
  Cycle core_now_ = 0;
  std::size_t open_operations_ = 0;
  std::unique_ptr<HardwareCollectives> hardware_;
  std::unique_ptr<SoftwareCollectives> software_;
  std::uint64_t background_packets_ = 0;
  double background_cycles_ = 0;
};

}  // namespace taihu::noc
