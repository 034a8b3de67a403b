// SPDX-License-Identifier: Apache-2.0
// Cores on the network: communicators, collectives in the routers or in software, with ordinary traffic at
// the same time. A core does one thing after the other, and each costs cycles (costs.h). Results are
// computed, not assumed: packets carry data, and routers or the steps of software combine them.
//
// How a run goes: a queue of events in time (a core ends a piece of work, a member calls) is interleaved with
// the cycles of the network; while the network is idle, time jumps to the next event.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "taihu/noc/collectives/cores.h"

namespace taihu::noc {

class HardwareCollectives;
class SoftwareCollectives;

class Machine : public Cores {
 public:
  explicit Machine(const MachineConfig& config);
  ~Machine();

  /// Makes a communicator of these nodes (at least 2, no node twice) and lets the routers learn it; runs
  /// until they have. Returns its number. Throws Error.
  int make_communicator(const std::vector<int>& members);
  /// Makes the routers forget it. No operation of it may be open.
  void free_communicator(int number);

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
  /// Latencies of the ordinary packets that have arrived during the operations.
  std::uint64_t background_packets() const noexcept { return background_packets_; }
  double background_latency() const noexcept {
    return background_packets_ == 0 ? 0 : background_cycles_ / static_cast<double>(background_packets_);
  }

  /// Runs until `done`, which is looked at every cycle. Throws Error as `run` does.
  void run_until(const std::function<bool()>& done, Cycle limit);
  /// Nothing is under way and no event is left.
  bool idle() const noexcept { return network_.idle() && !has_events(); }

  /// Called after every simulated cycle when set, for animations.
  std::function<void()> on_cycle;

 private:
  void advance();
  void deliver(const Delivery& delivery);
  void learned(const Packet& packet);
  void send_pseudo_packets(Communicator& communicator, bool forget);
  void write_places(Communicator& communicator);

  std::optional<Traffic> traffic_;
  std::unique_ptr<HardwareCollectives> hardware_;
  std::unique_ptr<SoftwareCollectives> software_;
  std::uint64_t background_packets_ = 0;
  double background_cycles_ = 0;
};

}  // namespace taihu::noc
